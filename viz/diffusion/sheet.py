"""A page of masks that settles into a text: one cell for each token, in the order of reading.

Cells stay where they are, so that a token is seen to appear in its place. What the reader gave is
prompt, what the model filled is generated, what is open is hatched. The bar at the foot of a cell
is the model's confidence when it filled it. After a leave-one-out check it is the probability of
the token given all the others, and a clash is marked by a double frame and by ≠.
"""

import math
from pathlib import Path

from markupsafe import Markup

from model.diffusion.records import CLASH, Sheet
from viz.format import percent, plural
from viz.strip import element, token

STYLE = Path(__file__).with_name("sheet.css").read_text("utf-8")
MASK = "mask"  # written into an open cell


def sheet_html(sheet: Sheet) -> Markup:
    """Writes the sheet as a grid of cells."""
    cells = (_cell(sheet, place) for place in range(len(sheet.labels)))
    return element("div", *cells, class_="sheet", role="list", aria_label=sheet_words(sheet))


def _cell(sheet: Sheet, place: int) -> Markup:
    confidence, number = float(sheet.confidence[place]), sheet.filled_in[place]
    loo_prob = math.nan if sheet.leave_one_out is None else float(sheet.leave_one_out[place])
    is_checked, text = not math.isnan(loo_prob), sheet.labels[place]
    if sheet.given[place]:
        kinds, words = ["cell", "given"], [f"position {place}", "given"]
    elif number == 0:
        kinds, words = ["cell", "open"], [f"position {place}", "still masked"]
        if not math.isnan(confidence):
            words.append(f"the last pass proposed {text}")
        text = MASK
    else:
        kinds, words = ["cell", "set"], [f"position {place}", f"filled in pass {number}"]
        kinds += ["new"] * (number == sheet.n_passes and not is_checked)
    kinds += ["checked"] * is_checked + ["clash"] * (loo_prob < CLASH)
    if not math.isnan(confidence):
        words.append(f"probability {percent(confidence)}")
    if is_checked:
        words.append(f"leave-one-out {percent(loo_prob)}")
    shown = loo_prob if is_checked else confidence if number else math.nan
    return element(
        "span",
        token(text),
        class_=" ".join(kinds),
        style="" if math.isnan(shown) else f"--sure:{100 * shown:.1f}%",
        role="listitem",
        title=", ".join(words),
    )


def sheet_words(sheet: Sheet) -> str:
    """Says what the sheet shows, for the caption and for who hears the page."""
    n_filled = sum(number > 0 for number in sheet.filled_in)
    n_all = n_filled + sheet.n_open
    said = f"After {plural(sheet.n_passes, 'pass', 'es')} of {sheet.n_planned}: "
    said += f"{n_filled} of {plural(n_all, 'position')} filled"
    said += f", {sheet.n_open} still masked." if sheet.n_open else "."
    if sheet.leave_one_out is not None:
        n_clashes = int((sheet.leave_one_out < CLASH).sum())
        said += (
            f" Knowing all the others, the model gives {plural(n_clashes, 'token')} less than "
            f"{percent(CLASH)}: a clash, ≠."
        )
    return said
