"""A text whose gaps are filled by an encoder-decoder, and the model's two caches side by side.

Left is cross-attention's, a column for each token that the encoder read; right the decoder's own, a
column for each of its steps. The shade of a cell is the size of that key, measured.
"""

from collections.abc import Sequence
from typing import Any

from markupsafe import Markup

from model.encoder_decoder.records import Segment, TwoCaches
from viz.chart import Chart, add_line, new_figure
from viz.encoder_decoder.machines import gap_number
from viz.format import duration, plural, size, size_ticks
from viz.labels import name_lines
from viz.palette import colour
from viz.state_map import add_map, add_strip, layer_axis, single_columns, slots_for, token_axis
from viz.strip import element

AFTER = "The words after the gap: the encoder has read them before anything is written there."
EMPTY = "\u00a0" * 3  # a gap that has been begun


def gap_text_html(segments: Sequence[Segment], *, is_over: bool = True) -> Markup:
    """Writes what is given and the gaps between as boxes.

    While it is written, a line runs from the gap that is filled now to the end, below the words
    after it: it is filled with a knowledge of them.
    """
    style = (
        f"font-size:var(--size-row);line-height:1.7;max-width:60ch;color:{colour('ink')};"
        "overflow-wrap:anywhere;white-space:pre-wrap"
    )
    parts = [_part(one) for one in segments]
    gaps = [i for i, one in enumerate(segments) if one.kind != "given"]
    written = [i for i in gaps if segments[i].kind == "written"]
    if is_over or not gaps:
        return element("div", *parts, style=style)
    now = written[-1] if written else gaps[0]
    line = f"border-bottom:4px solid {colour('generated')};padding-bottom:.1em"
    after = element("span", *parts[now + 1 :], style=line, title=AFTER)
    return element("div", *parts[: now + 1], after, style=style)


def _part(one: Segment) -> Markup:
    if one.kind == "given":
        return Markup.escape(one.text)
    look = f"background:{colour('generated-tint')};border:1.5px solid "
    look += colour("generated")
    if one.kind == "open":
        look = f"border:1.5px dashed {colour('rejected')};color:{colour('muted')}"
    # the space before a gap stands before its box, also where the box is still empty
    words = one.text.lstrip(" ")
    lead = "" if words and words == one.text else " "
    style = f"{look};border-radius:5px;padding:.05em .3em;box-decoration-break:clone"
    return Markup(lead) + element("span", words or EMPTY, style=style)


def caches_figure(caches: TwoCaches) -> Chart:
    """Draws the keys of both caches: one row for each head of each layer, one column a token."""
    figure = new_figure(330)
    n_written, n_source = caches.own.shape[2], caches.cross.shape[2]
    n_slots = slots_for(n_written)
    share = min(max(n_source / (n_source + n_slots), 0.25), 0.72)
    ends = (share - 0.02, share + 0.02)
    n_layers, n_heads, _ = caches.cross.shape
    source, written = map(_named, (caches.source_labels, caches.written_labels))
    add_map(figure, caches.cross, "keys", source, "one key")
    add_map(figure, caches.own, "keys", written, "one key", axes=("x2", "y2"))
    # who laid each column: the encoder all of them at once, the decoder one a step
    once = f"encoder: {plural(n_source, 'column')}, once"
    add_strip(figure, [(0, n_source)], once, colour("prompt"), ("x", "y3"))
    steps = single_columns(0, n_written)
    add_strip(figure, steps, "decoder: one a step", colour("generated"), ("x2", "y4"))
    rows = {"domain": [0, 0.9]}
    figure.update_layout(
        barmode="overlay",
        plot_bgcolor=colour("raised"),
        xaxis=token_axis(source, n_source) | {"domain": [0, ends[0]]},
        xaxis2=token_axis(written, n_slots) | {"domain": [ends[1], 1]},
        yaxis=layer_axis(n_layers, n_heads, "layers of the decoder") | rows,
        yaxis2=layer_axis(n_layers, n_heads, "") | rows | {"anchor": "x2", "showticklabels": False},
        yaxis3={"domain": [0.93, 1], "visible": False, "range": [0, 1]},
        yaxis4={"domain": [0.93, 1], "visible": False, "range": [0, 1], "anchor": "x2"},
    )
    return Chart(figure, "Two caches", _caption(caches))


def _named(labels: Sequence[str]) -> list[str]:
    """Names what stands for a gap by its number."""
    return [f"gap {number}" if (number := gap_number(label)) else label for label in labels]


def _caption(caches: TwoCaches) -> str:
    n_layers, n_heads, n_source = caches.cross.shape
    times = "once" if caches.n_encoder_passes == 1 else f"{caches.n_encoder_passes} times"
    moved = "not by a bit" if caches.drift == 0 else f"by up to {caches.drift:.1e}"
    return (
        f"Measured: keys of {plural(n_layers, 'layer')} × {plural(n_heads, 'head')}. Left, what "
        f"the decoder looks up in the input: {plural(n_source, 'column')}, laid in its first step. "
        f"Right, its own: {plural(caches.own.shape[2], 'column')} so far, one a step. Since the "
        f"first step, the encoder’s states and the left cache have changed {moved}; the encoder "
        f"ran {times}, for {duration(caches.encoder_seconds)}."
    )


def bytes_figure(caches: TwoCaches) -> Chart:
    """Draws the bytes of both caches after every step."""
    n_steps = len(caches.own_bytes) - 1
    figure = new_figure(270, "decoder steps")
    sizes = (
        ("cross-attention: the input", "prompt", caches.cross_bytes, "dash"),
        ("self-attention: the answer", "generated", caches.own_bytes, "solid"),
    )
    for name, role, n_bytes, dash in sizes:
        words = [size(one) for one in n_bytes]
        look: dict[str, Any] = {"dash": dash, "shape": "hv", "text": words}
        tone, hover = colour(role), "step %{x}: %{text}"
        add_line(figure, name, range(n_steps + 1), n_bytes, tone, hover=hover, **look)
    ticks, labels = size_ticks(max(*caches.cross_bytes, *caches.own_bytes))
    figure.update_xaxes(range=[0, max(n_steps, 8) + 0.4])
    figure.update_yaxes(tickvals=ticks, ticktext=labels, range=[0, 1.08 * max(ticks)])
    name_lines(figure)
    caption = (
        f"Measured in the tensors: after {plural(n_steps, 'step')} the input’s cache is "
        f"{size(caches.cross_bytes[-1])}, as after the first; the answer’s is "
        f"{size(caches.own_bytes[-1])}, {size(caches.own_bytes[-1] // n_steps)} for each step."
    )
    return Chart(figure, "Bytes of both caches", caption)
