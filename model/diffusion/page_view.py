"""A page of masks as it is looked at: a sheet, all its passes, the order of its filling."""

from copy import copy

import numpy as np
import numpy.typing as npt

from model.diffusion.denoising import Diffusion
from model.diffusion.quality import leave_one_out
from model.diffusion.records import DenoiseHistory, Sheet
from model.generation import Generation
from model.job import Work
from model.records import FloatArray
from model.tokenizing import labels_of, labels_of_text


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
    loo = None if loo_probs is None else np.pad(loo_probs, around, constant_values=np.nan)
    return Sheet(
        labels=labels_of_text(page.lm, shown),
        given=tuple(np.pad(np.zeros(page.length, bool), around, constant_values=True).tolist()),
        filled_in=tuple(np.pad(page.filled_in, around).tolist()),
        confidence=np.pad(confidence, around, constant_values=np.nan),
        n_passes=len(page.passes),
        n_planned=len(page.plan),
        leave_one_out=loo,
    )


def loop_sheet(text: Generation, n_passes: int, length: int) -> Sheet:
    """Returns what the loop has written after as many passes, one token each, as a page of masks.

    Args:
        text: written from the same beginning, by a causal model; longer than that maybe.
        n_passes: so far.
        length: tokens that it is to write.
    """
    steps = text.steps[: min(n_passes, length)]
    n_given, n_open = text.n_prompt, length - len(steps)
    labels = labels_of_text(text.lm, text.prompt_ids)
    confidence = [np.nan] * n_given + [step.prob for step in steps] + [np.nan] * n_open
    return Sheet(
        labels=(*labels, *(step.text for step in steps), *[""] * n_open),
        given=(*[True] * n_given, *[False] * length),
        filled_in=(*[0] * n_given, *range(1, len(steps) + 1), *[0] * n_open),
        confidence=np.array(confidence),
        n_passes=len(steps),
        n_planned=length,
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
    loo_probs = yield from leave_one_out(page.lm, page.ids, page.positions)
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
