"""From raw logits to the distribution that the next token is drawn from, stage by stage.

The pipeline is a list and its order is data. Every stage leaves a record of its own: scores,
survivors, the probability that it removed, the entropy left. What a strategy does is in
`model.masks`, the draw in `model.draw`.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from model import masks
from model.draw import rank_order, second_toss
from model.records import NO_MEMORY, FloatArray, Memory, Stage
from model.settings import COUNT_PROMPT, ORDERS, Settings

__all__ = ["ORDERS", "Settings", "process"]


def process(
    logits: FloatArray,
    ids: Sequence[int],
    settings: Settings,
    n_prompt: int = 0,
    pointer: float = 0.0,
    memory: Memory = NO_MEMORY,
) -> tuple[Stage, ...]:
    """Runs the logits through every active stage and keeps what each one made of them.

    Args:
        logits: (vocab,) raw, float32 values; -inf where the model itself rules a token out.
        ids: the text so far, prompt and generated.
        settings: which stages are active, how strong, in which order.
        n_prompt: how many of `ids` are the prompt. The repetition penalty counts all of `ids`
            (1909.05858, transformers, vLLM), DRY too, unless `generated_only` is set
            (transformers' `prompt_ignore_length`); presence and frequency count what was generated
            (OpenAI, vLLM).
        pointer: of this position; its later digits toss for XTC, which at 0 is due.
        memory: what mirostat remembers of the text; of none, it begins.

    Returns:
        One Stage per active stage, "raw" first. The last is the distribution to draw from.

    Raises:
        ValueError: where the logits are no distribution: NaN, +inf or nothing but -inf.
    """
    raw = _checked_logits(logits)
    # put the tokens that the model allows into the one order
    alive = rank_order(np.asarray(logits))[: np.count_nonzero(raw > -np.inf)]
    scores = raw[alive]
    stages = [_record("raw", raw.size, alive, scores)]
    for name in settings.stage_names:
        given = stages[-1]
        kept: masks.Mask | None = None
        value: Any = getattr(settings, name, None)  # "greedy" has none
        if name == "xtc":
            value = second_toss(pointer) < value
        elif name == "mirostat":
            value = memory.under(value).mu
        if name in masks.PENALTIES:
            # move the scores of tokens that were used, and sort again: ids first, then scores
            counts_prompt = name in COUNT_PROMPT and not settings.generated_only
            counts = _uses(name, ids if counts_prompt else ids[n_prompt:], raw.size)
            alive = np.sort(alive)
            scores = masks.PENALTIES[name](given.scores[alive], counts[alive], value)
            order = rank_order(scores)
            alive, scores = alive[order], scores[order]
        elif name == "temperature":
            scores = masks.temperature(scores, value)
        else:
            # drop what the mask does not keep; the rest stays in order
            of = given.best_probs if name in masks.OF_PROBS else scores
            kept = masks.greedy(of) if name == "greedy" else masks.MASKS[name](of, value)
            alive, scores = alive[kept], scores[kept]
        lost: FloatArray | tuple[()] = () if kept is None else given.best_probs[~kept]
        stages.append(_record(name, raw.size, alive, scores, lost))
    return tuple(stages)


def _record(
    name: str,
    n_vocab: int,
    alive: npt.NDArray[np.intp],
    scores: masks.Scores,
    lost: FloatArray | tuple[()] = (),
) -> Stage:
    """Measures what a stage did: what is alive, best first, and the probabilities that it lost."""
    probs, entropy = masks.softmax_and_entropy(scores)
    return Stage(
        name=name,
        n_vocab=n_vocab,
        order=alive,
        best_scores=scores,
        best_probs=probs,
        removed_mass=float(np.sum(lost)),
        entropy=entropy,
        boundary_id=int(alive[-1]) if len(lost) else None,
    )


def _uses(name: str, ids: Sequence[int], n_vocab: int) -> masks.Counts:
    """Counts what a penalty counts of each token; ids beyond the vocabulary are left out."""
    known = np.asarray(ids, dtype=np.int64)
    known = known[(known >= 0) & (known < n_vocab)]
    count = masks.repeated if name == "dry" else np.bincount
    return count(known, minlength=n_vocab)


def _checked_logits(logits: FloatArray) -> masks.Scores:
    """Returns a float64 copy of logits from which a token can be drawn."""
    raw = np.array(logits, dtype=np.float64)
    if raw.ndim != 1 or raw.size == 0:
        raise ValueError(f"logits have the shape {raw.shape}: pass one row, (vocab,).")
    best = raw.max()
    # the largest of numbers with a NaN among them is NaN, and no comparison with it holds
    if not best <= np.finfo(np.float32).max:
        raise ValueError("The logits hold NaN or +inf: give numbers, or -inf for none.")
    if best == -np.inf:
        raise ValueError("Every logit is -inf: allow at least one token.")
    return raw
