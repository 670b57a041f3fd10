"""A page of masks that settles into a text: a cell for each place to fill, in the order of reading.

Cells stay where they are, so that a token is seen to appear in its place. What the reader gave
stands around them as text, what the model filled is generated, what is open is empty. After a
leave-one-out check, a token that does not fit the others is marked by its colour and by ≠, which
stands between two neighbours of one pass.
"""

import math
from collections.abc import Sequence
from itertools import groupby
from pathlib import Path

from markupsafe import Markup

from model.diffusion.records import CLASH, Sheet
from viz.format import percent, plural
from viz.labels import START
from viz.strip import SPACE, element, token

STYLE = Path(__file__).with_name("sheet.css").read_text("utf-8")


def beginning_html(sheet: Sheet) -> Markup:
    """Writes the text that is given before the first cell; empty where none is."""
    text = _text(sheet, range(_n_first(sheet)))
    return (
        element("div", element("span", text, class_="given"), class_="sheet") if text else Markup()
    )


def sheet_html(sheet: Sheet, *, is_opened: bool = False) -> Markup:
    """Writes the sheet as a grid of cells, with what is given before and after them.

    Args:
        sheet: The page as it stands.
        is_opened: Whether its beginning stands above it already.
    """
    first = _n_first(sheet) if is_opened else 0
    parts: list[Markup] = []
    for is_given, group in groupby(range(first, len(sheet.labels)), key=sheet.given.__getitem__):
        places = list(group)
        parts += [_given(sheet, places)] if is_given else [_cell(sheet, one) for one in places]
    return element("div", *parts, class_="sheet", role="list", aria_label=sheet_words(sheet))


def _n_first(sheet: Sheet) -> int:
    """Returns how many tokens are given before the first cell."""
    return next((i for i, is_given in enumerate(sheet.given) if not is_given), len(sheet.given))


def _given(sheet: Sheet, places: Sequence[int]) -> Markup:
    return element("span", _text(sheet, places), class_="given", role="listitem")


def _text(sheet: Sheet, places: Sequence[int]) -> str:
    """Returns given tokens as the text that they are."""
    labels = [sheet.labels[place] for place in places]
    return "".join(labels[labels[:1] == [START] :]).replace(SPACE, " ").replace("⏎", "\n").strip()


def _cell(sheet: Sheet, place: int) -> Markup:
    confidence, number = float(sheet.confidence[place]), sheet.filled_in[place]
    loo_prob = math.nan if sheet.leave_one_out is None else float(sheet.leave_one_out[place])
    is_checked, text = not math.isnan(loo_prob), sheet.labels[place]
    if number == 0:
        kinds, words = ["cell", "open"], [f"position {place}", "still masked"]
        if not math.isnan(confidence):
            words.append(f"the last pass proposed {text}")
        text = ""
    else:
        kinds, words = ["cell", "set"], [f"position {place}", f"filled in pass {number}"]
        kinds += ["new"] * (number == sheet.n_passes and not is_checked)
    kinds += ["clash"] * (loo_prob < CLASH)
    if (pair := sheet.clashing_pair) is not None:
        kinds += ["joined"] * (place == pair) + ["join"] * (place == pair + 1)
    if not math.isnan(confidence):
        words.append(f"probability {percent(confidence)}")
    if is_checked:
        words.append(f"leave-one-out {percent(loo_prob)}")
    attributes = {"class_": " ".join(kinds), "role": "listitem", "title": ", ".join(words)}
    return element("span", token(text.removeprefix(SPACE) or text), **attributes)


def key_html(sheet: Sheet) -> Markup:
    """Says what the cells' looks mean: of open ones, or of those that do not fit the others."""
    if sheet.n_clashes is None:
        look, words = "open", "still to be written"
    elif (pair := sheet.clashing_pair) is not None:
        one, other = (sheet.labels[i].removeprefix(SPACE) for i in (pair, pair + 1))
        look = "set clash"
        words = f"“{one}” and “{other}” came in one pass."
    else:
        n_all = sum(number > 0 for number in sheet.filled_in)
        verb = "clashes" if sheet.n_clashes == 1 else "clash"
        look, words = "set clash", f"{sheet.n_clashes} of {n_all} {verb}"
    cell = element("span", class_=f"cell {look}", aria_hidden="true")
    return element("p", cell, words, class_="sheet-key")


def sheet_words(sheet: Sheet) -> str:
    """Says what the sheet shows, for the caption and for who hears the page."""
    n_filled = sum(number > 0 for number in sheet.filled_in)
    n_all = n_filled + sheet.n_open
    said = f"After {plural(sheet.n_passes, 'pass', 'es')} of {sheet.n_planned}: "
    said += f"{n_filled} of {plural(n_all, 'position')} filled"
    said += f", {sheet.n_open} still masked." if sheet.n_open else "."
    if sheet.n_clashes is not None:
        said += (
            f" Knowing all the others, the model gives {plural(sheet.n_clashes, 'token')} less "
            f"than {percent(CLASH)}: a clash, ≠."
        )
    return said
