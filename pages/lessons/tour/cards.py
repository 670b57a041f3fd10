"""The pictures of the lessons' cards, as benchmarks/lesson_cards.py recorded what they draw."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from markupsafe import Markup

from pages.frame.words import _
from viz.tour.cards import Branch, before_and_after, race, staircase, tree

RECORDED = Path(__file__).with_suffix(".json")
POINTER = 0.5


def card_picture(page: str) -> Markup:
    """Returns the picture of a lesson that begins on a page; empty where there is none."""
    made = {"": _staircase, "sampling": _cut, "beam_search": _tree, "prefill_decode": _race}
    return made[page](_recorded()) if page in made else Markup("")


@cache
def _recorded() -> dict[str, Any]:
    known: dict[str, Any] = json.loads(RECORDED.read_text("utf-8"))
    return known


def _staircase(known: dict[str, Any]) -> Markup:
    caption = _("each step: the share of a word")
    return staircase(known["words"], known["whole"], POINTER, caption)


def _cut(known: dict[str, Any]) -> Markup:
    names = _("by the model"), _("after the cut")
    return before_and_after(known["words"], known["whole"], known["cut"], POINTER, names)


def _tree(known: dict[str, Any]) -> Markup:
    return tree(
        [
            Branch(tuple(one["from"]), tuple(one["to"]), one["word"], one["look"])
            for one in known["tree"]
        ],
        _("thick: the text that wins · dashed: greedy"),
    )


def _race(known: dict[str, Any]) -> Markup:
    names = _("a long question"), _("a long answer")
    return race(known["race"], names, (_("is read"), _("is written")))
