"""The draw bar of each step of a text, stood on end: the end token's segment, and the pointer."""

from markupsafe import Markup

from model.stopping.records import EndCurve, EndStep
from viz.format import percent, plural
from viz.labels import plain
from viz.palette import colour
from viz.strip import SPACE, element

MAX_LETTERS = 9  # of a token below its bar
MIN_LETTERS = 6  # that have room below the bars
MAX_BAR = 5  # rem that a bar is wide
_ENDS = (".", "!", "?")  # of a sentence
_GRID = "display:grid;grid-template-columns:repeat(auto-fit,minmax(.85rem,1fr));gap:.5rem 3px"
_HEIGHT = "height:clamp(8rem,20vh,13rem);"
_BAR = f"position:relative;display:block;{_HEIGHT}border-radius:3px;forced-color-adjust:none;"
_UPWARDS = "writing-mode:vertical-rl;transform:rotate(180deg);white-space:pre;"
_WORD = (
    f"display:block;margin:.25rem auto 0;{_UPWARDS}text-align:right;"
    "font:400 clamp(var(--size-small),1.2vw,var(--size-body))/1.15 var(--read);"
)
_AFTER = (
    f"display:block;{_HEIGHT}margin-left:auto;{_UPWARDS}font:var(--size-small)/1.15 var(--sans);"
)
_SWATCH = "display:inline-block;width:.9rem;margin-right:.4rem;forced-color-adjust:none;"


def end_picture(
    curve: EndCurve, prompt: str, *, is_covered: bool = False, is_moving: bool = False
) -> Markup:
    """Draws a bar for each token that was written, and below it the token on which it fell.

    After a sentence there is a gap, with the probability of the end token in the next bar; while
    the picture is covered its bars stand together and the gaps behind them.

    Args:
        curve: The text.
        prompt: What it follows.
        is_covered: Whether the end token's segments and the pointers are left out.
        is_moving: Whether the steps come one after another; see the page's style.
    """
    last = len(curve.steps) - 1
    hit = last if curve.finished == "eos" else None
    names = [
        "?" if is_covered and i == hit else _short(step.label) for i, step in enumerate(curve.steps)
    ]
    height = max(MIN_LETTERS, *map(len, names), 0) * 0.55 + 0.4
    ends, cells = _sentence_ends(curve, prompt), list[Markup]()
    for i, (step, name) in enumerate(zip(curve.steps, names, strict=True)):
        if i in ends and not is_covered:
            cells.append(_gap(ends[i], step, i))
        cells.append(_column(step, name, height, is_covered, i == hit, i))
    if is_covered:  # columns keep their width
        cells += [element("span", class_="end-gap")] * len(ends)
    heard = "The draw bar of each step." if is_covered else f"The draw bars. {end_words(curve)}"
    look = f"{_GRID};max-width:{MAX_BAR * len(cells)}rem;color:{colour('ink')}"
    grid = element("div", *cells, style=look, role="img", aria_label=heard, translate="no")
    moving = "end-moving" if is_moving else "end-still"
    return element("div", _legend(is_covered), grid, style="display:grid;gap:.5rem", class_=moving)


def _legend(is_covered: bool) -> Markup:
    """Says what a column is; the marks are named once they are there."""
    end = f"{_SWATCH}height:.8rem;border-radius:2px;background:{colour('kept')}"
    pointer = f"{_SWATCH}height:3px;vertical-align:.25em;background:{colour('pointer')}"
    hidden = "visibility:hidden" * is_covered
    return element(
        "div",
        element("span", "A draw bar for each step, likeliest token lowest:"),
        element("span", element("i", style=end), "the end token", style=hidden),
        element("span", element("i", style=pointer), "the pointer", style=hidden),
        style=f"display:flex;flex-wrap:wrap;gap:0 1rem;font-size:var(--size-body);"
        f"color:{colour('ink')}",
        class_="end-legend",
    )


def end_words(curve: EndCurve) -> str:
    """Says how often the pointer missed the end, and what ended the text."""
    if not curve.steps:
        return "Nothing was written."
    step, n = curve.steps[-1], len(curve.steps)
    if curve.finished == "eos":
        return (
            f"{plural(n - 1, 'time')} the pointer missed the end. Then it fell on it: "
            f"{percent(step.masked)} of the bar."
        )
    missed = f"{plural(n, 'time')} the pointer missed the end"
    if curve.finished == "stop":
        return f"{missed}; then the stop string “{plain(curve.stopped_by or '')}” was complete."
    return f"{missed}, until the limit of {plural(n, 'token')} cut the text off."


def where_words(curve: EndCurve, prompt: str) -> str:
    """Says how likely the end was at most, after a sentence and elsewhere."""
    ends = _sentence_ends(curve, prompt)
    after = max((step.masked for i, step in enumerate(curve.steps) if i in ends), default=0)
    within = max((step.masked for i, step in enumerate(curve.steps) if i not in ends), default=0)
    return (
        f"After a sentence the end had up to {percent(after)}; elsewhere at most {percent(within)}."
    )


def _sentence_ends(curve: EndCurve, prompt: str) -> dict[int, str]:
    """Returns the steps before which a sentence had just ended, and the sign that ended it."""
    before = [prompt, *(step.label for step in curve.steps[:-1])]
    signs = (text.rstrip('"” ␣⏎\n')[-1:] for text in before)
    return {i: sign for i, sign in enumerate(signs) if sign and sign in _ENDS}


def _gap(sign: str, step: EndStep, i: int) -> Markup:
    said = f"after {sign} end ", element("b", percent(step.masked))
    style = f"{_AFTER}color:{colour('kept-text')}"
    words = element("span", *said, style=style)
    return element("span", words, class_="end-gap", style=f"--i:{i}")


def _column(
    step: EndStep, name: str, height: float, is_covered: bool, is_hit: bool, i: int
) -> Markup:
    tint, ink = colour("kept-tint"), colour("chosen")
    parts = [] if is_covered else [_segment(*piece, is_hit) for piece in step.segments]
    if not is_covered:
        parts.append(_pointer(step.pointer))
    line = f"border:1px {'dashed' if is_covered else 'solid'} {colour('line')};background:{tint}"
    look = f"{_WORD}height:{height:.2f}em;" + "font-weight:600" * is_hit
    title = (
        "" if is_covered else f"{plain(step.label)}: the end had {percent(step.masked)} of the bar"
    )
    frame = f"outline:2px solid {ink};outline-offset:1px;" if is_hit and not is_covered else ""
    return element(
        "span",
        element("span", *parts, style=_BAR + line + f";{frame}"),
        element("span", name, style=look),
        title=title,
        class_="end-column",
        style=f"--i:{i}",
    )


def _segment(begin: float, end: float, is_hit: bool) -> Markup:
    place = f"bottom:{100 * begin:.3f}%;height:{100 * (end - begin):.3f}%"
    edge = f";box-shadow:inset 0 0 0 2px {colour('chosen')}" if is_hit else ""
    style = f"position:absolute;left:0;right:0;{place};background:{colour('kept')}{edge}"
    return element("i", style=style, class_="end-segment")


def _pointer(at: float) -> Markup:
    place = f"bottom:calc({100 * at:.3f}% - 1.5px)"
    style = (
        f"position:absolute;left:-2px;right:-2px;height:3px;{place};background:{colour('pointer')}"
    )
    return element("i", style=style, class_="end-pointer")


def _short(label: str) -> str:
    """Returns a token's label, which has the room of a few letters."""
    label = "end" if label.startswith("<|") else label.strip(SPACE)
    return label if len(label) <= MAX_LETTERS else f"{label[: MAX_LETTERS - 1]}…"
