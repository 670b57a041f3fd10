"""How much of the draw bar the end token has: at some steps large, at every step small."""

from markupsafe import Markup

from model.stopping.records import EndCurve, EndStep
from viz.format import count, percent, plural
from viz.labels import plain
from viz.palette import colour
from viz.strip import SPACE, element

N_WORDS = 4  # before a large bar
MAX_LETTERS = 9  # of a token below its column
NAMED = 0.2  # of the bar, from which on what was drawn has room for its name
TOLD = 0.01  # of the bar, from which on a column bears its number
FALL, GROW = 0.7, 0.9  # seconds between two pointers, and of all columns
_ENDS = (".", "!", "?")  # of a sentence
_SWATCH = "display:inline-block;margin-right:.4rem;forced-color-adjust:none;"
_FILLED = "position:absolute;forced-color-adjust:none;"


def end_picture(
    curve: EndCurve, prompt: str, *, is_covered: bool = False, is_moving: bool = False
) -> Markup:
    """Draws the bar of a step within a sentence, of one after a sentence, and of the last.

    Below them every step has a column, filled as far as the end token was likely.

    Args:
        curve: The text.
        prompt: What it follows.
        is_covered: Whether all but the first bar are left out.
        is_moving: Whether the answers come one after another; see the page's style.
    """
    hit = len(curve.steps) - 1 if curve.finished == "eos" else None
    large = large_steps(curve, prompt)
    bars = [
        _bar(curve, prompt, i, n, is_covered=is_covered and n > 0, is_hit=i == hit)
        for n, i in enumerate(large)
    ]
    heard = end_words(curve) if not is_covered else "The draw bar within a sentence."
    columns = _columns(curve, prompt, FALL * len(large), is_covered=is_covered, hit=hit)
    rows = element("div", *bars, class_="end-bars", role="img", aria_label=heard, translate="no")
    moving = "end-moving" if is_moving else "end-still"
    style = f"color:{colour('ink')}"
    return element("div", _legend(), rows, columns, class_=f"end-picture {moving}", style=style)


def large_steps(curve: EndCurve, prompt: str) -> list[int]:
    """Returns the steps with a bar of their own, in the order of the text.

    They are the one within a sentence where the end was likeliest, the first after a sentence that
    was written, or after the prompt's, and the last.
    """
    ends, last = sentence_ends(curve, prompt), len(curve.steps) - 1
    within = [i for i in range(last) if i not in ends]
    after = [i for i in range(1, last) if i in ends] or [i for i in (0,) if i in ends and last > 0]
    best = sorted(within, key=lambda i: -curve.steps[i].masked)
    return sorted({*best[:1], *after[:1], *([last] if curve.steps else [])})


def _legend() -> Markup:
    """Says what a bar is, and its marks."""
    end = f"{_SWATCH}width:.9rem;height:.8rem;border-radius:2px;background:{colour('kept')}"
    pointer = f"{_SWATCH}width:3px;height:1rem;vertical-align:-.15em;background:{colour('pointer')}"
    return element(
        "div",
        element("span", "All that may come next:"),
        element("span", element("i", style=end), "the end"),
        element("span", element("i", style=pointer), "the pointer"),
        class_="end-legend",
    )


def end_words(curve: EndCurve) -> str:
    """Says how often the pointer missed the end, and what ended the text."""
    if not curve.steps:
        return "Nothing was written."
    n = len(curve.steps)
    if curve.finished == "eos":
        return f"The pointer missed the end {_times(n - 1)}, then fell on it."
    missed = f"The pointer missed the end {_times(n)}"
    if curve.finished == "stop":
        return f"{missed}; then the stop string “{plain(curve.stopped_by or '')}” was complete."
    return f"{missed}, until the limit of {plural(n, 'token')} cut the text off."


def _times(n: int) -> str:
    return {1: "once", 2: "twice"}.get(n, f"{count(n)} times")


def where_words(curve: EndCurve, prompt: str) -> str:
    """Says how likely the end was at most, after a sentence and within one."""
    ends = sentence_ends(curve, prompt)
    after = max((step.masked for i, step in enumerate(curve.steps) if i in ends), default=0.0)
    within = max((step.masked for i, step in enumerate(curve.steps) if i not in ends), default=0.0)
    return f"after a sentence up to {percent(after)}, within one at most {percent(within)}."


def sentence_ends(curve: EndCurve, prompt: str) -> dict[int, str]:
    """Returns the steps before which a sentence had just ended, and the sign that ended it."""
    before = [prompt, *(step.label for step in curve.steps[:-1])]
    signs = (text.rstrip('"” ␣⏎\n')[-1:] for text in before)
    return {i: sign for i, sign in enumerate(signs) if sign and sign in _ENDS}


def _bar(curve: EndCurve, prompt: str, i: int, n: int, *, is_covered: bool, is_hit: bool) -> Markup:
    step = curve.steps[i]
    before = (prompt + "".join(one.label for one in curve.steps[:i])).replace(SPACE, " ")
    words = " ".join(before.replace("⏎", " ").split()[-N_WORDS:])
    line = f"border:1px {'dashed' if is_covered else 'solid'} {colour('line')}"
    parts = [] if is_covered else _parts(step, is_hit=is_hit)
    name = element("b", "?" if is_covered else _name(step.label), class_="slot end-next")
    share = "" if is_covered else ("the end: ", element("b", percent(step.masked)))
    tone = f"color:{colour('kept-text')}"
    return element(
        "div",
        element("span", f"… {words} ", name, class_="end-words"),
        element("span", *parts, class_="end-bar", style=f"{line};background:{colour('kept-tint')}"),
        element("span", *share, class_="end-share", style=tone),
        class_="end-row",
        style=f"--d:{FALL * n:.1f}s",
    )


def _parts(step: EndStep, *, is_hit: bool) -> list[Markup]:
    """Draws the end's segments, the outline of what was drawn, and the pointer."""
    end = f"top:0;bottom:0;background:{colour('kept')}"
    segments = [
        element("i", style=f"{_FILLED}{end};{_place(*one)}", class_="end-segment")
        for one in step.segments
    ]
    outline = f"top:-1px;bottom:-1px;border:2px solid {colour('chosen')};border-radius:3px"
    tint = "" if is_hit else f";background:{colour('paper')}"
    begin, end_at = step.drawn
    name = _name(step.label) if end_at - begin >= NAMED else ""
    ink = f"font-style:normal;color:{colour('kept-ink' if is_hit else 'ink')}"
    look = f"{_FILLED}{outline}{tint};{ink};{_place(*step.drawn)}"
    drawn = element("i", name, style=look, class_="end-drawn")
    at = f"left:calc({100 * step.pointer:.3f}% - 1.5px)"
    needle = f"top:-.35rem;bottom:-.35rem;width:3px;background:{colour('pointer')}"
    pointer = element("i", style=f"{_FILLED}{needle};{at}", class_="end-pointer")
    return [*segments, drawn, pointer]


def _place(begin: float, end: float) -> str:
    return f"left:{100 * begin:.4f}%;width:{100 * (end - begin):.4f}%"


def _columns(
    curve: EndCurve, prompt: str, delay: float, *, is_covered: bool, hit: int | None
) -> Markup:
    """Draws the end's share at every step, each of a column as high as the whole bar."""
    ends, n = sentence_ends(curve, prompt), len(curve.steps)
    cells = list[Markup]()
    for i, step in enumerate(curve.steps):
        high = f"height:{100 * step.masked:.2f}%;background:{colour('kept')}"
        is_told = i in ends and step.masked >= TOLD and not is_covered
        number = element("b", percent(step.masked), style=f"color:{colour('kept-text')}")
        bar = Markup("") if is_covered else element("i", style=high, class_="end-high")
        name = "?" if is_covered and i == hit else _short(step.label)
        cells.append(
            element(
                "span",
                element("span", number if is_told else "", class_="end-number"),
                element("span", bar, class_="end-tall"),
                element("span", element("span", name), class_="end-name"),
                class_="end-column end-told" if is_told else "end-column",
                style=f"--d:{delay + GROW * i / max(n, 1):.2f}s",
                title=""
                if is_covered
                else f"{plain(step.label)}: the end had {percent(step.masked)}",
            )
        )
    found = "" if is_covered else where_words(curve, prompt)
    if not is_covered and hit is None:
        found = f"{found} {end_words(curve)}"
    said = element(
        "p",
        "The end at each step: ",
        element("span", found, class_="end-found"),
        class_="end-said",
    )
    return element("div", said, element("div", *cells, class_="end-columns", style=f"--n:{n}"))


def _name(label: str) -> str:
    return "end" if label.startswith("<|") else label.strip(SPACE)


def _short(label: str) -> str:
    """Returns a token's label, which has the room of a few letters."""
    label = _name(label)
    return label if len(label) <= MAX_LETTERS else f"{label[: MAX_LETTERS - 1]}…"
