"""Figures of the sampling lab: how alike masks are, how texts vote, where one loops."""

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from markupsafe import Markup

from viz.bars import MAX_LABEL
from viz.chart import Chart, Table, add_bars, add_cells, new_figure
from viz.figure import Figure, Style
from viz.format import count, nats, plural
from viz.labels import UPRIGHT, place_rows, plain
from viz.palette import colour, sheer
from viz.strip import COVERED, chip, element, paragraph


def overlap_figure(names: Sequence[str], overlaps: npt.NDArray[np.floating]) -> Chart:
    """Draws, (n, n), the tokens that both masks keep, divided by those that either keeps."""
    texts = [[f"{value:.2f}" for value in row] for row in overlaps]
    figure = _matrix(names, overlaps, texts, "kept")
    pairs = [(i, j) for i in range(len(names)) for j in range(i)]
    least = min(pairs, key=lambda pair: overlaps[pair])
    caption = (
        "Derived: tokens that both masks keep, divided by those that either keeps (Jaccard); 1 is "
        f"the same set. Least alike: {names[least[1]]} and {names[least[0]]}, "
        f"{overlaps[least]:.2g}."
    )
    return Chart(figure, "Overlap between masks", caption)


def divergence_figure(names: Sequence[str], divergences: npt.NDArray[np.floating]) -> Chart:
    """Draws KL(row || column), (n, n) nats, between what the masks leave to draw from."""
    texts = [["∞" if math.isinf(value) else f"{value:.2f}" for value in row] for row in divergences]
    finite = np.where(np.isfinite(divergences), divergences, np.nan)
    figure = _matrix(names, finite, texts, "surprise")
    caption = (
        "Derived: KL(row ‖ column), how much more a draw of the row surprises someone who expects "
        "the column. ∞: the column cuts a token that the row can draw, so its surprise has no "
        f"bound. Largest that is finite: {nats(float(np.nanmax(finite)))}."
    )
    return Chart(figure, "KL divergence between masks", caption)


def _matrix(
    names: Sequence[str], values: npt.NDArray[np.floating], texts: list[list[str]], role: str
) -> Figure:
    figure = new_figure()
    look: Style = {"x": list(names), "y": list(names), "xgap": 2, "ygap": 2}
    look |= {"text": texts, "texttemplate": "%{text}", "zmin": None, "zmax": None}
    look["textfont"] = {"size": 12, "color": colour("ink")}
    tones = ("rgba(0,0,0,0)", sheer(colour(role)))
    add_cells(figure, values, tones, "%{y}, %{x}: %{text}", **look)
    figure.update_xaxes(side="top", autotickangles=UPRIGHT, ticks="")
    figure.update_yaxes(autorange="reversed", showgrid=False, rangemode="normal")
    figure.update_layout(height=120 + 27 * len(names))
    return figure


def temperature_figure(
    names: Sequence[str], temperatures: Sequence[float], kept: npt.NDArray[np.integer]
) -> Chart:
    """Draws, (masks, temperatures), how many tokens each mask keeps behind each temperature."""
    figure = new_figure()
    look: Style = {"x": [f"T = {value:g}" for value in temperatures], "y": list(names)}
    look |= {"text": [[count(n) for n in row] for row in kept.tolist()]}
    look |= {"texttemplate": "%{text}", "zmin": None, "zmax": None, "xgap": 2, "ygap": 2}
    look["textfont"] = {"size": 12, "color": colour("ink")}
    tones = ("rgba(0,0,0,0)", sheer(colour("kept")))
    add_cells(figure, np.log(kept), tones, "%{y}, %{x}: keeps %{text}", **look)
    figure.update_xaxes(side="top", ticks="")
    figure.update_yaxes(autorange="reversed", showgrid=False, rangemode="normal")
    figure.update_layout(height=70 + 27 * len(names))
    caption = "Derived: tokens kept of this distribution, the temperature before the mask."
    return Chart(figure, "Tokens kept at each temperature", caption)


def votes_figure(answers: Sequence[str], cold: Sequence[int], warm: Sequence[int]) -> Chart:
    """Draws the votes for each answer, most votes first, at T = 0 (cold) and at T = 0.7."""
    figure = new_figure()
    for votes, name, role in ((cold, "at T = 0", "muted"), (warm, "at T = 0.7", "generated")):
        most = max(votes)
        numbers = [f"{n} {name}" if n == most > 0 else str(n) if n else "" for n in votes]
        tone = {"color": colour(role)}
        add_bars(figure, name, range(len(votes)), votes, numbers, marker=tone, width=0.36)
    top = max([*cold, *warm, 1])
    figure.update_xaxes(title_text="votes", range=[0, 1.4 * top])
    place_rows(figure, [plain(answer, MAX_LABEL) for answer in answers])
    height = max(160, 70 + 46 * len(answers))
    figure.update_layout(barmode="group", height=height, showlegend=False)
    caption = "Measured: the first word of each continuation is its answer, the commonest shown."
    return Chart(figure, f"MajorityVote for {', '.join(answers)}", caption)


def table_html(rows: Table, *, height: int = 0) -> Markup:
    """Writes a table as such: texts in it can be read whole, and selected.

    Args:
        rows: What it holds.
        height: In pixels, above which it scrolls; 0 is any.
    """
    line = (
        f"border-bottom:1px solid {colour('line')};padding:.2rem .6rem .2rem 0;"
        "text-align:left;vertical-align:top"
    )
    top = f"{line};position:sticky;top:0;background:{colour('paper')}"
    head = element("tr", *(element("th", name, scope="col", style=top) for name in rows[0]))
    body = (
        element("tr", *(element("td", Markup.escape(cell), style=line) for cell in row.values()))
        for row in rows
    )
    look = "border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums"
    table = element("table", element("thead", head), element("tbody", *body), style=look)
    limit = f"max-height:{height}px;" if height else ""
    return element("div", table, style=f"{limit}overflow:auto")  # a phone is narrower than it


def answers_html(name: str, answers: Sequence[str], *, is_covered: bool = False) -> Markup:
    """Writes the answer of each sample as a box: filled is the commonest, if there are several.

    Args:
        name: Of the samples.
        answers: Of each of them.
        is_covered: Whether they are still asked for: then they are empty boxes.
    """
    ((winner, n_votes),) = Counter(answers).most_common(1)
    # one line each, so that the boxes are as high as before
    look = "font:var(--size-body)/2 var(--read);text-align:center;padding-inline:0"
    look += ";white-space:nowrap;overflow:hidden;text-overflow:ellipsis"
    side = "display:grid;gap:5px;grid-template-columns:repeat(auto-fill,minmax(max(3.9em,9%),1fr))"
    boxes = [
        chip("\u00a0", "muted", "open", style=look)
        if is_covered
        else chip(answer, "kept", "filled" if answer == winner else "open", style=look)
        for answer in answers
    ]
    found = f": {plural(len(set(answers)), 'answer')}"
    if n_votes < len(answers):
        found += f", {winner} {n_votes} of {len(answers)} times"
    told = "" if is_covered else found
    return element("div", element("b", f"{name}{told}"), element("div", *boxes, style=side))


_READ = "font:var(--size-lead)/1.45 var(--read)"  # what a model wrote


def loop_html(
    before: str,
    repeated: str,
    changed: Sequence[tuple[int, int]] = (),
    *,
    is_covered: bool = False,
) -> Markup:
    """Writes a text with its repeating end, if any, marked; empty lines are left out.

    Args:
        before: The text until it repeats itself.
        repeated: Its end.
        changed: The parts of `before` that a penalty put in the place of something likelier.
        is_covered: Whether it is still asked for: as long as it is, and not to be read.
    """
    look = (
        f"background:{colour('error-tint')};color:inherit;"
        f"text-decoration:underline {colour('error')};text-underline-offset:.2em"
    )
    if is_covered:
        words = _without_empty_lines(before + repeated)
        covered = element("span", words, style=COVERED, aria_hidden="true")
        return element("div", paragraph(covered), class_="loop-text", style=_READ)
    parts, at = [], 0
    put = (
        f"background:{colour('stage-tint')};color:inherit;border-bottom:2px solid {colour('stage')}"
    )
    for start, end in changed:
        lead = len(before[start:end]) - len(before[start:end].lstrip())
        words = before[start + lead : end]
        parts += [_without_empty_lines(before[at : start + lead])]
        parts += [element("mark", words, style=put)] if words else []
        at = end
    parts.append(_without_empty_lines(before[at:]))
    if repeated:
        parts.append(element("mark", _without_empty_lines(repeated), style=look))
    return element("div", paragraph(*parts), class_="loop-text", style=_READ)


def _without_empty_lines(text: str) -> str:
    return re.sub(r"\n\s*\n", "\n", text)
