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

# by tokenizer: tokens that end no character, which are parts of one and ids without any bytes
_UNFINISHED: WeakKeyDictionary[Any, frozenset[int]] = WeakKeyDictionary()


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
    return {name: write(one) for name, write in _OF_PASS.items()}


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
    unfinished = _UNFINISHED.get(lm.tokenizer)
    if unfinished is None:
        labels = enumerate(vocabulary_labels(lm))
        unfinished = _UNFINISHED[lm.tokenizer] = frozenset(
            i for i, text in labels if "<0x" in text or text == f"<id {i}>"
        )
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


# What is said of a pass, and of the one before a token.
_OF_PASS: dict[str, Callable[[Any], Any]] = {
    "phase": lambda one: one.phase,
    "n_input": lambda one: one.n_input,
    "cache_tokens": lambda one: one.cache_tokens,
    "bytes": lambda one: one.cache_bytes,
    "seconds": lambda one: _six_digits(one.seconds),
    "is_shared": lambda one: one.is_shared,
}
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
    **_OF_PASS,
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
