"""How much of a device's arithmetic each kind of pass uses: a bar for each, full at the peak."""

from markupsafe import Markup

from model.prefill_decode.records import Roofline, RoofPoint
from viz.format import THIN, count, digits
from viz.palette import colour
from viz.prefill_decode.phase_charts import PHASE_ROLES
from viz.prefill_decode.roofline_chart import utilisation
from viz.strip import element

_HEAD = "display:flex;justify-content:space-between;align-items:baseline;gap:1rem;margin-top:.7rem"
_AXIS = f"margin-top:.2rem;text-align:end;color:{colour('muted')};font-size:var(--size-small)"
_TRACK = (
    "height:2rem;line-height:1.8rem;text-align:center;border-radius:4px;overflow:hidden;"
    "forced-color-adjust:none;"
)


def passes_by_use(run: Roofline) -> list[tuple[str, RoofPoint]]:
    """Returns one token, the largest batch and the longest prompt, each by its quickest engine."""
    decodes = [point for point in run.points if point.phase == "decode"]
    alone = [point for point in decodes if point.n_batch == 1]
    many = [point for point in decodes if point.n_batch > 1]
    prompts = [point for point in run.points if point.phase == "prefill"]
    found = list[tuple[str, RoofPoint]]()
    if alone:
        found.append(("one token written", max(alone, key=lambda p: p.flops_per_second)))
    if many:
        batch = max(many, key=lambda p: (p.n_batch, p.flops_per_second))
        found.append((f"{count(batch.n_batch)} texts at once, one token each", batch))
    if prompts:
        prompt = max(prompts, key=lambda p: (p.n_input, p.flops_per_second))
        found.append((f"a prompt of {count(prompt.n_input)} tokens read", prompt))
    return found


def used_bars(run: Roofline, *, is_covered: bool = False) -> Markup:
    """Draws the share of the matrix rate that each pass reaches.

    Args:
        run: All of one run.
        is_covered: Whether the shares are left out, until a reader has said how much a token uses.
    """
    rows = [
        _row(name, point, point.mfu(run.ceilings), is_covered) for name, point in passes_by_use(run)
    ]
    ends = (f"0{THIN}%", f"100{THIN}%: all it can compute")
    axis = element("small", *(element("span", it) for it in ends), style=f"{_HEAD};{_AXIS}")
    return element("figure", *rows, axis, style=f"margin:0;color:{colour('ink')}")


def used_words(run: Roofline) -> str:
    """Says where the passes ran, and what a full bar is."""
    peak = run.ceilings.matmul
    many = f"{digits(peak / 1e12)} trillion" if peak >= 1e12 else f"{digits(peak / 1e9)} billion"
    where = f"Measured on {run.machine.where}, {run.machine.model}."
    return f"{where} 100{THIN}% are {many} operations a second."


def _row(name: str, point: RoofPoint, share: float, is_covered: bool) -> Markup:
    tone = colour(PHASE_ROLES[point.phase])
    ground = f"background:{colour('raised')};border:1.5px solid {colour('line')}"
    fill = f"display:block;height:100%;min-width:3px;width:{100 * min(share, 1):.2f}%"
    number = element(
        "b",
        "\u00a0" if is_covered else utilisation(share),
        style="font-size:var(--size-row);line-height:1.2",
    )
    return Markup("").join(
        (
            element("div", element("span", name), number, style=_HEAD),
            element(
                "div",
                "?" if is_covered else element("i", style=f"{fill};background:{tone}"),
                style=f"{_TRACK}{ground}{';border-style:dashed' * is_covered}",
            ),
        )
    )
