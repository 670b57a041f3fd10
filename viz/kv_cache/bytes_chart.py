"""The bytes of one text's cache: counted in the tensors, by the formula, and with all heads kept.

Keys and values are two hues; what is derived is hatched; what is held is grey.
"""

from collections.abc import Sequence

from model.kv_cache.records import CacheMoment
from model.records import CacheShape
from viz.chart import Chart, add_bars, new_figure, write_at
from viz.figure import Figure, Style
from viz.format import THIN, count, digits, plural, size, size_ticks
from viz.labels import name_rows
from viz.palette import colour, sheer

ROW_HEIGHT = 46  # pixels
BEHIND: Style = {"xanchor": "left", "xshift": 4, "align": "left"}  # a bar: its number


def formula(shape: CacheShape) -> str:
    """Writes out what one token costs: as a product where it is one."""
    each = f"{count(shape.bytes_per_token)}{THIN}B a token"
    layers = plural(shape.n_layers, "layer")
    width = f"{count(shape.bytes_per_number)}{THIN}B"
    if shape.is_plain:
        return (
            f"2 for keys and values × {layers} × {plural(shape.n_kv_heads, 'KV head')} × "
            f"{count(shape.head_dim)} numbers × {width} = {each}"
        )
    if shape.is_latent:
        numbers = f"{count(shape.head_dim)} numbers for keys and values together"
        return f"{layers} × {numbers} × {width} = {each}"
    if shape.bytes_per_token == 0:
        return f"{each}, as no keys and values are kept"
    return f"{each}, summed layer by layer"


def window_note(shape: CacheShape) -> str:
    """Says of a cache that agrees with the formula why it does not end with a sliding window."""
    if shape.sliding_window is None:
        return ""
    return (
        f" Layers with a sliding window look back over {plural(shape.sliding_window, 'position')} "
        "only; this cache keeps every position, so that it can be cropped."
    )


def bytes_figure(n_tokens: int, in_use: int, held: int, shape: CacheShape) -> Chart:
    """Draws what the tensors of so many tokens hold beside what the formula says.

    In use are the bytes of those positions, held is the storage behind them.
    """
    derived = n_tokens * shape.bytes_per_token
    rows = [("in the tensors", in_use), ("by the formula", derived), ("held in memory", held)]
    saves = shape.is_plain and shape.n_heads > shape.n_kv_heads
    all_heads = derived * shape.n_heads // max(shape.n_kv_heads, 1)
    if saves:
        rows.append((f"were all {count(shape.n_heads)} heads kept", all_heads))
    figure = new_figure()
    _add_halves(figure, [rows[0][0]], [in_use], width=0.62)
    ink, muted = colour("ink"), colour("muted")
    hatch = {"shape": "/", "fgcolor": ink, "bgcolor": "rgba(0,0,0,0)", "size": 7}
    hatched = {"color": ink, "pattern": hatch, "line": {"color": ink, "width": 1}}
    grey: Style = {"color": sheer(muted)}
    for i, (name, n_bytes) in enumerate(rows[1:]):
        marker = grey if i == 1 else hatched
        add_bars(figure, "", [name], [n_bytes], marker=marker, width=0.62)
    for name, n_bytes in rows:
        write_at(figure, n_bytes, name, f"{count(n_bytes)}{THIN}B", **BEHIND)
    _lay_out(figure, [name for name, _ in rows], max(n_bytes for _, n_bytes in rows))
    caption = _bytes_caption(n_tokens, in_use, derived, shape, all_heads if saves else None)
    return Chart(figure, "Bytes of the cache", caption)


def _bytes_caption(
    n_tokens: int, in_use: int, derived: int, shape: CacheShape, all_heads: int | None
) -> str:
    verdict = "tensors and formula agree to the byte"
    if in_use != derived:
        verdict = f"the tensors hold {count(in_use)}{THIN}B, the formula says {count(derived)}"
    if in_use > derived > 0:
        verdict += "; the rest is the state of layers that keep no keys and values"
    said = f"Measured and derived: {formula(shape)}, × {plural(n_tokens, 'token')}: {verdict}."
    if all_heads is not None:
        said += (
            f" {count(shape.n_heads)} query heads share {count(shape.n_kv_heads)} heads of keys "
            f"and values: {digits(all_heads / derived)} times less than if each kept its own."
        )
    elif shape.is_plain:
        said += " Every query head keeps its own keys and values: no grouping saves any."
    return said + window_note(shape) if in_use == derived else said


def rewind_figure(moments: Sequence[CacheMoment]) -> Chart:
    """Draws bytes in use and bytes held before, during and after a rewind."""
    names = [f"{moment.name}:<br>{plural(moment.n_tokens, 'token')}" for moment in moments]
    figure = new_figure()
    held = [moment.bytes_held for moment in moments]
    grey = {"color": sheer(colour("muted"))}
    add_bars(figure, "held in memory", names, held, marker=grey, width=0.8)
    _add_halves(figure, names, [moment.bytes_in_use for moment in moments], width=0.36)
    for name, moment in zip(names, moments, strict=True):
        said = f"{size(moment.bytes_in_use)} in use<br>{size(moment.bytes_held)} held"
        write_at(figure, moment.bytes_held, name, said, **BEHIND)
    _lay_out(figure, names, max(held), room=1.9)
    freed = moments[0].bytes_held - moments[-1].bytes_held
    caption = (
        "Measured: room is held in whole blocks of positions. A crop only shortens the view, and "
        "what it leaves can be written again. The next pass gives back blocks that are empty: "
        f"here {count(freed)}{THIN}B."
    )
    return Chart(figure, "A rewind in three moments", caption)


def _add_halves(figure: Figure, names: list[str], totals: Sequence[int], width: float) -> None:
    """Draws bytes in use as keys and values, which are as many."""
    halves = [total / 2 for total in totals]
    for role, base in (("keys", None), ("values", halves)):
        look: Style = {"marker": {"color": colour(role)}, "width": width, "base": base}
        add_bars(figure, role, names, halves, **look)


def _lay_out(figure: Figure, names: list[str], top: float, room: float = 1.5) -> None:
    ticks, labels = size_ticks(top)
    shown = [i for i, tick in enumerate(ticks) if tick <= top]
    figure.update_layout(barmode="overlay", height=76 + ROW_HEIGHT * len(names))
    name_rows(figure, names)
    figure.update_xaxes(
        range=[0, room * top or 1],
        tickvals=[ticks[i] for i in shown],
        ticktext=[labels[i] for i in shown],
    )
