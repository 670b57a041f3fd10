"""Both phases, measured: prompts of many lengths, and requests that swap reading and writing.

A request is timed as its reader waits, by the clock on the wall: from the request to the first
token, then from each token to the next. What happens between two passes is in no time.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from model.draw import best_except, draw, uniform_at
from model.fast.engines import Engine, make_engine
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.passes import Logits
from model.prefill_decode.records import PhaseRun, Reading, RequestTiming, Timed
from model.sampling import Settings, process
from model.timing import describe
from model.tokenizing import random_ids

Choose: TypeAlias = Callable[[Logits, Sequence[int]], int]
TimedToken: TypeAlias = tuple[int, float]  # its id, and the seconds that its reader waited for it

LENGTHS = (16, 32, 64, 128, 256, 512, 1000)
SHORT, LONG = 50, 1000  # tokens of the two requests
N_READINGS = 5  # of each prompt length
MAX_ROUNDS = 3  # of each request
MIN_READINGS = 2  # of each length
ENOUGH_SECONDS = 12.0  # of readings, then of requests: no further round begins after so many
N_WARM = 3
N_WARM_ANSWER = 2  # passes before an answer: one that reads, one that writes


def stream(engine: Engine, prompt: Sequence[int], choose: Choose) -> Iterator[TimedToken]:
    """Answers a request: hands over one token after another, each as soon as it is chosen.

    The clock of a token runs until its id is known: the way of the ids to the device, the pass, the
    way of the logits back and the choice are in it, and so is a wait for another text's pass on the
    same weights. The logits come to the host, so the device has done its work by then.
    """
    token_ids: list[int] = []
    while True:
        started = time.perf_counter()
        # run: the whole prompt in one pass, or else the newest token alone
        logits, _ = engine.decode(token_ids[-1]) if token_ids else engine.prefill(prompt)
        # choose: the next token
        token_ids.append(choose(logits, [*prompt, *token_ids]))
        # hand over: whoever reads along has it now
        yield token_ids[-1], time.perf_counter() - started


def request_of(n_in: int, tokens: Sequence[TimedToken]) -> RequestTiming:
    """Puts down what was waited for, of at least one token."""
    token_ids, waits = zip(*tokens, strict=True)
    return RequestTiming(n_in, waits[0], waits[1:], token_ids)


def answer(
    lm: LanguageModel,
    engine: Engine,
    prompt: Sequence[int],
    choose: Choose,
    n_out: int,
    max_seconds: float,
) -> Work[RequestTiming]:
    """Answers one request, warmed up: to its end token, or so many tokens, or for so long."""
    n_total, tokens = N_WARM_ANSWER + n_out, list[TimedToken]()

    def so_far() -> RequestTiming:
        return request_of(len(prompt), tokens)

    warming = stream(engine, prompt, choose)
    for n_done in range(N_WARM_ANSWER):
        yield Progress(n_done, n_total, "warming up")
        next(warming)
    writing = stream(engine, prompt, choose)
    for n_done in range(N_WARM_ANSWER, n_total):
        yield Progress(n_done, n_total, "writing", so_far if tokens else None)
        tokens.append(next(writing))
        if tokens[-1][0] in lm.end_ids or sum(wait for _, wait in tokens) > max_seconds:
            break
    return so_far()


def best_that_goes_on(lm: LanguageModel) -> Choose:
    """Returns the choice of the best token that ends nothing: all answers get equally long."""
    return lambda logits, _ids: best_except(logits, lm.end_ids)


def by_the_pointer(settings: Settings, seed: int, n_prompt: int) -> Choose:
    """Returns a function that chooses as the first page does: masks, then the pointer."""

    def choose(logits: Logits, ids: Sequence[int]) -> int:
        pointer = uniform_at(seed, len(ids))
        return draw(process(logits, ids, settings, n_prompt, pointer)[-1], pointer)

    return choose


def swap_lengths(lm: LanguageModel) -> tuple[int, int]:
    """Returns the few and the many tokens of the two requests, as far as the context reaches."""
    limit = lm.context_length or SHORT + LONG
    few = min(SHORT, limit // 4)
    return few, min(LONG, limit - few)


def measure_phases(
    lm: LanguageModel,
    engine_name: str,
    swap: tuple[int, int] | None = None,
    lengths: Sequence[int] = LENGTHS,
) -> Work[PhaseRun]:
    """Measures both phases on one model: warm up, read prompts, answer the two requests.

    Args:
        lm: A causal model that takes a cache.
        engine_name: How it decodes, one of `engine_names`.
        swap: The few and the many tokens of the two requests.
        lengths: Of prompts that are read, as far as the context reaches.

    Raises:
        ValueError: One sentence with the remedy.
    """
    few, many = swap or swap_lengths(lm)
    if few < 2 or many <= few:
        raise ValueError(
            f"{lm.shown} reads {lm.context_length} tokens at most, too few to tell the phases "
            "apart: choose a model with a longer context."
        )
    engine = make_engine(lm, engine_name, few + many)
    times = _Times(lm, engine, few, many, {n: [] for n in lengths if n <= many})
    # prepare: capture or compile what the engine captures or compiles
    for doing in engine.prepare():
        yield times.progress(doing)
    yield from _warm_up(times)
    yield from _read_prompts(times)
    yield from _answer_requests(times)
    return times.run()


@dataclass
class _Times:
    """What was measured so far."""

    lm: LanguageModel
    engine: Engine
    few: int
    many: int
    readings: dict[int, list[float]]  # tokens of a prompt -> seconds of each pass
    warmup: list[float] = field(default_factory=list)
    long_in: list[list[TimedToken]] = field(default_factory=list)
    long_out: list[list[TimedToken]] = field(default_factory=list)

    def progress(self, doing: str) -> Progress[PhaseRun]:
        """Says how many passes have run, of those that run where none is left out."""
        n_read = len(self.warmup) + sum(map(len, self.readings.values()))
        n_written = sum(map(len, (*self.long_in, *self.long_out)))
        n_total = 2 * N_WARM + N_READINGS * len(self.readings) + MAX_ROUNDS * (self.few + self.many)
        return Progress(n_read + n_written, n_total, doing, self.run)

    def run(self) -> PhaseRun:
        """Puts it down."""
        return PhaseRun(
            machine=describe(self.lm),
            engine=self.engine.name,
            warmup=tuple(self.warmup),
            readings=tuple(
                Reading(n, Timed(tuple(seconds))) for n, seconds in self.readings.items() if seconds
            ),
            long_in=_whole(self.many, self.few, self.long_in),
            long_out=_whole(self.few, self.many, self.long_out),
            trials=tuple(self.engine.trials),
        )


def _whole(
    n_in: int, n_out: int, rounds: Sequence[Sequence[TimedToken]]
) -> tuple[RequestTiming, ...]:
    """Returns the requests that ran whole; one that was stopped counts where no other did."""
    requests = [request_of(n_in, tokens) for tokens in rounds if tokens]
    whole = [request for request in requests if request.n_out == n_out]
    return tuple(whole or requests)


def _warm_up(times: _Times) -> Iterator[Progress[PhaseRun]]:
    """Runs the first passes, which find buffers to allocate and kernels to choose."""
    ids = random_ids(times.lm, times.few)
    for _ in range(N_WARM):
        yield times.progress("warming up")
        times.warmup.append(times.engine.prefill(ids)[1])
        yield times.progress("warming up")
        times.warmup.append(times.engine.decode(ids[0])[1])


def _read_prompts(times: _Times) -> Iterator[Progress[PhaseRun]]:
    """Reads prompts; all lengths take turns, so that a busy moment is busy for all."""
    ids = random_ids(times.lm, times.many)
    for turn in range(N_READINGS):
        if turn >= MIN_READINGS and sum(map(sum, times.readings.values())) > ENOUGH_SECONDS:
            return
        for n_tokens, seconds in times.readings.items():
            yield times.progress("reading prompts")
            seconds.append(times.engine.prefill(ids[:n_tokens])[1])


def _answer_requests(times: _Times) -> Iterator[Progress[PhaseRun]]:
    """Answers the two requests, which take turns as well."""
    ids, choose, spent = random_ids(times.lm, times.many), best_that_goes_on(times.lm), 0.0
    for turn in range(MAX_ROUNDS):
        if turn and spent > ENOUGH_SECONDS:
            return
        for n_in, n_out, rounds in (
            (times.many, times.few, times.long_in),
            (times.few, times.many, times.long_out),
        ):
            writing, tokens = stream(times.engine, ids[:n_in], choose), list[TimedToken]()
            rounds.append(tokens)
            for _ in range(n_out):
                yield times.progress(f"{n_in} tokens in, {n_out} out")
                tokens.append(next(writing))
            spent += sum(wait for _, wait in tokens)
