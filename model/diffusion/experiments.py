"""Experiments on filling a page: what a fill looks like, its order, few passes against many.

This module knows models and their fills; it knows no page of the app and draws nothing.
"""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
import numpy.typing as npt

from model.diffusion.denoising import Diffusion
from model.diffusion.quality import leave_one_out, measure_clashes
from model.diffusion.race import write_by_loop
from model.diffusion.records import DenoiseHistory, Fill, Order, Sheet, Sweep
from model.job import Progress, Work, part_of
from model.loading import LanguageModel
from model.records import FloatArray
from model.sampling import Settings
from model.tokenizing import labels_of

BETWEEN, EMPTY = "between a beginning and an end", "with nothing given"


# What is seen of it


def sheet_of(page: Diffusion, loo_probs: FloatArray | None = None) -> Sheet:
    """Returns the sequence as it stands, with what the last pass proposes where it is open."""
    shown, is_open = list(page.ids), page.is_open
    confidence = np.full(page.length, np.nan)
    for one in page.passes:
        confidence[list(one.committed)] = one.confidence[list(one.committed)]
    if page.passes:
        last = page.passes[-1]
        confidence[is_open] = last.confidence[is_open]
        shown[page.start : page.start + page.length] = last.proposal_ids.tolist()
    around = (page.start, len(page.ids) - page.start - page.length)
    return Sheet(
        labels=labels_of(page.lm, shown),
        given=tuple(np.pad(np.zeros(page.length, bool), around, constant_values=True).tolist()),
        filled_in=tuple(np.pad(page.filled_in, around).tolist()),
        confidence=np.pad(confidence, around, constant_values=np.nan),
        n_passes=len(page.passes),
        n_planned=len(page.plan),
        leave_one_out=None
        if loo_probs is None
        else np.pad(loo_probs, around, constant_values=np.nan),
    )


def check_page(page: Diffusion) -> Work[Sheet]:
    """Finds the leave-one-out probability of every token that was filled in.

    Raises:
        ValueError: where positions are still masked.
    """
    if not page.finished:
        raise ValueError("Some positions are still masked: press Fill first.")
    page = copy(page)  # what is checked stays, wherever the reader goes meanwhile
    page.ids, page.passes = list(page.ids), list(page.passes)
    work = leave_one_out(page.lm, page.ids, page.positions)
    loo_probs = yield from part_of(work, lambda part: Progress(part.n_done, part.n_total))
    return sheet_of(page, loo_probs)


def history_of(page: Diffusion) -> DenoiseHistory:
    """Returns all passes so far as a matrix."""
    rows = [one.confidence for one in page.passes]
    return DenoiseHistory(
        confidence=np.array(rows, dtype=np.float64).reshape(len(rows), page.length),
        filled_in=page.filled_in,
        proposals=tuple(labels_of(page.lm, one.proposal_ids.tolist()) for one in page.passes),
        labels=labels_of(page.lm, page.filled_ids),
        n_planned=len(page.plan),
    )


def left_first(filled_in: npt.NDArray[np.integer]) -> float | None:
    """Returns how often the left one of two positions was filled in an earlier pass.

    Over all pairs of positions that were filled in different passes: 1 is left to right, 0.5 no
    preference, 0 right to left. It is (tau + 1) / 2 of Kendall's tau with ties left out.

    Args:
        filled_in: (length,) the number of the pass that filled each position, 0 where it is open.

    Returns:
        None where no two positions were filled in different passes.
    """
    numbers = filled_in[filled_in > 0]
    later = np.sign(numbers[None, :] - numbers[:, None])[np.triu_indices(len(numbers), 1)]
    n_pairs = int(np.count_nonzero(later))
    return float(np.count_nonzero(later > 0) / n_pairs) if n_pairs else None


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

    Args:
        lm: a masked model.
        judge: a causal model, which says how well each text reads and writes one itself.
        length: positions of each fill.
        prompt: the beginning of one half of the fills; the other half has an empty page.
        ending: the end of them.
        order: which proposals a pass commits.
        temperature: of the draws, the judge's own included.
        n_seeds: fills for each number of passes; one where all would come out alike.

    Raises:
        ValueError: where a model, a length or a text will not do.
    """
    places = {BETWEEN: (prompt, ending), EMPTY: ("", "")}
    planned = [
        (place, n_passes, seed)
        for seed in range(n_seeds if temperature > 0 or order == "random" else 1)
        for n_passes in pass_counts(length)
        for place in places
    ]
    fills: list[Fill] = []

    def lay_out(place: str, n_passes: int, seed: int) -> Diffusion:
        draws: Any = {"order": order, "temperature": temperature, "seed": seed}
        return Diffusion(lm, length, *places[place], n_passes=n_passes, **draws)

    def progress(_: object = None) -> Progress[Sweep]:
        look = (lambda: Sweep(tuple(fills), loop)) if fills else None
        return Progress(len(fills), len(planned), "filling and judging", look)

    lay_out(*planned[0])  # refuses now what could not be filled later
    settings = Settings(temperature=temperature)
    loop = yield from part_of(write_by_loop(judge, lm, prompt, length, settings), progress)
    lay_out(*planned[0]).step()  # warms the model up: this one is not counted
    for place, n_passes, seed in planned:
        page = lay_out(place, n_passes, seed)
        while not page.finished:
            yield progress()
            page.step()
        loo_probs = yield from part_of(leave_one_out(lm, page.ids, page.positions), progress)
        fills.append(
            Fill(
                place=place,
                n_passes=n_passes,
                n_tokens=length,
                seed=seed,
                seconds=page.seconds,
                left_first=left_first(page.filled_in),
                clashes=measure_clashes(judge, page, loo_probs),
                text=page.filled_text,
                sheet=sheet_of(page, loo_probs),
            )
        )
    return Sweep(tuple(fills), loop)


def pass_counts(length: int) -> tuple[int, ...]:
    """Lists the numbers of passes that are tried: 1, 2, 4, ... and one for each position."""
    powers = [1 << i for i in range(length.bit_length()) if 1 << i < length]
    return (*powers, length)
