"""What the loop's page is answered: a header of plain values, and raw logits.

`pages/frame/live/types.d.ts` has every field. The page holds the text and all that was done to it;
here is what only the model's process knows.
"""

from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from model.loading import LanguageModel
from model.records import Distribution, Pass, Piece, Step
from model.tokenizing import pieces, vocabulary_labels
from pages.frame.component import MAX_EXACT
from pages.frame.labels import labels_address
from pages.home.texts import TextAnswer

_UNFINISHED: WeakKeyDictionary[Any, frozenset[int]] = WeakKeyDictionary()  # by tokenizer


def describe_reading(reading: TextAnswer) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Describes what a request brought; its arrays are the logits for the next position."""
    text, steps = reading.generation, reading.steps
    described, arrays = name_arrays(text.distribution, text.logits)
    return {
        "rows": columns_of(steps),
        "joined": joined(text.lm, text.ids, len(text.ids) - len(steps) if steps else 0),
        "next_id": reading.next_id,
        "finished": text.finished,
        "stopped_by": text.stopped_by,
        "memory": vars(text.memory),
        "pass": describe_pass(reading.last_pass),
        "bytes_held": text.bytes_held,
        "n_kept": reading.n_kept,
        "n_read": reading.n_read,
        "seconds": _six_digits(reading.seconds),
        "distribution": described,
        "notice": reading.notice,
    }, arrays


def describe_pass(one: Pass | Step) -> dict[str, Any]:
    """Describes a pass, or the one before a token, in the words of the columns."""
    return {
        "phase": one.phase,
        "n_input": one.n_input,
        "cache_tokens": one.cache_tokens,
        "bytes": one.cache_bytes,
        "seconds": _six_digits(one.seconds),
        "is_shared": one.is_shared,
    }


def columns_of(steps: Sequence[Step]) -> dict[str, list[Any]]:
    """Describes generated tokens: a list for each column of the rows."""
    return {name: list(map(write, steps)) for name, write in _COLUMNS.items()}


def name_arrays(
    kept: Distribution, logits: np.ndarray | None = None
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Describes a distribution and names its arrays: all logits where they are few enough."""
    if logits is not None and not kept.n_tail and len(logits) <= MAX_EXACT:
        return {"n_vocab": len(logits), "n_unsent": 0}, {"logits": logits}
    described = {"n_vocab": kept.n_vocab, "n_unsent": kept.n_unsent}
    arrays: dict[str, np.ndarray] = {"logits": kept.logits}
    if kept.ids is not None:
        arrays["ids"] = kept.ids
        arrays["tail_counts"] = kept.tail_counts
        arrays["tail_logits"] = kept.tail_logits
        arrays["tail_variances"] = kept.tail_variances
    return described, arrays


def describe_model(lm: LanguageModel) -> dict[str, Any]:
    """Describes a model, and where its labels are."""
    return {
        "name": lm.name,
        "labels": labels_address(lm),
        "n_parameters": lm.n_parameters,
        "vocab_size": lm.vocab_size,
        "device": lm.place,
        "dtype": lm.dtype_name,
        "bos_id": lm.bos_id,
        "end_ids": sorted(lm.end_ids),
        "has_chat_template": lm.has_chat_template,
    }


def describe_shape(lm: LanguageModel) -> dict[str, Any]:
    """Describes what a model's cache is made of."""
    shape = lm.cache_shape
    names = ("n_layers", "n_kv_heads", "head_dim", "bytes_per_number", "bytes_per_token")
    return {name: getattr(shape, name) for name in (*names, "sliding_window")}


def joined(lm: LanguageModel, ids: Sequence[int], start: int = 0) -> dict[int, str]:
    """Returns, by position from `start`, the characters that are only complete with that token."""
    unfinished = _unfinished(lm)
    if unfinished.isdisjoint(ids[start:]):
        return {}
    begin = start  # of the character that goes on there
    while begin > 0 and ids[begin - 1] in unfinished:
        begin -= 1
    begin = max(0, begin - 1)
    return {
        begin + i: piece.joined
        for i, piece in enumerate(pieces(lm.tokenizer, ids[begin:]))
        if piece.joined and piece.token_id in unfinished and begin + i >= start
    }


def _unfinished(lm: LanguageModel) -> frozenset[int]:
    """Returns the ids of tokens that end no character: parts of one, and ids without any bytes."""
    if lm.tokenizer not in _UNFINISHED:
        labels = enumerate(vocabulary_labels(lm))
        _UNFINISHED[lm.tokenizer] = frozenset(
            i for i, text in labels if "<0x" in text or text == f"<id {i}>"
        )
    return _UNFINISHED[lm.tokenizer]


# The columns of the worked table: of the draw first, then of the pass before it.
_COLUMNS: dict[str, Callable[[Step], Any]] = {
    "id": lambda step: step.token_id,
    "logprob": lambda step: round(step.logprob, 6),
    "prob": lambda step: _six_digits(step.prob),
    "rank": lambda step: step.rank,
    "entropy": lambda step: round(step.entropy, 6),
    "chosen_prob": lambda step: _six_digits(step.chosen_prob),
    "pointer": lambda step: round(step.pointer, 9),
    "forced": lambda step: step.forced,
    "top_id": lambda step: step.candidates[0].token_id,
    "top_prob": lambda step: _six_digits(step.candidates[0].probs[0]),
    "phase": lambda step: step.phase,
    "n_input": lambda step: step.n_input,
    "cache_tokens": lambda step: step.cache_tokens,
    "bytes": lambda step: step.cache_bytes,
    "seconds": lambda step: _six_digits(step.seconds),
    "is_shared": lambda step: step.is_shared,
    "memory": lambda step: vars(step.memory),
}


def _six_digits(number: float) -> float:
    return float(f"{number:.6g}")


def describe_piece(piece: Piece) -> dict[str, Any]:
    """Describes a token of a text."""
    return {
        "id": piece.token_id,
        "label": piece.label,
        "bytes": piece.data.hex(" "),
        "joined": piece.joined,
        "special": piece.special,
    }
