"""Both texts as a component of its own: a row of pairs, each token of the upper text a button.

Its module lies beside this file and stands on the shared ones. Labels are only
ever set as text there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from model.snowball.records import ForkStep
from pages.frame.component import plain_component


def strip(
    prompt: str,
    before: Sequence[str],
    steps: Sequence[ForkStep],
    on_place: Callable[[], None],
    *,
    place: int,
    presenter: bool,
    key: str = "snow_strip",
) -> None:
    """Show both texts; a click on a token of the upper one chooses the place to fork.

    Args:
        prompt: What both begin with.
        before: Labels of the untouched text's tokens; those from the fork on are in `steps` where
            there are any.
        steps: Both texts from the place of the fork on; empty before there is a fork.
        on_place: Called when a place was clicked, which is `trigger_value(key, "place")`.
        place: Index of the chosen place.
        presenter: Whether it is read from the back row.
        key: Names the component in the session.
    """
    n_before = place if steps else len(before)
    blank: list[None] = [None] * n_before
    data = {
        "prompt": prompt,
        "right": [*before[:n_before], *(one.right.label if one.right else "" for one in steps)],
        "wrong": [*blank, *(one.wrong.label if one.wrong else None for one in steps)]
        if steps
        else [],
        "kl": [*blank, *(one.kl for one in steps)],
        "same": [*blank, *(one.is_same for one in steps)],
        "place": place,
        "presenter": presenter,
    }
    _strip(key=key, data=data, on_place_change=on_place, height="content")


_strip = plain_component("snow_strip", "mountStrip", Path(__file__).parent)
