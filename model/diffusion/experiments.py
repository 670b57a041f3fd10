"""Texts decoded by the loop, by beam search and in few passes or many: what each takes and gives.

All of them write the same number of tokens and none may end before: what differs is how often a
model runs, for how long, and what comes out.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from model.beam_search import BeamSearch
from model.diffusion.denoising import Diffusion
from model.diffusion.page_view import left_first, sheet_of
from model.diffusion.quality import clashes_of, leave_one_out, measure_clashes
from model.diffusion.records import DecodingRun, Order, Sweep
from model.generation import Generation
from model.job import Progress, Work, part_of
from model.language_model import LanguageModel
from model.passes import check_context
from model.sampling import Settings
from model.sentences import Sentence
from model.tokenizing import shares_vocabulary, text_of

BETWEEN, EMPTY = "between a beginning and an end", "with nothing given"
N_BEAMS = 4


# One prompt, three ways


def race(judge: LanguageModel, page: Diffusion, prompt: str) -> Work[tuple[DecodingRun, ...]]:
    """Decodes as many tokens as a page has, in each of the three ways.

    The judge writes and judges; the page has the prompt before it and nothing behind it.

    Raises:
        ValueError: where the context has no room for so many.
    """
    settings, n_tokens = Settings(temperature=page.temperature), page.length
    works = {
        "the loop": write_by_loop(judge, page.lm, prompt, n_tokens, settings, page.seed),
        "beam search": write_by_beams(judge, page.lm, prompt, n_tokens, N_BEAMS),
        "diffusion": write_by_passes(judge, page, f"{page.lm.shown}, diffusion"),
    }
    runs: list[DecodingRun] = []

    def progress(_: object) -> Progress[tuple[DecodingRun, ...]]:
        look = (lambda: tuple(runs)) if runs else None
        return Progress(len(runs), len(works), list(works)[len(runs)], look)

    for work in works.values():
        runs.append((yield from part_of(work, progress)))
    return tuple(runs)


def write_by_loop(
    lm: LanguageModel,
    unmasker: LanguageModel,
    prompt: str,
    n_tokens: int,
    settings: Settings,
    seed: int = 0,
) -> Work[DecodingRun]:
    """Writes one token at a time, ends ruled out.

    The masked `unmasker` checks the tokens where it has the same tokenizer.

    Raises:
        ValueError: where the context has no room for so many.
    """
    text, ends = _read(lm, prompt, n_tokens, seed), sorted(lm.end_ids)
    while len(text.steps) < n_tokens:
        yield Progress(len(text.steps), n_tokens)
        text.logits[ends] = -np.inf
        text.step(settings)
    seconds = [one.seconds for one in text.passes[:n_tokens]]
    name = f"{lm.shown}, one token at a time"
    return (yield from _sum_up(name, seconds, lm, unmasker, text.ids, n_tokens))


def write_by_beams(
    lm: LanguageModel, unmasker: LanguageModel, prompt: str, n_tokens: int, n_beams: int
) -> Work[DecodingRun]:
    """Searches for the likeliest text of n tokens with some beams, ends ruled out.

    Raises:
        ValueError: where the context has no room for so many.
    """
    start = _read(lm, prompt, n_tokens)
    search = BeamSearch(start, n_beams, 0.0, n_tokens, end_ids=frozenset())
    while not search.is_done:
        yield Progress(len(search.steps), n_tokens)
        search.step()
    best = max(search.finished, key=lambda beam: beam.total)
    seconds = [start.last_pass.seconds, *(step.seconds for step in search.steps if step.seconds)]
    name, ids = f"{lm.shown}, beam search, {n_beams} beams", [*start.ids, *best.token_ids]
    return (yield from _sum_up(name, seconds, lm, unmasker, ids, n_tokens))


def _read(lm: LanguageModel, prompt: str, n_tokens: int, seed: int = 0) -> Generation:
    """Reads a prompt that leaves room for so many tokens, twice: the first pass warms up."""
    text = Generation(lm, prompt, seed=seed)
    check_context(
        lm,
        text.n_prompt + n_tokens,
        Sentence(
            "{n_tokens} tokens are {number} more than the {limit} that {model} reads: "
            "shorten the prompt, or write fewer."
        ),
    )
    return Generation(lm, prompt, seed=seed)


def _sum_up(
    name: str,
    seconds: Sequence[float],
    lm: LanguageModel,
    unmasker: LanguageModel,
    ids: Sequence[int],
    n_tokens: int,
) -> Work[DecodingRun]:
    """Judges the last n tokens of a text, and checks them where a masked model knows the same."""
    before, written = ids[:-n_tokens], ids[-n_tokens:]
    loo_probs = None
    if shares_vocabulary(lm, unmasker):
        loo_probs = yield from leave_one_out(unmasker, ids, range(len(before), len(ids)))
    clashes = clashes_of(lm, lm, before, written, [], loo_probs)
    text = text_of(lm.tokenizer, written)
    return DecodingRun(name, n_tokens, tuple(seconds), text, clashes)


def write_by_passes(judge: LanguageModel, page: Diffusion, name: str) -> Work[DecodingRun]:
    """Fills a page that has been laid out, and measures what came out."""
    Diffusion(page.lm, page.length, n_passes=1).step()  # a warm-up, which is not counted
    while not page.finished:
        yield Progress(page.n_done, len(page.plan))
        page.step()
    loo_probs = yield from leave_one_out(page.lm, page.ids, page.positions)
    return DecodingRun(
        name=name,
        n_tokens=page.length,
        pass_seconds=tuple(one.seconds for one in page.passes),
        text=page.filled_text,
        clashes=measure_clashes(judge, page, loo_probs),
        left_first=left_first(page.filled_in),
        sheet=sheet_of(page, loo_probs),
    )


# Few passes against many


def sweep_passes(
    lm: LanguageModel,
    judge: LanguageModel,
    length: int,
    prompt: str,
    ending: str,
    *,
    order: Order = "confidence",
    temperature: float = 0.0,
    n_seeds: int = 1,
) -> Work[Sweep]:
    """Fills one length in few passes and in many, and measures one fill after another.

    One half of the fills lies between the prompt and the ending, the other has an empty page. The
    causal judge says how well each reads, and writes one itself. `n_seeds` fills are made for each
    number of passes, or one where all would come out alike.

    Raises:
        ValueError: where a model, a length or a text will not do.
    """
    places = {BETWEEN: (prompt, ending), EMPTY: ("", "")}
    draws: dict[str, Any] = {"order": order, "temperature": temperature}
    planned = [
        (place, {"n_passes": n_passes, "seed": seed} | draws)
        for seed in range(n_seeds if temperature > 0 or order == "random" else 1)
        for n_passes in pass_counts(length)
        for place in places
    ]
    fills: list[DecodingRun] = []

    def progress(_: object) -> Progress[Sweep]:
        look = (lambda: Sweep(tuple(fills), loop)) if fills else None
        return Progress(len(fills), len(planned), "filling and judging", look)

    Diffusion(lm, length, prompt, ending, n_passes=1)  # refuses now what could not be filled later
    settings = Settings(temperature=temperature)
    loop = yield from part_of(write_by_loop(judge, lm, prompt, length, settings), progress)
    for place, wanted in planned:
        page = Diffusion(lm, length, *places[place], **wanted)
        fills.append((yield from part_of(write_by_passes(judge, page, place), progress)))
    return Sweep(tuple(fills), loop)


def pass_counts(length: int) -> tuple[int, ...]:
    """Lists the numbers of passes that are tried: 1, 2, 4, ... and one for each position."""
    powers = [1 << i for i in range(length.bit_length()) if 1 << i < length]
    return (*powers, length)
