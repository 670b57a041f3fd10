"""A short look at a model that comes from elsewhere, before anybody writes with it.

The loop asks three things of a model: a later token moves no earlier logit, the same pass gives the
same logits twice, and what is read token by token, another text between, is what one pass over all
of it gives. Few passes over eight tokens tell. Where only its cache parts from such a pass, it is
used without its cache.
"""

import logging
from collections.abc import Sequence
from dataclasses import replace
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
import torch

from model.kv_cache import argument_names
from model.language_model import LanguageModel
from model.passes import Logits, PassError, forward, padding_inputs
from model.sentences import Sentence, reason
from model.weights.check import LoadError

LOGGER = logging.getLogger(__name__)

_N_TOKENS, _N_PREFIX = 8, 5
# How far logits may be apart by rounding, as a part of their spread. In 16 bits it may turn the
# choice of an expert at one position: there only what is apart at every position counts.
_ROUNDING = {torch.float32: 1e-3, torch.float16: 0.05, torch.bfloat16: 0.05}

_PADDING = {"attention_mask", "position_ids"}  # by which a model is told what is padding
_padded: WeakKeyDictionary[LanguageModel, bool] = WeakKeyDictionary()


def look_at(lm: LanguageModel, shown: str) -> LanguageModel:
    """Returns the model as it can be used: as it is, told no positions, or without its cache.

    Args:
        lm: of the causal kind.
        shown: what sentences call it.

    Raises:
        LoadError: where no text can be written with it; one sentence.
    """
    n_tokens = min(_N_TOKENS, lm.context_length or _N_TOKENS)
    ids = [lm.vocab_size * (place + 1) // (n_tokens + 2) for place in range(n_tokens)]
    plain = _told(lm, first_position=None, cache_argument=None)
    try:
        truth = _read(plain, ids)
        for changes in _ways(shown):
            changed = _told(lm, **changes)
            if not _are_apart(lm, _read_in_parts(changed, ids), truth):
                return _with_caveat(changed, shown)
        is_repeatable = not _are_apart(lm, _read(plain, ids), truth)
    except PassError as error:
        raise _first_pass_failed(shown, error) from error
    if is_repeatable:
        raise LoadError(
            Sentence(
                "In {model} a later token moves what was expected before it, so it does not write "
                "from left to right: choose a causal model.",
                model=shown,
            )
        )
    raise LoadError(
        Sentence(
            "{model} gives other logits whenever it reads the same text: choose another model.",
            model=shown,
        )
    )


def takes_padding(lm: LanguageModel) -> bool:
    """Tells whether rows of different lengths, filled up on the left, read as each does alone.

    A model has to be told which columns are padding; some take the words and do not heed them.
    """
    if lm.weights.quick is not None:
        return True
    if lm.weights.first_position is None or not argument_names(lm.model) >= _PADDING:
        return False
    if lm not in _padded:
        _padded[lm] = _pads_rightly(lm)
    return _padded[lm]


def _pads_rightly(lm: LanguageModel) -> bool:
    """Reads texts of three lengths together, lets them grow, and reads the shorter ones alone."""
    texts = [list(range(1, 1 + n)) for n in (11, 8, 2)]  # the second longer than a block of four
    n_most = len(texts[0])
    n_pads = [n_most - len(ids) for ids in texts]
    padded = [[0] * n + ids for n, ids in zip(n_pads, texts, strict=True)]
    cache = lm.new_cache()
    read = [forward(lm, padded, cache, extra=padding_inputs(lm, n_pads, 0, n_most))[0][1:]]
    alone = [forward(lm, [ids])[0] for ids in texts[1:]]
    if cache is not None:
        grown = padding_inputs(lm, n_pads, n_most, 1)
        read.append(forward(lm, [[6]] * len(texts), cache, extra=grown)[0][1:])
        alone += [forward(lm, [[*ids, 6]])[0] for ids in texts[1:]]
    return not _are_apart(lm, np.concatenate(read)[:, 0], np.concatenate(alone)[:, 0])


def _ways(shown: str) -> list[dict[str, Any]]:
    """Lists what a model may have to be told otherwise, the best first."""
    uncached = {
        "cache_argument": None,
        "caveat": f"What the cache of {shown} gives parts from a pass over the whole text, so it "
        "is not used: every token reads the whole text again.",
    }
    uncounted = {"first_position": None}
    return [{}, uncounted, uncached, uncached | uncounted]


def _told(lm: LanguageModel, **changes: Any) -> LanguageModel:
    """Returns the same model, its passes told something else."""
    if not changes:
        return lm
    weights = replace(lm.weights, **changes)
    shape = lm.cache_shape if weights.cache_argument else lm.cache_shape.emptied
    return replace(lm, local=weights, cache_shape=shape)


def _with_caveat(lm: LanguageModel, shown: str) -> LanguageModel:
    """Says of a model what eight tokens do not show: that it attends to the best few positions."""
    n_picked = getattr(lm.config.get_text_config(decoder=True), "index_topk", None)
    if lm.weights.caveat is not None or not isinstance(n_picked, int):
        return lm
    return _told(
        lm,
        caveat=f"{shown} attends to the {n_picked:,} positions that it rates best: in longer texts "
        "rounding may pick others with its cache than without, and going back may write another.",
    )


def _read(lm: LanguageModel, ids: Sequence[int]) -> Logits:
    logits: Logits = forward(lm, [ids], n_logits=0)[0][0]
    return logits


def _read_in_parts(lm: LanguageModel, ids: Sequence[int]) -> Logits:
    """Reads the first tokens in one pass and, where there is a cache, two more one by one."""
    cache = lm.new_cache()
    rows = [forward(lm, [ids[:_N_PREFIX]], cache, n_logits=0)[0][0]]
    if cache is not None:
        # another reader's text: some models keep in themselves what they have read
        forward(lm, [ids[:1:-1]], lm.new_cache())
        rows += [forward(lm, [[i]], cache)[0][0] for i in ids[_N_PREFIX : _N_PREFIX + 2]]
    return np.concatenate(rows)


def _are_apart(lm: LanguageModel, logits: Logits, truth: Logits) -> bool:
    """Tells whether logits by position are further from the truth than rounding takes them."""
    truth = truth[: len(logits)]
    # no ratio: the range of uniform logits is 0
    are_far = np.abs(logits - truth).max(axis=-1) > _ROUNDING[lm.dtype] * np.ptp(truth, axis=-1)
    return bool(are_far.any() if lm.dtype == torch.float32 else are_far.all())


def _first_pass_failed(shown: str, error: PassError) -> LoadError:
    """Says that a model cannot read; why is transformers' own affair, and in the log."""
    cause = error.__cause__
    if cause is None or isinstance(cause, torch.OutOfMemoryError | MemoryError):
        return LoadError(*error.args)
    LOGGER.info("the first pass of %s failed", shown, exc_info=cause)
    # what a library says on purpose, rather than what a tensor's size says
    why = reason(cause) if isinstance(cause, ValueError) else type(cause).__name__
    return LoadError(
        Sentence(
            "The first pass of {model} fails inside transformers ({why}): choose another model.",
            model=shown,
            why=why,
        )
    )
