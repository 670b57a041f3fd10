"""What can be measured on a distribution and on the texts drawn from it: draws, votes, loops."""

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from model import masks
from model.generation import Generation
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.masks import MASKS, log_softmax
from model.records import BoolArray, FloatArray, Stage
from model.sampling import Settings, process
from model.tokenizing import labels_of, text_of

# XTC is left out: whether it masks at all is a toss of its own at each step
MASKS_ALONE = ("greedy", "temperature", *(name for name in MASKS if name != "xtc"))
MIN_TIMES = 3  # that a phrase has to come in a row to be called a loop
MIN_LOOP = 6  # tokens that those times have to cover
GREEDY, SAMPLED = Settings(temperature=0), Settings(temperature=0.7)
N_SIGNS = 3  # tokens of either sign
PENALTIES = {"repetition_penalty": 2.0, "presence_penalty": 1.0, "frequency_penalty": 0.5}


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


def kept_at(
    logits: FloatArray, values: Mapping[str, float], temperatures: Sequence[float]
) -> dict[str, tuple[BoolArray, ...]]:
    """Returns which tokens each mask keeps where a temperature comes before it.

    Args:
        logits: (vocab,) raw.
        values: the masks by name, each with its setting.
        temperatures: one after another.
    """

    def kept(name: str, value: float, temperature: float) -> BoolArray:
        wish: dict[str, Any] = {"temperature": temperature, name: value}
        return process(logits, [], Settings(**wish, order=("temperature", name)))[-1].kept

    return {
        name: tuple(kept(name, value, temperature) for temperature in temperatures)
        for name, value in values.items()
    }


def jaccard(first: Stage, second: Stage) -> float:
    """Returns the tokens that both keep, as a fraction of those that either keeps."""
    either = np.count_nonzero(first.kept | second.kept)
    return float(np.count_nonzero(first.kept & second.kept) / either)


def divergence(first: Stage, second: Stage) -> float:
    """Returns KL(first || second) in nats: infinite where the second cuts what the first keeps."""
    if np.any(first.kept & ~second.kept):
        return math.inf
    return float(masks.divergence(log_softmax(first.scores), log_softmax(second.scores)))


# Many continuations of one prompt


@dataclass(frozen=True)
class Continuation:
    """One text that followed the prompt."""

    seed: int
    text: str
    token_ids: tuple[int, ...]


@dataclass(frozen=True)
class MajorityVote:
    """Continuations of one prompt, by the same seeds at two settings."""

    greedy: tuple[Continuation, ...]  # at T = 0
    sampled: tuple[Continuation, ...]  # at T = 0.7


def write_votes(
    lm: LanguageModel, prompt: str, n_texts: int = 20, n_tokens: int = 8
) -> Work[MajorityVote]:
    """Continues one prompt n times at T = 0 and at T = 0.7, each time by another seed's pointers.

    Raises:
        ValueError: where the prompt cannot be used; one sentence with the remedy.
    """
    start = Generation(lm, prompt)
    texts: dict[Settings, list[Continuation]] = {GREEDY: [], SAMPLED: []}

    def so_far() -> MajorityVote:
        return MajorityVote(tuple(texts[GREEDY]), tuple(texts[SAMPLED]))

    # turn by turn, so that both sides grow while somebody looks
    turns = [(seed, settings) for seed in range(n_texts) for settings in texts]
    for n_done, (seed, settings) in enumerate(turns):
        # fork: every text goes on from the same cache, by pointers of its own
        fork = start.fork(seed=seed)
        while len(fork.steps) < n_tokens and not fork.finished:
            yield Progress(n_done, len(turns), look=so_far)
            fork.step(settings)
        ids = tuple(fork.ids[len(start.ids) :])
        texts[settings].append(Continuation(seed, fork.text[len(start.text) :], ids))
    return so_far()


def first_word(text: str) -> str:
    """Returns the first word of a text in lower case: what a short answer comes down to."""
    found = re.search(r"[\w']+", text)
    return found[0].lower() if found else "(none)"


# Repetition loops


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
    for period in range(1, n // MIN_TIMES + 1):
        # walk back while each token equals the one a period before it
        start = n - period
        while start > 0 and ids[start - 1] == ids[start - 1 + period]:
            start -= 1
        if n - start >= max(MIN_TIMES * period, MIN_LOOP):
            return Loop(start, period, (n - start) / period)
    return None


@dataclass(frozen=True)
class GreedyText:
    """A text of the best tokens, under a penalty or none, and the loop that it ends in."""

    penalty: str  # "none", or the setting's name
    before: str  # prompt and text up to the loop
    repeated: str  # from there on; empty where there is no loop
    loop: Loop | None
    n_tokens: int  # that were written
    is_ended: bool  # by the model's end token
    phrase: str  # that comes again; empty where there is no loop
    changed: tuple[tuple[int, int], ...]  # where in `before` the penalty kept the likeliest away


@dataclass(frozen=True)
class UsedToken:
    """A token that the text has, and its logit for the next place."""

    label: str
    logit: float
    penalised: float  # after the repetition penalty


@dataclass(frozen=True)
class PenalisedTexts:
    """Greedy texts without and with each penalty."""

    texts: tuple[GreedyText, ...]  # the one without a penalty first
    used: tuple[UsedToken, ...]  # of that one, of either sign


def write_with_penalties(
    lm: LanguageModel, prompt: str, n_tokens: int = 120, values: Mapping[str, float] = PENALTIES
) -> Work[PenalisedTexts]:
    """Writes the best token again and again, without and with each penalty.

    Raises:
        ValueError: where the prompt cannot be used; one sentence with the remedy.
    """
    start = Generation(lm, prompt)
    plain = replace(GREEDY, order=(*masks.PENALTIES, "temperature"))
    settings = {"none": plain} | {
        name: replace(plain, **{name: value})  # type: ignore[arg-type]  # by name
        for name, value in values.items()
    }
    texts = {name: start.fork() for name in settings}
    changed: dict[str, list[int]] = {name: [] for name in settings}

    def so_far() -> PenalisedTexts:
        seen = tuple(_greedy_text(name, text, changed[name]) for name, text in texts.items())
        return PenalisedTexts(seen, _used_tokens(texts["none"]))

    for n_done in range(n_tokens):
        for name, text in texts.items():
            if not text.finished:
                yield Progress(n_done, n_tokens, look=so_far)
                likeliest = int(text.logits.argmax())
                step = text.step(settings[name])
                if step.token_id != likeliest:
                    changed[name].append(step.position)
    return so_far()


def _greedy_text(penalty: str, text: Generation, changed: Sequence[int]) -> GreedyText:
    """Returns what is shown of a text; an end token is no part of its loop."""
    is_ended = text.finished == "eos"
    loop = find_loop(text.ids[text.n_prompt : len(text.ids) - is_ended])
    n_before = len(text.ids) if loop is None else text.n_prompt + loop.start
    before = text_of(text.lm.tokenizer, text.ids[:n_before])
    rest = text.text[len(before) :]
    once = text.ids[n_before : n_before + loop.period] if loop else []
    phrase = text_of(text.lm.tokenizer, once).strip()
    ends = [[len(text_of(text.lm.tokenizer, text.ids[:i])) for i in (at, at + 1)] for at in changed]
    spans = tuple((start, end) for start, end in ends if start < end <= len(before))
    return GreedyText(penalty, before, rest, loop, len(text.steps), is_ended, phrase, spans)


def _used_tokens(text: Generation) -> tuple[UsedToken, ...]:
    """Returns the best tokens of either sign that a text has."""
    used = sorted(set(text.ids), key=lambda i: -float(text.logits[i]))
    negative = [i for i in used if text.logits[i] < 0]
    shown = used[: len(used) - len(negative)][:N_SIGNS] + negative[:N_SIGNS]
    logits = text.logits[shown].astype(np.float64)
    once = np.ones(len(shown), dtype=np.intp)
    after = masks.repetition_penalty(logits, once, PENALTIES["repetition_penalty"])
    rows = zip(labels_of(text.lm, shown), logits.tolist(), after.tolist(), strict=True)
    return tuple(UsedToken(*row) for row in rows)
