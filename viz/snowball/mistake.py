"""A text as the model writes it, and as it goes on from a wrong word, and how sure it is."""

import math
from collections.abc import Sequence
from statistics import fmean

from markupsafe import Markup

from model.snowball.records import ForkStep, Token
from viz.format import percent
from viz.palette import colour
from viz.strip import SPACE, chip, element, prose, row, underlined

NEARLY = 0.1  # between two means of some 24 tokens
UNSAID = (" " + "\N{EM SPACE}\N{EM SPACE} " * 18, "line")  # as wide as a text of some 24 tokens
GRID = "display:grid;gap:.9rem"
ORIGINAL, FORCED = "As it writes by itself", "After the wrong word"
_HEAD = "display:flex;flex-wrap:wrap;gap:0 1em;align-items:center"
_NAME, _SURE = "flex:0 0 12.5em", "flex:1 1 20em"  # a phone has them below each other
_TRACK = "flex:0 1 14em;height:.7em;border-radius:2px"


def sureness(tokens: Sequence[Token | None]) -> float:
    """Returns the mean probability that the model itself gave to some tokens."""
    return fmean(math.exp(token.logprob) for token in tokens if token is not None)


def sure_words(steps: Sequence[ForkStep]) -> str:
    """Says how sure the model is after the wrong word, beside the text that it writes by itself."""
    before, after = (sureness(tokens[1:]) for tokens in _both(steps))
    if abs(after - before) <= NEARLY:
        return "about as sure of its words as without it"
    more = "surer" if after > before else "less sure"
    return f"{more} of its words than without it"


def mistake_html(prompt: str, steps: Sequence[ForkStep]) -> Markup:
    """Writes both texts token by token, the same place of both at once, and how sure the model is.

    Args:
        prompt: What both begin with.
        steps: The first holds the wrong word, which counts in neither mean.
    """
    original, forced = _both(steps)
    wrong = [(_read(forced[0].label), "error"), *_coming(forced[1:], 1)]
    sure = [_sureness(sureness(tokens[1:]), len(steps)) for tokens in (forced, original)]
    return element(
        "div",
        _text(FORCED, prompt, wrong, sure[0]),
        _text(ORIGINAL, prompt, _coming(original, 0), sure[1]),
        style=GRID,
    )


def covered_html(prompt: str, word: str) -> Markup:
    """Writes both texts as far as they are known, with lines where the rest will stand.

    Args:
        prompt: What both begin with.
        word: The wrong one, which stands in the first.
    """
    return element(
        "div",
        _text(FORCED, prompt, ((word, "error"), UNSAID)),
        _text(ORIGINAL, prompt, (UNSAID,)),
        style=GRID,
    )


def _coming(tokens: Sequence[Token], first: int) -> list[tuple[str, str]]:
    """Returns tokens as parts of a prose: each comes at its place, its ground with it."""
    words = [*(_read(token.label) for token in tokens), " …"]  # either text would go on
    last = max(i for i, word in enumerate(words[:-1]) if word.strip() or i == 0)
    words[last + 1 : -1] = [""] * (len(words) - last - 2)  # ends of lines: they have their moment
    before = " " if words[0].startswith(" ") else ""
    words[0] = words[0].removeprefix(before)
    parts = [
        element("span", word, class_="mistake-token", style=f"--i:{i};{underlined('generated')}")
        for i, word in enumerate(words, first)
    ]
    return [(before, ""), *((part, "") for part in parts)]


def _sureness(share: float, n_before: int) -> Markup:
    """Draws how sure the model is of its words, once all of them have come."""
    fill = f"display:block;width:{100 * share:.2f}%;height:100%;background:{colour('kept')}"
    track = f"{_TRACK};background:{colour('kept-tint')};forced-color-adjust:none"
    return element(
        "span",
        element("span", element("i", style=fill), style=track),
        element("span", element("b", percent(share)), " sure of its words"),
        class_="mistake-token",
        style=f"--i:{n_before};{_SURE};display:flex;gap:.6em;align-items:center;white-space:nowrap",
    )


def tokens_html(steps: Sequence[ForkStep]) -> Markup:
    """Writes both texts as tokens, the probability of each under the pointer, and their means.

    Args:
        steps: Two or more; the first holds the wrong word, which counts in neither mean.
    """
    original, forced = _both(steps)
    after, before = (percent(sureness(tokens[1:])) for tokens in (forced, original))
    wrong = chip(forced[0].label, "error", style="font-weight:600", title="put in")
    return element(
        "div",
        row(wrong, *_chips(forced[1:])),
        row(*_chips(original)),
        _sure(
            f"After the wrong word the model is {sure_words(steps)}: {after} beside {before} sure, "
            "on average."
        ),
        style="display:grid;gap:1rem",
    )


def _both(steps: Sequence[ForkStep]) -> tuple[list[Token], list[Token]]:
    """Takes the texts apart: as it writes by itself, after the wrong word."""
    return (
        [step.original for step in steps if step.original is not None],
        [step.forced for step in steps if step.forced is not None],
    )


def _chips(tokens: Sequence[Token]) -> list[Markup]:
    return [
        chip(token.label, "generated", title=percent(math.exp(token.logprob))) for token in tokens
    ]


def _text(
    name: str, prompt: str, parts: Sequence[tuple[str, str]], sure: Markup | str = ""
) -> Markup:
    """Writes one text below its name."""
    unsaid = element("span", "\N{NO-BREAK SPACE}", style=_SURE)  # it has its room
    head = element("div", element("span", name, style=_NAME), sure or unsaid, style=_HEAD)
    small = f"font-size:var(--size-body);color:{colour('muted')}"
    text = prose((prompt, ""), *parts)
    return element("div", element("div", head, style=small), text, class_="mistake-text")


def _read(label: str) -> str:
    """Returns a token as it is read: both texts are one paragraph each, to be compared."""
    return label.replace(SPACE, " ").replace("⏎", " ")


def _sure(words: str) -> Markup:
    return element("div", words, style="font-size:var(--size-body)")
