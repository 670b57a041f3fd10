"""One prompt, decoded three ways: one token at a time, by beam search, and by a few passes.

All of them write the same number of tokens and none may end before: what differs is how often a
model runs, for how long, and what comes out. This module knows the three engines.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from model.beam_search import BeamSearch
from model.diffusion.denoising import Diffusion
from model.diffusion.quality import clashes_of, leave_one_out
from model.diffusion.records import DecodingRun
from model.generation import Generation
from model.job import Progress, Work, part_of
from model.loading import LanguageModel
from model.passes import check_room, prefill
from model.sampling import Settings
from model.tokenizing import shares_vocabulary, text_of

N_BEAMS = 4


def race(judge: LanguageModel, page: Diffusion, prompt: str) -> Work[tuple[DecodingRun, ...]]:
    """Decodes as many tokens as a page has, in each of the three ways.

    Args:
        judge: a causal model, which writes and judges.
        page: laid out, with the prompt before it and nothing behind it.
        prompt: what stands before; may be empty.

    Raises:
        ValueError: where the context has no room for so many.
    """
    settings, n_tokens = Settings(temperature=page.temperature), page.length
    names = ("the loop", "beam search", "diffusion")
    works = (
        write_by_loop(judge, page.lm, prompt, n_tokens, settings, page.seed),
        write_by_beams(judge, page.lm, prompt, n_tokens, N_BEAMS),
        write_by_passes(judge, page),
    )
    runs: list[DecodingRun] = []

    def progress(_: object) -> Progress[tuple[DecodingRun, ...]]:
        look = (lambda: tuple(runs)) if runs else None
        return Progress(len(runs), len(works), names[len(runs)], look)

    for work in works:
        runs.append((yield from part_of(work, progress)))
    return tuple(runs)


def write_by_loop(
    lm: LanguageModel,
    reader: LanguageModel,
    prompt: str,
    n_tokens: int,
    settings: Settings,
    seed: int = 0,
) -> Work[DecodingRun]:
    """Writes one token at a time, ends ruled out.

    Args:
        lm: a causal model, which writes and judges.
        reader: a masked model, which checks the tokens where it has the same tokenizer.
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
        yield Progress(len(text.steps), n_tokens)
        text.logits[ends] = -np.inf
        text.step(settings)
    seconds = [one.seconds for one in text.passes[:n_tokens]]
    name = f"{lm.name}, one token at a time"
    written = text.ids[text.n_prompt :]
    return (yield from _sum_up(name, seconds, lm, lm, reader, text.prompt_ids, written))


def write_by_beams(
    lm: LanguageModel, reader: LanguageModel, prompt: str, n_tokens: int, n_beams: int
) -> Work[DecodingRun]:
    """Searches for the likeliest text of n tokens with some beams, ends ruled out.

    Raises:
        ValueError: where the context has no room for so many.
    """
    start = Generation(lm, prompt)
    check_room(lm, start.n_prompt + n_tokens, "shorten the prompt, or write fewer")
    start = Generation(lm, prompt)  # anew, so that its prefill is a warm one
    search = BeamSearch(start, n_beams, 0.0, n_tokens, end_ids=frozenset())
    while not search.is_done:
        yield Progress(len(search.steps), n_tokens)
        search.step()
    best = max(search.finished, key=lambda beam: beam.total)
    seconds = [start.last_pass.seconds, *(step.seconds for step in search.steps if step.seconds)]
    name = f"{lm.name}, beam search, {n_beams} beams"
    return (yield from _sum_up(name, seconds, lm, lm, reader, start.ids, best.token_ids))


def write_by_passes(judge: LanguageModel, page: Diffusion) -> Work[DecodingRun]:
    """Fills a page that has been laid out, and measures what came out."""
    Diffusion(page.lm, page.length, n_passes=1).step()  # a warm-up, which is not counted
    while not page.finished:
        yield Progress(page.n_done, len(page.plan))
        page.step()
    name, seconds = f"{page.lm.name}, diffusion", [one.seconds for one in page.passes]
    before = page.ids[: page.start]
    return (yield from _sum_up(name, seconds, judge, page.lm, page.lm, before, page.filled_ids))


def _sum_up(
    name: str,
    seconds: Sequence[float],
    judge: LanguageModel,
    lm: LanguageModel,
    reader: LanguageModel,
    before: Sequence[int],
    written: Sequence[int],
) -> Work[DecodingRun]:
    """Checks and judges what a model wrote, where a masked one reads the same tokens."""
    loo_probs = None
    if shares_vocabulary(lm, reader):
        ids = [*before, *written]
        work = leave_one_out(reader, ids, range(len(before), len(ids)))
        loo_probs = yield from part_of(work, lambda part: Progress(part.n_done, part.n_total))
    return DecodingRun(
        name=name,
        n_tokens=len(written),
        pass_seconds=tuple(seconds),
        text=text_of(lm.tokenizer, written),
        clashes=clashes_of(judge, lm, before, written, [], loo_probs),
    )
