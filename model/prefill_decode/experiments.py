"""The two phases, measured: prompts of many lengths, and requests that swap reading and writing.

A request is timed as its reader waits, by the clock on the wall: from the request to the first
token, then from each token to the next. Everything is one pass at a time, so that whoever runs it
can stop between any two; what happens between two passes is in no time.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeAlias

import numpy as np

from model.draw import draw, uniform_at
from model.fast.engines import Engine, make_engine
from model.loading import LanguageModel
from model.passes import Logits
from model.prefill_decode.records import PhaseRun, Reading, Request, Timed
from model.sampling import Settings, process
from model.timing import describe
from model.tokenizing import random_ids

Choose: TypeAlias = Callable[[Logits, Sequence[int]], int]

LENGTHS = (16, 32, 64, 128, 256, 512, 1000)
SHORT, LONG = 50, 1000  # tokens of the two requests
N_READINGS = 5  # of each prompt length
MOST_ROUNDS = 3  # of each request
FEWEST = 2  # readings of each length
ENOUGH_SECONDS = 12.0  # of readings, then of requests: no further round begins after so many
N_WARM = 3
N_WARM_ANSWER = 2  # passes before an answer: one that reads, one that writes


class Writing:
    """One request being answered: every advance hands over one token."""

    def __init__(self, engine: Engine, prompt: Sequence[int], choose: Choose) -> None:
        """Takes the request; nothing runs yet."""
        self.engine, self.prompt, self.choose = engine, list(prompt), choose
        self.token_ids: list[int] = []
        self.waits: list[float] = []  # seconds to the first token, then of each gap

    def advance(self) -> int:
        """Runs one pass, chooses one token, and hands it over.

        The clock runs until the id is known: the way of the ids to the device, the pass, the way
        of the logits back and the choice are in it, and so is a wait for another text's pass on
        the same weights. The logits come to the host, so the device has done its work by then.
        """
        started = time.perf_counter()
        # run: the whole prompt in one pass, or else the newest token alone
        is_first = not self.token_ids
        logits, _ = (
            self.engine.prefill(self.prompt) if is_first else self.engine.decode(self.token_ids[-1])
        )
        # choose: the next token
        token_id = self.choose(logits, [*self.prompt, *self.token_ids])
        # hand over: whoever reads along has it now
        self.waits.append(time.perf_counter() - started)
        self.token_ids.append(token_id)
        return token_id

    @property
    def request(self) -> Request:
        """What was waited for so far."""
        return Request(
            len(self.prompt), self.waits[0], tuple(self.waits[1:]), tuple(self.token_ids)
        )


class Answering:
    """One answer, pass by pass: to its end token, or so many tokens, or for so long."""

    def __init__(
        self,
        lm: LanguageModel,
        engine: Engine,
        prompt: Sequence[int],
        choose: Choose,
        n_out: int,
        most_seconds: float,
    ) -> None:
        """Takes the request; the first passes will warm up and count for nothing else."""
        self.lm, self.most_seconds = lm, most_seconds
        self.writing = Writing(engine, prompt, choose)
        self._warming = Writing(engine, prompt, choose)
        self.n_done, self.n_total = 0, N_WARM_ANSWER + n_out
        self.doing, self.is_done = "warming up", False

    def advance(self) -> None:
        """Runs the next pass."""
        if self.n_done < N_WARM_ANSWER:
            self._warming.advance()
            self.doing = "writing" if self.n_done == N_WARM_ANSWER - 1 else self.doing
        else:
            is_end = self.writing.advance() in self.lm.end_ids
            self.is_done = is_end or sum(self.writing.waits) > self.most_seconds
        self.n_done += 1
        self.is_done = self.is_done or self.n_done >= self.n_total


def best_that_goes_on(lm: LanguageModel) -> Choose:
    """Returns the choice of the best token that ends nothing: all answers get equally long."""
    ends = list(lm.end_ids)

    def choose(logits: Logits, _ids: Sequence[int]) -> int:
        open_ended = logits.copy()
        open_ended[ends] = -np.inf
        return int(open_ended.argmax())

    return choose


def by_the_coin(settings: Settings, seed: int, n_prompt: int) -> Choose:
    """Returns the choice of the first page: the masks, then the coin of seed and position."""

    def choose(logits: Logits, ids: Sequence[int]) -> int:
        return draw(process(logits, ids, settings, n_prompt)[-1], uniform_at(seed, len(ids)))

    return choose


def swap_lengths(lm: LanguageModel) -> tuple[int, int]:
    """Returns the few and the many tokens of the two requests, as far as the context reaches."""
    limit = lm.context_length or SHORT + LONG
    few = min(SHORT, limit // 4)
    return few, min(LONG, limit - few)


def _steps_worth(n_tokens: int) -> int:
    return max(1, n_tokens // 16)


class PhaseExperiment:
    """Both phases on one model, pass by pass: warm up, read prompts, answer the two requests."""

    def __init__(
        self,
        lm: LanguageModel,
        engine_name: str,
        swap: tuple[int, int] | None = None,
        lengths: Sequence[int] = LENGTHS,
    ) -> None:
        """Plans the passes; the first of them run at the first advance.

        Args:
            lm: A causal model that takes a cache.
            engine_name: How it decodes, one of `engine_names`.
            swap: The few and the many tokens of the two requests.
            lengths: Of prompts that are read, as far as the context reaches.

        Raises:
            ValueError: One sentence with the remedy.
        """
        self.few, self.many = swap or swap_lengths(lm)
        if self.few < 2 or self.many <= self.few:
            raise ValueError(
                f"{lm.name} reads {lm.context_length} tokens at most, too few to tell the phases "
                "apart: choose a model with a longer context."
            )
        self.lm = lm
        self.lengths = tuple(n for n in lengths if n <= self.many)
        self.engine = make_engine(lm, engine_name, self.few + self.many)
        self._choose = best_that_goes_on(lm)
        self._ids = random_ids(lm, self.many)
        self._warmup: list[float] = []
        self._read: dict[int, list[float]] = {n: [] for n in self.lengths}
        self._requests: dict[int, list[Request]] = {self.many: [], self.few: []}
        self.writing: Writing | None = None
        self.n_done, self.doing = 0, "warming up"
        # progress: a long prompt takes about as long as some tens of steps
        self._weight = 1
        self.n_total = (
            2 * N_WARM
            + N_READINGS * sum(map(_steps_worth, self.lengths))
            + MOST_ROUNDS * (self.few + self.many)
        )
        self._plan = self._passes()
        self.is_done = False

    def advance(self) -> None:
        """Runs the next pass."""
        self.is_done = next(self._plan, None) is None
        self.n_done = self.n_total if self.is_done else self.n_done + self._weight

    def _passes(self) -> Iterator[str]:
        """Runs one pass for each value that is asked for, and says what it was."""
        # prepare: capture or compile what the engine captures or compiles
        for doing in self.engine.prepare():
            self.doing = doing
            yield doing
        # warm up: the first passes find buffers to allocate and kernels to choose
        self.doing = "warming up"
        for _ in range(N_WARM):
            self._warmup.append(self.engine.prefill(self._ids[: self.few])[1])
            yield self.doing
            self._warmup.append(self.engine.decode(self._ids[0])[1])
            yield self.doing
        # read: all lengths take turns, so that a busy moment is busy for all
        self.doing = "reading prompts"
        for turn in range(N_READINGS):
            if turn >= FEWEST and sum(map(sum, self._read.values())) > ENOUGH_SECONDS:
                break
            for n_tokens, seconds in self._read.items():
                self._weight = _steps_worth(n_tokens)
                seconds.append(self.engine.prefill(self._ids[:n_tokens])[1])
                yield self.doing
        # answer: the two requests take turns as well
        spent, self._weight = 0.0, 1
        for turn in range(MOST_ROUNDS):
            if turn and spent > ENOUGH_SECONDS:
                return
            for n_in, n_out in ((self.many, self.few), (self.few, self.many)):
                self.doing = f"{n_in} tokens in, {n_out} out"
                yield from self._answer(n_in, n_out)
                spent += self._requests[n_in][-1].seconds

    def _answer(self, n_in: int, n_out: int) -> Iterator[str]:
        self.writing = Writing(self.engine, self._ids[:n_in], self._choose)
        for _ in range(n_out):
            self.writing.advance()
            yield self.doing
        self._requests[n_in].append(self.writing.request)
        self.writing = None

    @property
    def result(self) -> PhaseRun:
        """What was measured so far; a request that was stopped counts where no other is whole."""
        requests = {n_in: list(done) for n_in, done in self._requests.items()}
        if self.writing is not None and self.writing.waits:
            n_in = len(self.writing.prompt)
            requests[n_in] = requests[n_in] or [self.writing.request]
        return PhaseRun(
            machine=describe(self.lm),
            engine=self.engine.name,
            warmup=tuple(self._warmup),
            readings=tuple(
                Reading(n, Timed(tuple(seconds))) for n, seconds in self._read.items() if seconds
            ),
            long_in=tuple(requests[self.many]),
            long_out=tuple(requests[self.few]),
            trials=tuple(self.engine.trials),
        )
