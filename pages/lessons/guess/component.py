"""The game's text and its score, as a component: large, tinted by surprise, a blank at its end.

Its module lies beside this file and stands on the shared ones. Text is only ever
set as text there, so that what somebody pastes stays what it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Literal

from model.guess.records import HiddenText
from pages.frame.component import plain_component


@dataclass(frozen=True)
class Tile:
    """What the newest token cost one of those who were scored."""

    name: str
    now: str  # bits for the newest token, in words
    mean: str  # bits per token so far, in words
    best: bool  # nobody paid less for this token
    role: Literal["person", "model", "uniform"]


def hidden_text(text: HiddenText, *, presenter: bool, key: str = "guess_text") -> None:
    """Show a text as far as it is revealed.

    Args:
        text: What may be seen.
        presenter: Whether it is read from the back row.
        key: Names the component in the session.
    """
    scored = [i for i, bits in enumerate(text.bits) if bits is not None]
    data = {
        "shown": list(text.shown),
        "bits": list(text.bits),
        "n_hidden": text.n_hidden,
        "newest": scored[-1] if scored else -1,
        "presenter": presenter,
    }
    _text(key=key, data=data, height="content")


def score_tiles(tiles: Sequence[Tile], *, presenter: bool, key: str = "guess_tiles") -> None:
    """Show everyone's score for the newest token beside each other."""
    data = {"tiles": [asdict(tile) for tile in tiles], "presenter": presenter}
    _text(key=key, data=data, height="content")


_text = plain_component("guess_text", "mountGuess", Path(__file__).parent)
