"""What can be measured on a distribution and on the texts drawn from it.

Masks side by side, thousands of draws, many continuations of one prompt and their vote, and the
circle into which the best token can lead. This module knows the sampling pipeline and
`Generation`; it draws nothing.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from model.draw import draw_many, uniform_at
from model.generation import Generation
from model.records import FloatArray, Stage
from model.sampling import Settings, process

T = TypeVar("T", bound=Hashable)

MASKS_ALONE = (
    "greedy",
    "temperature",
    "top_k",
    "top_p",
    "min_p",
    "typical_p",
    "epsilon",
    "eta",
    "top_n_sigma",
)
SEVERAL = 3  # times that a phrase has to come in a row to be called a loop
LEAST_LOOP = 6  # tokens that those times have to cover


# One distribution, many masks


def apply_alone(logits: FloatArray, name: str, value: float) -> Stage:
    """Returns what one mask makes of the raw logits, with nothing before or after it.

    Args:
        logits: (vocab,) raw.
        name: one of MASKS_ALONE; "greedy" takes no value.
        value: the setting of that name.
    """
    wish = {"temperature": 0.0} if name == "greedy" else {name: value}
    order = ("temperature",) if name == "greedy" else (name,)
    return process(logits, [], Settings(**wish, order=order))[-1]  # type: ignore[arg-type]  # by name


def jaccard(first: Stage, second: Stage) -> float:
    """Returns the tokens that both keep, as a fraction of those that either keeps."""
    either = np.count_nonzero(first.kept | second.kept)
    return float(np.count_nonzero(first.kept & second.kept) / either)


def divergence(first: Stage, second: Stage) -> float:
    """Returns KL(first || second) in nats: infinite where the second cuts what the first keeps."""
    if np.any(first.kept & ~second.kept):
        return math.inf
    alive = first.kept & (first.probs > 0)
    with np.errstate(divide="ignore"):
        terms = first.probs[alive] * (np.log(first.probs[alive]) - np.log(second.probs[alive]))
    return max(0.0, math.fsum(terms.tolist()))  # rounding may leave it a hair below


# Many draws


def count_draws(stage: Stage, n: int, seed: int = 0) -> npt.NDArray[np.int64]:
    """Draws n tokens by n coins, as the loop draws one, and returns how often each came.

    Args:
        stage: the distribution.
        n: how many draws; the i-th takes the coin of position i.
        seed: of the coins.
    """
    coins = [uniform_at(seed, position) for position in range(n)]
    drawn = draw_many(stage.order, stage.best_probs, coins)
    return np.bincount(drawn, minlength=stage.n_vocab)


# Many continuations of one prompt


@dataclass(frozen=True)
class Continuation:
    """One text that followed the prompt."""

    seed: int
    text: str
    token_ids: tuple[int, ...]
    logprob: float  # nats, of the raw softmax at temperature 1


def write_continuations(
    start: Generation, settings: Settings, n: int, n_tokens: int, first_seed: int = 0
) -> Iterator[Continuation | None]:
    """Continues one prompt n times, each time by the coins of another seed.

    Args:
        start: the prompt as it was read; it stays as it is.
        settings: the same for all of them.
        n: how many texts.
        n_tokens: longest length of each.
        first_seed: of the first one; the next takes the next.

    Yields:
        None after every token but the last, so that whoever asks may stop; then the text.
    """
    for seed in range(first_seed, first_seed + n):
        # fork: every text goes on from the same cache, by coins of its own
        twin = start.fork(seed=seed)
        for _ in range(n_tokens):
            if twin.finished:
                break
            twin.step(settings)
            yield None
        text = twin.text[len(start.text) :]
        yield Continuation(seed, text, tuple(twin.ids[len(start.ids) :]), twin.logprob)


def first_word(text: str) -> str:
    """Returns the first word of a text in lower case: what a short answer comes down to."""
    found = re.search(r"[\w']+", text)
    return found[0].lower() if found else "(none)"


def vote(answers: Sequence[T]) -> tuple[tuple[T, int], ...]:
    """Counts answers, most votes first; of equals the one that came first."""
    return tuple(Counter(answers).most_common())


def agreement(answers: Sequence[Hashable]) -> float:
    """Returns the chance that two of the answers, taken at random, are the same.

    Raises:
        ValueError: where there are fewer than two.
    """
    if len(answers) < 2:
        raise ValueError("Agreement takes two answers: draw more.")
    n = len(answers)
    return sum(count * (count - 1) for _, count in vote(answers)) / (n * (n - 1))


# The circle


@dataclass(frozen=True)
class Loop:
    """A phrase that comes again and again, up to the end of a text."""

    start: int  # index of its first token in the ids that were looked at
    period: int  # tokens of the phrase
    n_times: float  # how often it came; the last time may be unfinished


def find_loop(ids: Sequence[int]) -> Loop | None:
    """Looks for a phrase that the text ends in repeating: the shortest that it repeats.

    A text has the period p from where each token equals the one p places before it. It is a loop
    where that holds for three times the phrase and for six tokens at least.
    """
    n = len(ids)
    for period in range(1, n // SEVERAL + 1):
        # walk back while each token equals the one a period before it
        start = n - period
        while start > 0 and ids[start - 1] == ids[start - 1 + period]:
            start -= 1
        if n - start >= max(SEVERAL * period, LEAST_LOOP):
            return Loop(start, period, (n - start) / period)
    return None


def penalised_once(logit: float, penalty: float) -> float:
    """Returns a logit after the repetition penalty: a negative one multiplied, any other divided.

    Dividing a negative logit would make its token *more* likely, hence the rule of the sign.
    """
    return logit * penalty if logit < 0 else logit / penalty


def penalties_against(base: Settings, values: Mapping[str, float]) -> dict[str, Settings]:
    """Returns the settings with each of the penalties alone, in an order that has all of them."""
    order = ("repetition_penalty", "frequency_penalty", "presence_penalty", "temperature")
    plain = replace(base, order=order)
    return {"none": plain} | {
        name: replace(plain, **{name: value})  # type: ignore[arg-type]  # by name
        for name, value in values.items()
    }
