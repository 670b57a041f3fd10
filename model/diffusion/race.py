"""One prompt, written three ways: one token at a time, by beam search, and by a few passes.

All of them write the same number of tokens and none may end before: what differs is how often a
model runs, for how long, and what comes out. Each way is a generator that hands back after every
pass, so that a page can be stopped in between. This module knows the three engines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from model.beam_search import BeamSearch
from model.diffusion.denoising import Diffusion
from model.diffusion.quality import clashes_of, measure_clashes, second_look
from model.diffusion.records import Finisher
from model.generation import Generation
from model.loading import LanguageModel
from model.passes import check_room, prefill
from model.sampling import Settings
from model.tokenizing import shares_vocabulary, text_of

Writing = Iterator[Finisher | None]  # None after each pass, the result as the last one


def write_by_loop(
    lm: LanguageModel,
    reader: LanguageModel,
    prompt: str,
    n_tokens: int,
    settings: Settings,
    seed: int = 0,
) -> Writing:
    """Writes one token at a time, ends ruled out.

    Args:
        lm: a causal model, which writes and judges.
        reader: a masked model, which takes the second look where it has the same tokenizer.
        prompt: what stands before; may be empty.
        n_tokens: to be written.
        settings: of the draw.
        seed: of the coins.

    Raises:
        ValueError: where the context has no room for so many.
    """
    text = Generation(lm, prompt, seed=seed)
    check_room(lm, text.n_prompt + n_tokens, "shorten the prompt, or write fewer")
    prefill(lm, text.ids, None)  # warms the model up: this pass is not counted
    text = Generation(lm, prompt, seed=seed)
    ends = sorted(lm.end_ids)
    while len(text.steps) < n_tokens:
        text.logits[ends] = -np.inf
        text.step(settings)
        yield None
    seconds = [one.seconds for one in text.passes[:n_tokens]]
    name = f"{lm.name}, one token at a time"
    yield from _finish(lm, reader, name, seconds, text.prompt_ids, text.ids[text.n_prompt :])


def write_by_beams(
    lm: LanguageModel, reader: LanguageModel, prompt: str, n_tokens: int, n_beams: int = 4
) -> Writing:
    """Searches for the likeliest text of n tokens with some beams, ends ruled out.

    Raises:
        ValueError: where the context has no room for so many.
    """
    start = Generation(lm, prompt)
    check_room(lm, start.n_prompt + n_tokens, "shorten the prompt, or write fewer")
    start = Generation(lm, prompt)  # anew, so that its prefill is a warm one
    search = BeamSearch(start, n_beams, 0.0, n_tokens, end_ids=frozenset())
    while not search.is_done:
        search.step()
        yield None
    best = max(search.finished, key=lambda beam: beam.total)
    seconds = [start.last_pass.seconds, *(step.seconds for step in search.steps if step.seconds)]
    name = f"{lm.name}, beam search, {n_beams} beams"
    yield from _finish(lm, reader, name, seconds, start.ids, list(best.token_ids))


def write_by_passes(judge: LanguageModel, page: Diffusion) -> Writing:
    """Fills a page that has been laid out, and measures what came out."""
    Diffusion(
        page.lm, page.length, n_passes=1
    ).step()  # warms the model up: this pass is not counted
    while not page.finished:
        page.step()
        yield None
    seen: list[float] = []
    for some in second_look(page.lm, page.ids, range(page.start, page.start + page.length)):
        seen += some
        yield None
    yield Finisher(
        name=f"{page.lm.name}, diffusion",
        n_tokens=page.length,
        pass_seconds=tuple(one.seconds for one in page.passes),
        text=page.filled_text,
        clashes=measure_clashes(judge, page, np.array(seen)),
    )


def _finish(
    lm: LanguageModel,
    reader: LanguageModel,
    name: str,
    seconds: Sequence[float],
    before: Sequence[int],
    written: Sequence[int],
) -> Writing:
    """Takes the second look at a text that the loop or a search wrote, and measures it."""
    second: npt.NDArray[np.float64] | None = None
    if shares_vocabulary(lm, reader):
        ids, seen = [*before, *written], list[float]()
        for some in second_look(reader, ids, range(len(before), len(ids))):
            seen += some
            yield None
        second = np.array(seen)
    yield Finisher(
        name=name,
        n_tokens=len(written),
        pass_seconds=tuple(seconds),
        text=text_of(lm.tokenizer, written),
        clashes=clashes_of(lm, lm, before, written, [], second),
    )
