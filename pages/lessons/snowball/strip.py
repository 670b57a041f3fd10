"""Both texts as a component of its own: a row of pairs, each token of the original a button.

Its module lies beside this file and stands on the shared ones. Labels are only
ever set as text there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from model.snowball.records import ForkStep
from pages.frame.component import plain_component


def strip(
    key: str,
    prompt: str,
    original: Sequence[str],
    steps: Sequence[ForkStep],
    on_place: Callable[[], None],
    *,
    place: int,
    presenter: bool,
) -> None:
    """Show both texts; a click on a token of the original one chooses the place to fork.

    Args:
        key: Names the component in the session.
        prompt: What both begin with.
        original: Labels of the original text's tokens.
        steps: Both texts from the place of the fork on; empty before there is a fork.
        on_place: Called when a place was clicked, which is `trigger_value(key, "place")`.
        place: Index of the chosen place.
        presenter: Whether it is read from the back row.
    """
    blank: list[None] = [None] * place
    data = {
        "prompt": prompt,
        "original": list(original),
        "forced": [*blank, *(step.forced.label if step.forced else None for step in steps)]
        if steps
        else [],
        "kl": [*blank, *(step.kl for step in steps)],
        "same": [*blank, *(step.is_same for step in steps)],
        "place": place,
        "presenter": presenter,
    }
    _strip(key=key, data=data, on_place_change=on_place, height="content")


_strip = plain_component("snowball_strip", "mountStrip", Path(__file__).parent)
