"""What must be done to go on from a scene: a few phrases, and what a session says of them.

Knows nothing of Streamlit: a session is what its pages keep, by any key.
"""

import re
from collections.abc import Callable, Iterable
from operator import gt, lt
from typing import Any, TypeAlias

Condition: TypeAlias = Callable[[Iterable[Any]], bool]  # told all that a session keeps

NEAR = 0.02  # of a value to drag to

# the last words of the keys of the jobs that a scene may wait for
JOBS = (
    *("loop", "vote", "cost", "exact", "methods", "race", "prefix"),
    *("phases", "stream", "roofline", "batches", "scoring", "greedy", "sampled", "speed", "drafts"),
    *("check", "sweep", "training", "fork", "forks", "rewind", "instruction", "long", "context"),
)


def read_condition(phrase: str) -> Condition | None:
    """Returns what tells whether the words of a phrase hold; None where it is none of `PHRASES`."""
    for pattern, _, make in _KINDS:
        if match := re.fullmatch(pattern, phrase):
            return make(*match.groups())
    return None


def _written(n_tokens: str) -> Condition:
    return lambda kept: any(len(text.ids) - text.n_prompt >= int(n_tokens) for text in _texts(kept))


def _cached(n_tokens: str) -> Condition:
    return lambda kept: any(text.cache_tokens >= int(n_tokens) for text in _texts(kept))


def _forced() -> Condition:
    return lambda kept: (
        any(getattr(one, "has_forced", False) for one in kept)
        or any(step.forced for text in _texts(kept) for step in text.steps)
    )


def _repeated() -> Condition:
    return lambda kept: any(getattr(one, "has_repeated", False) for one in kept)


def _guessed() -> Condition:
    return lambda kept: any(getattr(one, "guess", None) is not None for one in kept)


def _finished() -> Condition:
    return lambda kept: any(text.finished is not None for text in _texts(kept))


def _set(name: str, side: str, number: str) -> Condition:
    field, is_so, bound = name.replace("-", "_"), _SIDES[side], float(number)
    return lambda kept: any(
        is_so(getattr(one.controls, field), bound) for one in kept if hasattr(one, "controls")
    )


def _near(value: float, wanted: float) -> bool:
    """Returns whether a value is the one that a finger was to drag to."""
    return abs(value - wanted) <= NEAR


_SIDES: dict[str, Callable[[float, float], bool]] = {"above": gt, "below": lt, "": _near}


def _stepped_to_the_end() -> Condition:
    return lambda kept: any(
        not one.stepper.steps.can_step for one in kept if hasattr(one, "stepper")
    )


def _done(name: str) -> Condition:
    return lambda kept: any(
        job.is_done and job.found is not None
        for one in kept
        if hasattr(one, "jobs")
        for key, job in one.jobs.items()
        if key.rpartition("_")[2] == name
    )


def _texts(kept: Iterable[Any]) -> list[Any]:
    """Returns the texts that are being written: the first page's, and a lesson's of its own."""
    steps = [getattr(getattr(one, "stepper", None), "steps", None) for one in kept]
    found = [getattr(one, "generation", None) for one in (*kept, *steps)]
    return [text for text in found if hasattr(text, "cache_tokens")]


_KINDS: tuple[tuple[str, str, Callable[..., Condition]], ...] = (
    (r"(\d+) tokens? (?:is|are) written", "3 tokens are written", _written),
    (r"the cache holds (\d+) tokens", "the cache holds 12 tokens", _cached),
    (r"a token is forced", "a token is forced", _forced),
    (
        r"the same (?:step is done|text is written) twice",
        "the same step is done twice",
        _repeated,
    ),
    (r"the bars show", "the bars show", _guessed),
    (r"the text is finished", "the text is finished", _finished),
    (
        r"(temperature|top-k|top-p|min-p) is (above|below|)\s?(\d+(?:\.\d+)?)",
        "temperature is above 1.5",
        _set,
    ),
    (r"no step is left", "no step is left", _stepped_to_the_end),
    (
        rf"the ({'|'.join(JOBS)})(?: [a-z]+)? (?:is|are) (?:done|measured)",
        "the race is done",
        _done,
    ),
)
PHRASES = tuple(example for _, example, _ in _KINDS)
