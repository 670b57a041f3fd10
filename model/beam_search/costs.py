"""What a way of writing costs and gives: seconds, log-probability, variety, repeats.

Greedy, beam search and sampling go on from the same prompts, by the same kind of pass, under the
same rules for stopping. Variety is counted as distinct n-grams (Li et al. 1510.03055), repeats as
the tokens that complete a 4-gram which the text had before. This module draws nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from model.batch import Batch
from model.beam_search import BeamSearch
from model.beam_search.records import Bill, lineage
from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import text_of

N_GRAMS = (1, 2, 3)
REPEAT = 4  # tokens in a row that count as a repeat
SAMPLINGS = {
    "sampling, T = 1": Settings(),
    "sampling, T = 0.8, top-p 0.9": Settings(temperature=0.8, top_p=0.9),
}


@dataclass
class Way:
    """What one way of writing has come to so far."""

    name: str
    n_beams: int = 0  # 0 for sampling
    settings: Settings = field(default_factory=Settings)
    texts: list[tuple[int, ...]] = field(default_factory=list)  # generated ids
    logprobs: list[tuple[float, ...]] = field(default_factory=list)  # nats, of each token
    seconds: float = 0.0


def ways(n_beams: int) -> list[Way]:
    """Returns the ways that are compared: greedy, a beam, and two kinds of chance."""
    searches = [Way("greedy", 1), Way(f"beam search, {n_beams} beams", n_beams)]
    return searches + [Way(name, 0, settings) for name, settings in SAMPLINGS.items()]


def write_all(
    lm: LanguageModel, prompts: Sequence[str], compared: Sequence[Way], n_tokens: int
) -> Iterator[None]:
    """Continues every prompt in every way; yields after each step, so that whoever asks may stop.

    Args:
        lm: a causal model.
        prompts: each is read once per way, outside the clock.
        compared: filled in place.
        n_tokens: where every text ends if no end token comes first.
    """
    for seed, prompt in enumerate(prompts):
        for way in compared:
            start = Generation(lm, prompt)
            search = _search if way.n_beams else _sample
            yield from search(way, start, n_tokens, seed)


def _search(way: Way, start: Generation, n_tokens: int, _: int) -> Iterator[None]:
    search = BeamSearch(start, way.n_beams, max_new_tokens=n_tokens)
    while not search.is_done:
        started = time.perf_counter()
        search.step()
        way.seconds += time.perf_counter() - started
        yield
    best = search.run()[0]
    path = [search.nodes[i] for i in lineage(search.nodes, best.node_id)]
    way.texts.append(best.token_ids)
    way.logprobs.append(tuple(node.logprob for node in path))


def _sample(way: Way, start: Generation, n_tokens: int, seed: int) -> Iterator[None]:
    """Draws one text, by the same pass as the beams and not by the quicker step for one text."""
    batch, ends = Batch.after(start), start.lm.end_ids
    logprobs: list[float] = []
    ids: list[int] = []
    while len(ids) < n_tokens and not (ids and ids[-1] in ends):
        started = time.perf_counter()
        chosen = batch.draw([way.settings], [seed], start.n_prompt)
        logprobs.append(float(batch.logprobs[0, chosen[0]]))
        ids += chosen
        batch.append(chosen)
        way.seconds += time.perf_counter() - started
        yield
    way.texts.append(tuple(ids))
    way.logprobs.append(tuple(logprobs))


def bill(lm: LanguageModel, way: Way) -> Bill:
    """Sums up what a way has written so far."""
    n_texts = len(way.texts)
    return Bill(
        name=way.name,
        n_texts=n_texts,
        n_tokens=sum(map(len, way.texts)),
        seconds=way.seconds,
        logprob=math.fsum(map(math.fsum, way.logprobs)) / max(1, sum(map(len, way.logprobs))),
        distinct=_distinct(way.texts),
        repeated=sum(map(repeated, way.texts)) / max(1, n_texts),
        sample=text_of(lm.tokenizer, way.texts[-1]) if way.texts else "",
    )


def _distinct(texts: Sequence[Sequence[int]]) -> Mapping[int, float]:
    return {n: sum(distinct(text, n) for text in texts) / max(1, len(texts)) for n in N_GRAMS}


def distinct(ids: Sequence[int], n: int) -> float:
    """Returns the different n-grams of a text as a fraction of all it has; 1 where it has none."""
    grams = [tuple(ids[i : i + n]) for i in range(len(ids) - n + 1)]
    return len(set(grams)) / len(grams) if grams else 1.0


def repeated(ids: Sequence[int], n: int = REPEAT) -> float:
    """Returns the fraction of n-grams that the text had before; 0 where it has none."""
    return 1 - distinct(ids, n)
