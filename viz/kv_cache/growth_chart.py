"""How the key-value cache grows: one block at prefill, then one column for every decoded token.

The columns are the bytes in use that were measured after each pass. The dashed line is derived:
bytes per token times tokens. Where every position is kept, as it is in all caches that can be
cropped, the two agree to the byte, and the caption says whether they do.
"""

from __future__ import annotations

from collections.abc import Sequence

import plotly.graph_objects as go

from model.records import CacheShape, Pass
from viz.chart import AnyPass, Chart, add_columns, empty_chart, new_figure
from viz.format import THIN, count, plural, round_steps, size, size_ticks
from viz.kv_cache.bytes_chart import formula, window_note
from viz.palette import Theme, colour

NOTHING_YET = "The cache is empty: no pass has run yet."


def cache_figure(
    passes: Sequence[AnyPass],
    shape: CacheShape,
    theme: Theme = "light",
    bytes_held: int | None = None,
) -> Chart:
    """Draws bytes in use after each pass against the tokens read, and the line of the formula.

    Args:
        passes: Steps, or passes, in the order of the text.
        shape: What the model's cache is made of.
        theme: Light or dark.
        bytes_held: Storage allocated now; drawn where it differs from what is in use. By default
            the last pass's, if it is a `Pass`.
    """
    if not passes:
        return empty_chart(theme, NOTHING_YET)
    last = passes[-1]
    if bytes_held is None and isinstance(last, Pass):
        bytes_held = last.bytes_held
    if bytes_held == last.cache_bytes:
        bytes_held = None
    spans = _spans(passes)
    figure = new_figure(theme)
    names = {
        "prefill": f"prefill: {plural(passes[0].n_input, 'token')} in one pass",
        "decode": "decode: one token a pass",
    }
    add_columns(figure, passes, spans, [run.cache_bytes for run in passes], names, theme)

    # the straight line of the formula, as far as it holds
    end = spans[-1][1]
    straight = min(end, shape.sliding_window or end) if _is_cut(last, shape) else end
    derived = straight * shape.bytes_per_token
    rate = f"{count(shape.bytes_per_token)}{THIN}B × tokens (derived)"
    if derived:
        _add_line(figure, (0, straight), (0, derived), rate, colour("ink", theme), "dash")
    if bytes_held is not None:
        held = f"held in memory: {size(bytes_held)}"
        _add_line(figure, (0, end), (bytes_held,) * 2, held, colour("muted", theme), "dot")

    ticks, labels = size_ticks(max(derived, bytes_held or 0, *(run.cache_bytes for run in passes)))
    figure.update_xaxes(title_text="tokens read", range=[0, end], tickvals=round_steps(end, 8))
    figure.update_yaxes(title_text="cache in use", tickvals=ticks, ticktext=labels)
    figure.update_yaxes(range=[0, 1.06 * ticks[-1] or 1.0])
    caption = _caption(last, shape, bytes_held)
    n_passes = plural(len(passes), "pass", "es")
    line = ", with the dashed line of the formula" if derived else ""
    alt = f"The cache after each of {n_passes}{line}. {caption}"
    return Chart(figure, caption, alt)


def _add_line(
    figure: go.Figure,
    x: tuple[int, int],
    y: tuple[int, int],
    name: str,
    tone: str,
    dash: str,
) -> None:
    line = {"color": tone, "width": 1.5, "dash": dash}
    figure.add_scatter(x=x, y=y, mode="lines", line=line, name=name, hoverinfo="skip")


def _spans(passes: Sequence[AnyPass]) -> list[tuple[int, int]]:
    """Gives each pass the tokens that it added: the prefill's block, then one each.

    A pass that filled the cache again read the whole text; it added what was not there before.
    """
    start = passes[0].cache_tokens - passes[0].n_input if passes[0].phase == "decode" else 0
    spans: list[tuple[int, int]] = []
    for run in passes:
        end = run.n_input if run.phase == "prefill" else start + run.n_input
        spans.append((start, max(end, start + 1)))
        start = spans[-1][1]
    return spans


def _is_cut(last: AnyPass, shape: CacheShape) -> bool:
    """Tells whether sliding layers let positions go: not so where the cache can be cropped."""
    whole = last.cache_tokens * shape.bytes_per_token
    return shape.sliding_window is not None and last.cache_bytes < whole


def _caption(last: AnyPass, shape: CacheShape, bytes_held: int | None) -> str:
    if shape.bytes_per_token == 0:
        return _caption_without_keys(last)
    derived = shape.bytes_per_token * last.cache_tokens
    note = ""
    if last.cache_bytes == derived:
        verdict = "formula and tensors agree to the byte"
        note = window_note(shape)
    elif _is_cut(last, shape):
        verdict = (
            f"sliding layers keep {plural(shape.sliding_window or 0, 'position')}, so the formula "
            f"for whole layers would give {size(derived)}"
        )
    else:
        verdict = f"the formula gives {count(derived)}{THIN}B, which is not what the tensors hold"
    held = ""
    if bytes_held is not None:
        held = f" Held, with the room for tokens to come: {count(bytes_held)}{THIN}B."
    return (
        f"Measured: {plural(last.cache_tokens, 'token')} in the cache, "
        f"{count(last.cache_bytes)}{THIN}B in use. "
        f"Derived: {formula(shape)}; {verdict}.{note}{held}"
    )


def _caption_without_keys(last: AnyPass) -> str:
    """Says what a model without keys and values keeps: a state, or nothing at all."""
    if last.cache_bytes == 0:
        return (
            f"Measured: 0{THIN}B in use. This model keeps no cache: each pass reads the whole text "
            "again."
        )
    return (
        f"Measured: {plural(last.cache_tokens, 'token')} read, "
        f"{count(last.cache_bytes)}{THIN}B in use. This model keeps no keys and values, but a "
        "state that sums up what it has read: a token more does not make it larger."
    )
