"""What the page on stopping draws: a text as it streams, and the end token along a text."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

Held: TypeAlias = Literal["", "stop", "character"]  # why: the beginning of a string, or of a letter


@dataclass(frozen=True)
class Moment:
    """What the model and a client have after one more token."""

    label: str  # of the token, spaces visible
    data: bytes  # that it adds
    new: str  # characters that are sent with it
    sent: str  # all that the client has
    n_sent: int  # bytes of it
    held: bytes
    why: Held
    match: str | None  # the stop string that it completes
    is_end: bool = False  # the end token


@dataclass(frozen=True)
class EndStep:
    """How likely the end token was at one position, before and after the settings."""

    label: str  # of the token that was written
    raw: float  # probability of the end token, at temperature 1
    masked: float  # under the settings; 0 where they exclude it
    segments: tuple[tuple[float, float], ...]  # of the draw bar, begin and end: the end tokens'
    pointer: float  # that fell on the bar
    drawn: tuple[float, float]  # of the draw bar, begin and end: the token's on which it fell


@dataclass(frozen=True)
class EndCurve:
    """A text that was written until something ended it."""

    steps: tuple[EndStep, ...]
    finished: str | None  # "eos", "stop", "length"; None if it was stopped
    stopped_by: str | None
    sent: str  # what a client has
    n_prompt_ends: int  # end tokens in the prompt, which a repetition penalty counts


@dataclass(frozen=True)
class NextTokens:
    """The tokens of a prompt, and the likeliest ones after it."""

    labels: tuple[str, ...]
    best: tuple[tuple[str, float], ...]  # label and probability, likeliest first


@dataclass(frozen=True)
class StringSearch:
    """A stop string looked for in a text: as characters, and as the tokens that it has alone."""

    labels: tuple[str, ...]  # of the text
    alone: tuple[str, ...]  # of the string by itself
    is_found_by_ids: bool  # whether those tokens stand in the text, one after another
    span: tuple[int, int]  # tokens of the text from the first that the string touches to its end
    sent: str  # what a client sees of the text


@dataclass(frozen=True)
class RoundEnd:
    """A round of speculative decoding in which the draft proposes an end token."""

    proposals: tuple[str, ...]
    best: tuple[str, ...]  # the target's best token at each position, and at the one after them
    n_accepted: int
    has_ended: bool  # by an end token that was accepted
    n_read: int  # positions of the target's cache after its pass
    n_kept: int  # and after the round
