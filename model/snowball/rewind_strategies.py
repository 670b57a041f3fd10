"""A bad token, and what to do about it: leave it, or stop, go back to it and choose again.

Going back costs the tokens that are discarded and one token that is read again; the tokens before
the bad one are kept, cache and all.
"""

import time
from collections.abc import Generator, Sequence
from itertools import pairwise
from typing import TypeAlias

from model.generation import Generation
from model.job import Progress, Work
from model.sampling import Settings
from model.snowball.fork import refuse_finished
from model.snowball.records import RewindStrategy
from model.tokenizing import known_ids, text_of

Strategies: TypeAlias = tuple[RewindStrategy, ...]


def compare_rewinds(
    start: Generation, bad_id: int, settings: Settings, n_tokens: int, waits: Sequence[int]
) -> Work[Strategies]:
    """Leaves a bad token in a copy of a text, then goes back to it after longer and longer waits.

    Each wait is the number of tokens before a stop, the bad one included; in the end each copy has
    `n_tokens` from the bad place on.

    Raises:
        ValueError: where the text is finished, or a wait makes no sense.
    """
    refuse_finished(start)
    if not waits or not all(1 <= wait <= n_tokens for wait in waits):
        raise ValueError(f"Stop after 1 to {n_tokens} tokens, the bad one included.")
    bad_id = known_ids(start.lm, [bad_id])[0]
    ways = [None, *sorted(set(waits))]
    strategies: list[RewindStrategy] = []

    def progress(doing: str) -> Progress[Strategies]:
        return Progress(len(strategies), len(ways), doing, lambda: tuple(strategies))

    never = start.fork()  # the text without the bad token, to compare with
    yield from _write(never, n_tokens, settings, progress("the text without the bad token"))
    for wait in ways:
        doing = progress(_name(wait, n_tokens))
        # write: the bad token, and what the pointer draws after it
        text, n_discarded = start.fork(), 0
        passes = yield from _write(text, wait or n_tokens, settings, doing, bad_id)
        if wait is not None:
            # rewind: all from the bad token on is discarded, and the last that stays is read
            n_discarded, started = len(text.ids) - len(start.ids), time.perf_counter()
            text.rewind(n_discarded)
            passes.append(time.perf_counter() - started)
            # choose again: the pointer draws at the bad place, too
            passes += yield from _write(text, n_tokens, settings, doing)
        strategies.append(_strategy(doing.doing, text, never, start, n_discarded, passes))
    return tuple(strategies)


def _write(
    text: Generation,
    n_tokens: int,
    settings: Settings,
    progress: Progress[Strategies],
    first_id: int | None = None,
) -> Generator[Progress[Strategies], None, list[float]]:
    """Writes some tokens, the first of them forced; returns the seconds of each pass."""
    passes: list[float] = []
    for i in range(n_tokens):
        if text.finished is not None:
            break
        yield progress
        text.step(settings, token_id=None if i else first_id)
        if text.finished is None:
            passes.append(text.last_pass.seconds)
    return passes


def _name(wait: int | None, n_tokens: int) -> str:
    if wait is None:
        return "leave it"
    return "rewind at the end" if wait == n_tokens else f"rewind after {wait}"


def _strategy(
    name: str,
    text: Generation,
    never: Generation,
    start: Generation,
    n_discarded: int,
    passes: Sequence[float],
) -> RewindStrategy:
    """Writes down what a way took, and what it came to from the bad place on."""
    steps = text.steps[len(start.steps) :]
    ids = [step.token_id for step in steps]
    pairs = list(pairwise(ids))
    return RewindStrategy(
        name=name,
        n_discarded=n_discarded,
        n_kept=len(ids),
        n_passes=len(passes),
        seconds=sum(passes),
        surprise=-sum(step.logprob for step in steps[1:]) / max(1, len(steps) - 1),
        distinct=len(set(pairs)) / max(1, len(pairs)),
        text=text_of(text.lm.tokenizer, ids),
        is_restored=text.ids == never.ids,
    )
