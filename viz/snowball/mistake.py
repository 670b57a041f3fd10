"""A text as the model writes it, and as it goes on from a wrong word, and how sure it is."""

import math
from collections.abc import Sequence
from statistics import fmean

from markupsafe import Markup

from model.snowball.records import ForkStep, Token
from viz.format import percent
from viz.palette import colour
from viz.strip import SPACE, chip, element, prose, row

NEARLY = 0.1  # between two means of some 24 tokens
UNSAID = (" " + "\N{EM SPACE}\N{EM SPACE} " * 18, "line")  # as wide as a text of some 24 tokens
GRID = "display:grid;gap:1.2rem"
ORIGINAL, FORCED = "As it writes by itself", "After the wrong word"


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
    """Writes both texts to be read; the token that was put in is marked.

    Args:
        prompt: What both begin with.
        steps: The first holds the wrong word.
    """
    original, forced = _both(steps)
    wrong = [(one.label, "generated" if i else "error") for i, one in enumerate(forced)]
    more = (" …", "generated")  # either text would go on
    return element(
        "div",
        _text(FORCED, prompt, [*wrong, more]),
        _text(ORIGINAL, prompt, [*((one.label, "generated") for one in original), more]),
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


def _text(name: str, prompt: str, parts: Sequence[tuple[str, str]]) -> Markup:
    """Writes one text below its name."""
    small = f"font-size:var(--size-body);color:{colour('muted')}"
    read = [(label.replace(SPACE, " ").replace("⏎", "\n"), role) for label, role in parts]
    return element("div", element("div", name, style=small), prose((prompt, ""), *read))


def _sure(words: str) -> Markup:
    return element("div", words, style="font-size:var(--size-body)")
