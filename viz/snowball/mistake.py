"""A text as the model writes it, and as it goes on from a wrong word, and how sure it is."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import fmean

from markupsafe import Markup

from model.snowball.records import ForkStep, Token
from viz.format import percent
from viz.palette import colour
from viz.strip import chip, element, row

ORIGINAL, FORCED = "as it writes", "after the wrong word"


def sureness(tokens: Sequence[Token | None]) -> float:
    """Returns the mean probability that the model itself gave to some tokens."""
    return fmean(math.exp(token.logprob) for token in tokens if token is not None)


def mistake_html(prompt: str, steps: Sequence[ForkStep]) -> Markup:
    """Writes both texts below each other, each beside the mean probability of its tokens.

    Args:
        prompt: What both begin with.
        steps: Two or more; the first holds the wrong word, which counts in neither mean.
    """
    original = [step.original for step in steps if step.original is not None]
    forced = [step.forced for step in steps if step.forced is not None]
    wrong = chip(forced[0].label, "error", style="font-weight:700", title="forced")
    return element(
        "div",
        _text(ORIGINAL, prompt, _chips(original), original[1:]),
        _text(FORCED, prompt, [wrong, *_chips(forced[1:])], forced[1:]),
        style="display:grid;grid-template-columns:1fr auto;gap:1rem 1.5rem;align-items:center",
    )


def _chips(tokens: Sequence[Token]) -> list[Markup]:
    return [
        chip(token.label, "generated", title=percent(math.exp(token.logprob))) for token in tokens
    ]


def _text(name: str, prompt: str, chips: Sequence[Markup], counted: Sequence[Token]) -> Markup:
    """Writes one text, and beside it what it was sure of."""
    small = f"font-size:.85rem;color:{colour('muted')}"
    sure = element(
        "div",
        element("div", percent(sureness(counted)), style="font-size:2rem;font-weight:700"),
        element("div", "mean probability", style=small),
        style="text-align:right",
    )
    given = element("span", prompt, style="align-self:center")
    text = element("div", element("div", name, style=small), row(given, *chips, gap="3px"))
    return text + sure
