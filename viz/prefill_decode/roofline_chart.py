"""The roofline: what this device could do, what both phases do, and which floor is the highest.

Up is more arithmetic a second, right is more arithmetic for each byte read. The slope is bandwidth,
the flat part the matrix rate; where they meet is the ridge. A pass far below both waits for
something that the roofline does not draw, so the floors are drawn apart.
"""

import math
from collections.abc import Sequence
from statistics import median

from model.prefill_decode.records import BoundBy, Ceilings, Roofline, RoofPoint
from viz.chart import (
    Chart,
    Table,
    add_bars,
    add_line,
    add_points,
    new_figure,
    write_at,
)
from viz.figure import Figure, Style
from viz.format import THIN, count, digits, duration, percent, size
from viz.labels import name_rows
from viz.palette import colour
from viz.prefill_decode.phase_charts import PHASE_ROLES

HEIGHT = 340  # pixels
SYMBOLS = {"prefill": "circle", "decode": "diamond"}
WORDS: dict[BoundBy, str] = {
    "memory": "reading the weights and the cache",
    "compute": "arithmetic",
    "overhead": "the operations themselves",
}
FLOOR_SYMBOLS: dict[BoundBy, str] = {"memory": "square", "compute": "circle", "overhead": "x-thin"}
_EXPLAINED = 0.3  # of the time: below it no floor is called the bound
_IN_CACHE = 40e6  # bytes of weights that a processor's last cache may hold
_BUSY = 1.4  # times as long as the quickest run: beyond it the middle one says little
_PLAIN = "own step"  # words of the engine whose points are filled
_QUICK = "quick step"  # by any other
_TERA = 1e13  # FLOP/s of matrices, from which on the figure counts in TFLOP/s


def utilisation(fraction: float) -> str:
    """Writes a share of a ceiling, which what lies in a processor's own cache may exceed."""
    return percent(fraction) if fraction < 1 else f"{digits(100 * fraction)}{THIN}%"


def pass_name(point: RoofPoint) -> str:
    """Names a pass: prefill of 256, decode of a batch of 4."""
    if point.phase == "prefill":
        return f"prefill of {count(point.n_input)}"
    return f"decode, batch {point.n_batch}{'' if _is_plain(point) else f', {_QUICK}'}"


def _short_name(point: RoofPoint, first: RoofPoint) -> str:
    """Names a pass beside others of its phase; of prefills the first has its whole name."""
    if point.phase == "decode":
        many = "one token" if point.n_batch == 1 else f"batch {point.n_batch}"
        return many if _is_plain(point) else f"{many}, {_QUICK}"
    name = pass_name(point)
    return name if point is first else name.removeprefix("prefill of ")


def _is_plain(point: RoofPoint) -> bool:
    return _PLAIN in point.engine


def used_by_a_token(roofline: Roofline) -> float | None:
    """Returns the share of the matrix rate that one token alone reaches, by the quickest engine."""
    alone = [p for p in roofline.points if p.phase == "decode" and p.n_batch == 1]
    return max((point.mfu(roofline.ceilings) for point in alone), default=None)


def roofline_figure(roofline: Roofline, *, is_covered: bool = False) -> Chart:
    """Draws the ceilings that were measured, and each kind of pass below them.

    Args:
        roofline: All of one run.
        is_covered: Whether the passes are left out, until a reader has said where one lies.
    """
    top, points = roofline.ceilings, roofline.points
    x_title = "arithmetic intensity: FLOPs for each byte read"
    unit, power = _unit(top)
    figure = new_figure(HEIGHT, x_title, unit)
    intensities = [top.ridge, *(point.intensity for point in points)]
    left, right = min(*intensities, 0.5) / 5, max(intensities) * 4
    _roofs(figure, top, left, right)
    for phase in () if is_covered else PHASE_ROLES:
        _points(figure, [p for p in points if p.phase == phase], phase)
    low = min([p.flops_per_second for p in points] or [top.matmul / 1000])
    figure.update_xaxes(
        type="log", range=[math.log10(left), math.log10(right)], dtick=1, showgrid=True
    )
    figure.update_yaxes(
        type="log",
        range=[math.log10(low / 3), math.log10(top.matmul * 2.6)],
        tickvals=[10.0**n for n in range(6, 17)],
        ticktext=[f"{10.0 ** (n - power):,g}".replace(",", " ") for n in range(6, 17)],
        rangemode="normal",
    )
    caption = (
        f"Measured on {roofline.machine.where}, {roofline.machine.model}, all in one run. Roofs "
        f"are the best of {top.n_runs}, a copy of {size(top.buffer_bytes)}; points are medians, "
        "each weight and cached number read once."
    )
    return Chart(figure, "Roofline of this device", caption)


def _unit(top: Ceilings) -> tuple[str, int]:
    """Returns the unit of the rates, larger for a GPU's, and its power of ten."""
    return ("TFLOP/s", 12) if top.matmul >= _TERA else ("GFLOP/s", 9)


def _peak_words(top: Ceilings) -> str:
    """Writes the most arithmetic a second that was measured."""
    unit, power = _unit(top)
    return f"{digits(top.matmul / 10**power)} {unit}"


def _roofs(figure: Figure, top: Ceilings, left: float, right: float) -> None:
    """Draws the slope of both bandwidths, the flat matrix rate, and the ridge."""
    ink, muted = colour("ink"), colour("muted")
    copies, reads = (f"{digits(rate / 1e9)} GB/s" for rate in (top.copy, top.read))
    x, y = [left, top.ridge, right], [left * top.copy, top.matmul, top.matmul]
    add_line(figure, f"copies {copies}, matrices {_peak_words(top)}", x, y, ink, width=3)
    x, y = [left, top.matmul / top.read], [left * top.read, top.matmul]
    add_line(figure, f"reads {reads}", x, y, muted, width=2, dash="dash")
    place: Style = {"yanchor": "bottom", "yshift": 4}
    ridge = f"ridge: {digits(top.ridge)} FLOPs a byte"
    write_at(figure, math.log10(top.ridge), math.log10(top.matmul), ridge, **place)
    foot: Style = {"xref": "paper", "yref": "paper", "yanchor": "bottom"}
    write_at(figure, 0.01, 0, "memory is the limit", xanchor="left", **foot)
    write_at(figure, 0.99, 0, "arithmetic is the limit", xanchor="right", **foot)


def _points(figure: Figure, points: Sequence[RoofPoint], phase: str) -> None:
    if not points:
        return
    tone, symbol = colour(PHASE_ROLES[phase]), SYMBOLS[phase]
    symbols = [symbol if _is_plain(p) else f"{symbol}-open" for p in points]
    marker: Style = {"size": 14, "color": tone, "symbol": symbols}
    marker["line"] = {"width": 2, "color": tone}
    # below the roof, and where the neighbours’ are not
    place = "middle right" if phase == "prefill" else "bottom center"
    places = [place if _is_plain(p) else "bottom right" for p in points]
    names: Style = {
        "mode": "markers+text",
        "text": [f" {_short_name(point, points[0])} " for point in points],
        "textposition": places,
        "textfont": {"size": 13, "color": colour("ink")},
        "cliponaxis": False,
        "customdata": [[duration(p.seconds.median), size(p.n_bytes)] for p in points],
    }
    hover = (
        "%{text}: %{customdata[0]} a pass, %{customdata[1]} read"
        "<br>%{x:.3g} FLOPs a byte, %{y:.3s}FLOP/s"
    )
    x, y = [point.intensity for point in points], [point.flops_per_second for point in points]
    add_points(figure, phase, x, y, marker, hover, **names)


def floors_figure(roofline: Roofline) -> Chart:
    """Draws, for each kind of pass, what its three floors explain of the time that it took."""
    points = roofline.points
    figure = new_figure(120 + 42 * len(points), "share of the pass’s time")
    rows = [pass_name(point) for point in points]
    for phase, role in PHASE_ROLES.items():
        chosen = [row for row, point in zip(rows, points, strict=True) if point.phase == phase]
        edge = {"color": colour(role), "width": 1}
        look: Style = {"width": 0.5, "marker": {"color": colour(f"{role}-tint"), "line": edge}}
        add_bars(figure, f"{phase}, as measured", chosen, [1.0] * len(chosen), **look)
    for bound in WORDS:
        _add_floor(figure, bound, roofline)
    figure.update_layout(barmode="overlay")
    figure.update_xaxes(
        range=[0, 1.15], tickvals=[0, 0.25, 0.5, 0.75, 1], ticktext=["0", "¼", "½", "¾", "1"]
    )
    name_rows(figure, rows)
    caption = (
        "Derived from the ceilings and the measured times: bytes ÷ the larger of both bandwidths, "
        "FLOPs ÷ matrix rate, and the quickest step of the same layers with almost no width. The "
        "highest floor is the bound, drawn large; what is left to the right of it no ceiling "
        "explains. A floor that the pass itself undercut is not drawn."
    )
    return Chart(figure, "Three floors under each pass", caption)


def _add_floor(figure: Figure, bound: BoundBy, roofline: Roofline) -> None:
    """Marks how much of each pass's time one floor explains; large where it is the highest."""
    top, points, ink = roofline.ceilings, roofline.points, colour("ink")
    floors = [(point.floors(top).get(bound), point.seconds.median) for point in points]
    is_highest = [point.bound(top) == bound for point in points]
    hollow = "" if bound == "overhead" else "-open"
    marker: Style = {
        "symbol": [f"{FLOOR_SYMBOLS[bound]}{'' if high else hollow}" for high in is_highest],
        "size": [15 if high else 10 for high in is_highest],
        "color": ink,
        "line": {"width": 2.5, "color": ink},
        "opacity": 1,
    }
    shares = [None if x is None else min(x / took, 1.0) for x, took in floors]
    rows = list(map(pass_name, points))
    words = [part_words(*both) for both in floors]
    add_points(figure, f"{WORDS[bound]} alone", shares, rows, marker, "%{y}: %{text}", text=words)


def verdict(roofline: Roofline) -> str:
    """Says in words what binds each phase on this device, a line for each."""
    prefills = [p for p in roofline.points if p.phase == "prefill"]
    decodes = [p for p in roofline.points if p.phase == "decode"]
    chosen = [max(prefills, key=lambda p: p.n_input)] if prefills else []
    # by each engine: the quicker one shows what is left once launching costs less
    alone = [p for p in decodes if p.n_batch == min(p.n_batch for p in decodes)]
    chosen += sorted(alone, key=lambda p: not _is_plain(p))
    return "\n".join(f"- {_sentence(point, roofline.ceilings)}" for point in chosen)


def caveats(roofline: Roofline) -> str:
    """Says what may make the figures of a roofline other than they seem; empty where nothing."""
    busy = busy_words(roofline.points, roofline.ceilings.spread)
    weights = [p.weight_bytes for p in roofline.points if p.weight_bytes < _IN_CACHE]
    cached = (
        f"These weights, {size(weights[0])}, may lie in the processor’s own cache, which is "
        "quicker than the copy that MBU is held against."
        if weights
        else ""
    )
    return " ".join(filter(None, (cached, busy)))


def busy_words(points: Sequence[RoofPoint], spread: float = 0.0) -> str:
    """Says so where the runs of one pass lie far apart, or those of the ceilings above them.

    `spread` is how much longer a ceiling's middle run took than its best.
    """
    slower = [point.seconds.median / point.seconds.low for point in points]
    far = (("", median(slower or [1.0])), (" of the ceilings", 1 + spread))
    told = [
        f"Middle runs{whose} took {digits(times, 2)} times as long as the quickest"
        for whose, times in far
        if times >= _BUSY
    ]
    if not told:
        return ""
    return (
        f"{'. '.join(told)}: the machine was busy with something else, so measure again when it is "
        "not."
    )


def part_words(floor: float | None, took: float) -> str:
    """Writes what one ceiling alone asks of a pass, as a part of what it took."""
    part = "–" if floor is None else duration(min(floor, took))
    return f"{part} of {duration(took)}"


def _sentence(point: RoofPoint, top: Ceilings) -> str:
    bound, took = point.bound(top), point.seconds.median
    if bound is None:
        return (
            f"{pass_name(point).capitalize()}: it took {duration(took)}, less than each ceiling "
            "asks for. The machine was busier while they were measured: measure again."
        )
    floor = point.floors(top)[bound]
    told = f"**{bound}-bound**"
    if floor < _EXPLAINED * took:
        told = f"none of the three bounds explains it; the nearest is {bound}"
    return (
        f"{pass_name(point).capitalize()}: {told}. {WORDS[bound].capitalize()} alone: "
        f"{part_words(floor, took)} (MBU {utilisation(point.mbu(top))}, MFU "
        f"{utilisation(point.mfu(top))})."
    )


def roofline_table(roofline: Roofline) -> Table:
    """Writes one row per kind of pass."""
    top = roofline.ceilings
    return [
        {
            "pass": pass_name(point),
            "median": duration(point.seconds.median),
            "spread": f"{duration(point.seconds.low)} to {duration(point.seconds.high)}",
            "arithmetic": f"{digits(point.flops / 1e9)} GFLOP",
            "read": size(point.n_bytes),
            "FLOPs a byte": digits(point.intensity),
            "MBU": utilisation(point.mbu(top)),
            "MFU": utilisation(point.mfu(top)),
            "highest floor": point.bound(top) or "–",
        }
        for point in roofline.points
    ]
