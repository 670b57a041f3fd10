"""The draw bar of each step of a text, stood on end: the end token's segment, and the pointer."""

from markupsafe import Markup

from model.stopping.records import EndCurve, EndStep
from viz.format import percent, plural
from viz.labels import plain
from viz.palette import colour
from viz.strip import SPACE, element

MAX_LETTERS = 9  # of a token below its bar
MAX_BAR = 5  # rem that a bar is wide
_ENDS = (".", "!", "?")  # of a sentence
_GRID = "display:grid;grid-template-columns:repeat(auto-fit,minmax(.95rem,1fr));gap:.7rem 3px"
_BAR = "position:relative;display:block;height:9rem;border-radius:3px;forced-color-adjust:none;"
_WORD = (
    "display:block;height:4.2rem;margin:.25rem auto 0;writing-mode:vertical-rl;"
    "transform:rotate(180deg);text-align:right;white-space:nowrap;"
    "font:var(--size-small)/1.15 var(--read);"
)


def end_picture(curve: EndCurve, *, is_covered: bool = False) -> Markup:
    """Draws a bar for each token that was written, and below it the token on which it fell.

    Args:
        curve: The text.
        is_covered: Whether the end token's segments and the pointers are left out.
    """
    last = len(curve.steps) - 1
    hit = last if curve.finished == "eos" else None
    begins = _begins(curve)
    bars = (
        _column(step, is_covered, i == hit, i > 0 and i in begins)
        for i, step in enumerate(curve.steps)
    )
    heard = "The draw bar of each step." if is_covered else f"The draw bars. {end_words(curve)}"
    look = f"{_GRID};max-width:{MAX_BAR * len(curve.steps)}rem;color:{colour('ink')}"
    return element("div", *bars, style=look, role="img", aria_label=heard, translate="no")


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


def where_words(curve: EndCurve) -> str:
    """Says how likely the end was where a sentence had just ended, and elsewhere."""
    begins = _begins(curve)
    after = max((step.masked for i, step in enumerate(curve.steps) if i in begins), default=0)
    within = max((step.masked for i, step in enumerate(curve.steps) if i not in begins), default=0)
    return (
        f"After a sentence, where the gaps are, the end had up to {percent(after)}; elsewhere at "
        f"most {percent(within)}."
    )


def _begins(curve: EndCurve) -> set[int]:
    """Returns the steps before which a sentence had just ended, as the prompt's has."""
    labels = [step.label for step in curve.steps]
    return {0} | {i + 1 for i, label in enumerate(labels) if label.rstrip('"”').endswith(_ENDS)}


def _column(step: EndStep, is_covered: bool, is_hit: bool, is_first: bool) -> Markup:
    tint, ink = colour("kept-tint"), colour("chosen")
    parts = [] if is_covered else [_segment(*piece, is_hit) for piece in step.segments]
    if not is_covered:
        parts.append(_pointer(step.pointer))
    line = f"border:1px {'dashed' if is_covered else 'solid'} {colour('line')};background:{tint}"
    words = "?" if is_covered and is_hit else _short(step.label)
    word = element("span", words, style=_WORD + ("font-weight:600" * is_hit))
    title = (
        "" if is_covered else f"{plain(step.label)}: the end had {percent(step.masked)} of the bar"
    )
    frame = f"outline:2px solid {ink};outline-offset:1px;" if is_hit and not is_covered else ""
    return element(
        "span",
        element("span", *parts, style=_BAR + line + f";{frame}"),
        word,
        title=title,
        style="margin-left:.7rem" * is_first,
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
