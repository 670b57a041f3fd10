"""One constraint by several decoding methods: which find a likelier text than argmax, how often."""

import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from statistics import mode

from model.constraints.decoding import ConstrainedBeamSearch, ConstrainedGeneration, Constraint
from model.constraints.records import ConstrainedText, MethodResult
from model.draw import agreement
from model.generation import Generation
from model.job import Progress, Work
from model.sampling import Settings
from model.tokenizing import encode_bare

MAX_TOKENS = 48  # that are generated under a constraint
TEMPERATURES = (0.1, 0.2, 0.3, 0.5, 1.0)
N_TEXTS = 20
N_BEAMS = 4


@dataclass
class _DecodingMethod:
    """A decoding method, and what it has generated so far."""

    name: str
    temperature: float | None  # None for the beam search
    n_wanted: int = 1
    texts: list[ConstrainedText] = field(default_factory=list)
    seconds: float = 0.0


def compare_methods(
    start: Generation, constraint: Constraint, n_texts: int = N_TEXTS, first_seed: int = 0
) -> Work[tuple[MethodResult, ...]]:
    """Generates by every method from one prompt: argmax first, at last the beam search.

    Args:
        start: the prompt as it was read, with a limit on length; it stays as it is.
        constraint: what may follow.
        n_texts: at each temperature; by argmax all would be copies.
        first_seed: of the texts at each temperature; each has the next one.

    Raises:
        ValueError: where there is no room after the prompt.
    """
    if start.finished is not None:
        raise ValueError("The prompt leaves no room for a text: shorten it.")
    sampled = [_DecodingMethod(f"T = {t:g}", t, n_texts) for t in TEMPERATURES]
    methods = [_DecodingMethod("argmax", 0.0), *sampled, _DecodingMethod(f"{N_BEAMS} beams", None)]
    queue = [
        (method, first_seed + number) for method in methods for number in range(method.n_wanted)
    ]

    def look() -> tuple[MethodResult, ...]:
        return tuple(_result(method, methods[0].texts[0]) for method in methods if method.texts)

    for n_done, (method, seed) in enumerate(queue):
        for _ in _generate(method, seed, start, constraint):
            yield Progress(n_done, len(queue), method.name, look)
    return look()


def probs_of_choices(start: Generation, choices: Sequence[str]) -> dict[str, float]:
    """Returns how likely the model itself finds each of some texts after a prompt.

    Args:
        start: the prompt as it was read; it stays as it is.
        choices: what may follow, as the tokenizer reads it by itself.
    """
    probs = {}
    for choice in choices:
        text = start.fork()
        for token_id in encode_bare(start.lm, choice):
            text.step(token_id=token_id)
        probs[choice] = math.exp(text.logprob)
    return probs


def _generate(
    method: _DecodingMethod, seed: int, start: Generation, constraint: Constraint
) -> Iterator[None]:
    """Generates one text more; yields before each step."""
    decoder: ConstrainedBeamSearch | ConstrainedGeneration
    step: Callable[[], object]
    if method.temperature is None:
        decoder = ConstrainedBeamSearch(start, constraint, N_BEAMS, _context_left(start))
        step = decoder.step
    else:
        decoder = ConstrainedGeneration(start.fork(seed=seed), constraint)
        step = partial(decoder.step, Settings(temperature=method.temperature))
    while not decoder.is_done:
        yield
        started = time.perf_counter()
        step()
        method.seconds += time.perf_counter() - started
    method.texts.append(decoder.result())


def _context_left(start: Generation) -> int:
    limit = start.lm.context_length
    return MAX_TOKENS if limit is None else min(MAX_TOKENS, limit - len(start.ids))


def _result(method: _DecodingMethod, argmax: ConstrainedText) -> MethodResult:
    texts = method.texts
    complete = [text for text in texts if text.is_complete]
    answers = [text.text for text in texts]
    n_escaped = sum(t.text != argmax.text and t.logprob > argmax.logprob for t in complete)
    return MethodResult(
        name=method.name,
        temperature=method.temperature,
        n_texts=len(texts),
        n_complete=len(complete),
        most_common=mode(answers),
        agreement=agreement(answers),
        escape_rate=n_escaped / len(texts),
        logprob=sum(text.logprob for text in texts) / len(texts),
        seconds=method.seconds,
    )
