"""What a decoding method costs and gives: seconds, log-probability, variety, repetition.

Greedy decoding, beam search and sampling go on from the same prompts, by the same kind of pass,
under the same rules for stopping. Variety is counted as distinct n-grams (Li et al. 1510.03055),
repetition as the 4-grams that the text had before.
"""

import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from model.batch import Batch
from model.beam_search import BeamSearch
from model.beam_search.records import DecodingCost
from model.generation import Generation
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.sampling import Settings
from model.tokenizing import text_of

N_GRAMS = (1, 2, 3)
REPEAT = 4  # tokens in a row that count as a repetition
SAMPLINGS = {
    "sampling, T = 1": Settings(),
    "sampling, T = 0.8, top-p 0.9": Settings(temperature=0.8, top_p=0.9),
}


@dataclass
class _Method:
    """A decoding method, and what it has generated so far."""

    name: str
    n_beams: int = 0  # 0 for sampling
    settings: Settings = field(default_factory=Settings)
    texts: list[tuple[int, ...]] = field(default_factory=list)  # generated ids
    logprobs: list[tuple[float, ...]] = field(default_factory=list)  # nats, of each token
    seconds: float = 0.0


def measure_costs(
    lm: LanguageModel, prompts: Sequence[str], n_beams: int, n_tokens: int, first_seed: int = 0
) -> Work[tuple[DecodingCost, ...]]:
    """Continues every prompt greedily, by beam search, and by sampling at two settings.

    Each prompt is read once, outside the clock. Every text ends after `n_tokens` if neither an end
    token nor the context comes first.

    Raises:
        ValueError: where a prompt cannot be read.
    """
    starts = [Generation(lm, prompt) for prompt in prompts]
    if lm.context_length is not None:
        n_tokens = min(n_tokens, lm.context_length - max(len(start.ids) for start in starts))
    methods = [_Method("greedy", 1), _Method(f"beam search, {n_beams} beams", n_beams)]
    methods += [_Method(name, 0, settings) for name, settings in SAMPLINGS.items()]
    seeded = list(enumerate(starts, start=first_seed))
    queue = [(seed, start, method) for seed, start in seeded for method in methods]

    def look() -> tuple[DecodingCost, ...]:
        return tuple(cost_of(lm, method) for method in methods if method.texts)

    for place, (seed, start, method) in enumerate(queue):
        steps = (
            _search(method, start, n_tokens)
            if method.n_beams
            else _sample(method, start, n_tokens, seed)
        )
        for i, _ in enumerate(steps):
            yield Progress(place * n_tokens + i, len(queue) * n_tokens, method.name, look)
    return look()


def _search(method: _Method, start: Generation, n_tokens: int) -> Iterator[None]:
    """Adds the likeliest text of a beam search; yields before each step."""
    search = BeamSearch(start, method.n_beams, max_new_tokens=n_tokens)
    while not search.is_done:
        yield
        started = time.perf_counter()
        search.step()
        method.seconds += time.perf_counter() - started
    best = search.run()[0]
    method.texts.append(best.token_ids)
    method.logprobs.append(best.logprobs)


def _sample(method: _Method, start: Generation, n_tokens: int, seed: int) -> Iterator[None]:
    """Adds a sampled text, by the same pass as the beams and not by the quicker one for one text.

    Yields before each step.
    """
    batch = Batch.after(start)
    ids: list[int] = []
    logprobs: list[float] = []
    while len(ids) < n_tokens and not (ids and ids[-1] in start.lm.end_ids):
        yield
        started = time.perf_counter()
        chosen = batch.draw([method.settings], [seed], start.n_prompt)
        logprobs.append(float(batch.logprobs[0, chosen[0]]))
        ids += chosen
        batch.append(chosen)
        method.seconds += time.perf_counter() - started
    method.texts.append(tuple(ids))
    method.logprobs.append(tuple(logprobs))


def cost_of(lm: LanguageModel, method: _Method) -> DecodingCost:
    """Sums up what a method has generated so far, one text at least."""
    texts, n_tokens = method.texts, sum(map(len, method.texts))
    return DecodingCost(
        name=method.name,
        n_texts=len(texts),
        n_tokens=n_tokens,
        seconds=method.seconds,
        logprob=math.fsum(map(math.fsum, method.logprobs)) / n_tokens,
        distinct={n: sum(distinct(text, n) for text in texts) / len(texts) for n in N_GRAMS},
        repeated=1 - sum(distinct(text, REPEAT) for text in texts) / len(texts),
        sample=text_of(lm.tokenizer, texts[-1]),
    )


def distinct(ids: Sequence[int], n: int) -> float:
    """Returns the different n-grams of a text as a fraction of all it has; 1 where it has none."""
    grams = [tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)]
    return len(set(grams)) / len(grams) if grams else 1.0
