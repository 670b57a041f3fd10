"""What an edit moves and what leaks: one column per position, mask on beside mask off.

With the mask is rose-gold, as what a mask lets through; without it is the colour of what went
wrong, as open diamonds. Up to fifty positions are bars, more are a staircase.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from model.causal_mask.records import Edit, Leak, Shift
from viz.bars import share_axis
from viz.chart import (
    Chart,
    add_bars,
    add_columns,
    add_line,
    add_points,
    filled,
    new_figure,
    write_at,
)
from viz.figure import Figure, Style
from viz.format import THIN, count, digits, percent, plural
from viz.labels import in_sentence, place_rows, plain, token_ticks
from viz.palette import colour, sheer

HEIGHT = 340  # pixels
ROOM_FOR_WORDS = 5  # positions before the edit that a few words fit over
MAX_BARS = 50  # an SVG bar is an element of the page: beyond this one path draws a staircase
MAX_NAMES = 64  # tokens that can be named under their columns

Values = npt.NDArray[np.float64]


def edit_figure(edit: Edit) -> Chart:
    """Draws the largest change of any logit at every position, mask on and mask off."""
    figure = new_figure(HEIGHT, y="largest change of a logit")
    hovers = _hovers(edit.changes, edit.labels, "mask on")
    add_heights(figure, edit.changes, hovers, "mask on", "kept")
    if edit.unmasked_changes is not None:
        name, changes = "the same edit, mask off", edit.unmasked_changes
        hovers = _hovers(changes, edit.labels, "mask off")
        add_points(figure, name, range(len(changes)), changes, _open_marker(), hovers)
    _mark(figure, edit)
    if edit.position >= ROOM_FOR_WORDS:
        zero = "exactly 0" if edit.largest_before == 0 else "rounding"
        words, ink = f"<b>mask on: {zero}</b>", {"size": 14, "color": colour("kept-text")}
        write_at(figure, (edit.position - 1) / 2, 0.86, words, yref="paper", font=ink)
    name_positions(figure, edit.labels)
    figure.update_layout(barmode="overlay")
    caption = (
        f"Measured: {in_sentence(edit.old)} replaced by {in_sentence(edit.new)} at position "
        f"{count(edit.position + 1)}. "
        f"{_verdict(edit)}"
    )
    return Chart(figure, "What the edit moved", caption)


def divergence_figure(edit: Edit) -> Chart:
    """Draws how far the distribution at every position moved, mask on."""
    figure = new_figure(HEIGHT, y="KL, nats")
    name = "KL(before ‖ after), mask on"
    add_heights(figure, edit.kl, _hovers(edit.kl, edit.labels, name), name, "surprise")
    _mark(figure, edit)
    name_positions(figure, edit.labels)
    late = len(edit.labels) - 1
    caption = (
        "Measured: how far the distribution at each position moved. At the edited token "
        f"{small_nats(float(edit.kl[edit.position]))}; at the end of the text, "
        f"{plural(late - edit.position, 'token')} later, {small_nats(float(edit.kl[late]))}."
    )
    return Chart(figure, "How far each distribution moved", caption)


def shifts_figure(shifts: Sequence[Shift]) -> Chart:
    """Draws the best next tokens at the end of the text, before the edit and after it."""
    figure = new_figure(max(HEIGHT, 90 + 44 * len(shifts)))
    before, after = [shift.before for shift in shifts], [shift.after for shift in shifts]
    for name, role, values in (
        ("before the edit", "muted", before),
        ("after it", "generated", after),
    ):
        look: Style = {"marker": {"color": colour(role)}, "textfont": {"size": 13}}
        add_bars(figure, name, range(len(shifts)), values, list(map(percent, values)), **look)
    figure.update_xaxes(share_axis("probability"))
    font = {"size": 14, "color": colour("ink")}
    place_rows(figure, [f"<b>{plain(shift.label)}</b>" for shift in shifts], font)
    figure.update_layout(barmode="group", bargap=0.3)
    said = ", ".join(
        f"{in_sentence(shift.label)} {percent(shift.before)} → {percent(shift.after)}"
        for shift in shifts[:2]
    )
    caption = f"Measured, the next token after the whole text: {said}."
    return Chart(figure, "The next token, before and after", caption)


def leak_figure(leak: Leak) -> Chart:
    """Draws the probability of the true next token at every position, mask on and mask off."""
    figure = new_figure(380, "the true next token", "its probability")
    on, off = np.exp(leak.masked), np.exp(leak.unmasked)
    places = np.arange(len(on))
    _add_moves(figure, on, off)
    for values, name, marker in (
        (on, "mask on", {"symbol": "circle", "size": 10, "color": colour("kept")}),
        (off, "mask off: the answer is in sight", _open_marker()),
    ):
        hovers = [f"{plain(leak.labels[i])}, {name}: {percent(values[i])}" for i in places]
        add_points(figure, name, places, values, marker, hovers)
    best = leak.largest
    if off[best] > on[best]:
        words = f"<b>{plain(leak.labels[best])}</b> {percent(on[best])} → {percent(off[best])}"
        side = "left" if best < 3 else "right" if best > len(on) - 4 else "center"
        write_at(figure, best, 1.13, words, 14, xanchor=side)
    name_positions(figure, leak.labels)
    figure.update_yaxes(
        range=[-0.03, 1.2],
        tickvals=[0, 0.25, 0.5, 0.75, 1],
        ticktext=["0", *(f"{part}{THIN}%" for part in (25, 50, 75, 100))],
    )
    caption = (
        f"Measured: the true next token is likelier without the mask at {count(leak.n_gained)} of "
        f"{plural(len(on), 'position')}; most at {in_sentence(leak.labels[best])}, "
        f"{percent(on[best])} with the mask and {percent(off[best])} without."
    )
    return Chart(figure, "The leak", caption)


def _add_moves(figure: Figure, on: Values, off: Values) -> None:
    """Joins what was measured with the mask to what was without: gains thick, falls thin."""
    for is_gain, name, role, width, dash in (
        (True, "the true token gains", "error", 3, "solid"),
        (False, "it falls", "rejected", 1.5, "dot"),
    ):
        chosen = [i for i in range(len(on)) if (off[i] > on[i]) == is_gain]
        x = [x for i in chosen for x in (i, i, None)]
        y = [y for i in chosen for y in (on[i], off[i], None)]
        add_line(figure, name, x, y, colour(role), width=width, dash=dash)


def _verdict(edit: Edit) -> str:
    """Says what moved before the edit, as it was measured."""
    if edit.position == 0:
        return "No position comes before it, so every logit may change."
    largest = edit.largest_before
    size = "exactly 0" if largest == 0 else f"{largest:.1e}"
    said = f"Largest change of any logit before it: {size}"
    said += ", rounding" if 0 < largest < 1e-2 else ""
    unmasked = edit.largest_unmasked_before
    if unmasked is not None:
        said += f"; {digits(unmasked)} without the mask"
    return f"{said}."


def add_heights(
    figure: Figure, values: Values, hovers: Sequence[str], name: str, role: str
) -> None:
    """Draws a column for each position, or one staircase where there are many."""
    tone, places = colour(role), range(len(values))
    if len(values) <= MAX_BARS:
        add_columns(figure, name, places, values, hovers, marker=filled(tone, 1))
        return
    stairs: Style = {"shape": "hvh", "fill": "tozeroy", "fillcolor": sheer(tone)}
    add_line(figure, name, places, values, tone, width=1.5, hover=hovers, **stairs)


def _hovers(values: Values, labels: Sequence[str], name: str) -> list[str]:
    return [
        f"{i + 1}: {plain(label)}<br>{name}: {value:.3g}"
        for i, (label, value) in enumerate(zip(labels, values, strict=True))
    ]


def _open_marker() -> dict[str, Any]:
    """Describes the sign of what was measured without the mask."""
    return {"symbol": "diamond-open", "size": 9, "color": colour("error"), "line": {"width": 2}}


def _mark(figure: Figure, edit: Edit) -> None:
    """Marks the edited token, and what lies before it as what cannot move."""
    tone = colour("stage")
    figure.add_vline(x=edit.position, line={"color": tone, "width": 2, "dash": "dash"})
    look: Style = {
        "yref": "paper",
        "yanchor": "top",
        "xanchor": "left" if edit.position < len(edit.labels) / 2 else "right",
        "bgcolor": colour("stage-tint"),
        "borderpad": 3,
    }
    words = f"{plain(edit.old)} → <b>{plain(edit.new)}</b>"
    write_at(figure, edit.position, 1, words, **look)


def name_positions(figure: Figure, labels: Sequence[str]) -> None:
    """Writes the tokens under their columns, every n-th where there are many."""
    figure.update_xaxes(range=[-0.6, len(labels) - 0.4], **token_ticks(labels, MAX_NAMES))


def small_nats(value: float) -> str:
    """Writes a divergence, however small, as what it is: 3.71, 0.0042, 2e-07 nats."""
    text = digits(value) if value == 0 or value >= 1e-4 else f"{value:.0e}"
    return f"{text}{THIN}nats"
