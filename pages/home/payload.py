"""The state that the live component shows: a header of plain values, and raw logits.

`pages/frame/live/types.d.ts` has every field. Python decides the next token; the page shows it, and
computes the masks while a slider is dragged. What of the state is sent, `told.py` says.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from model.draw import uniform_at
from model.generation import Generation
from model.loading import LanguageModel
from model.records import Distribution, Piece, Step
from model.sampling import ORDERS
from model.source_code import source_of
from model.tokenizing import pieces, vocabulary_labels
from pages.frame.component import MAX_EXACT
from pages.frame.labels import labels_address
from pages.home.branch import Branch, ParkedBranch
from pages.home.link import write_address, write_text
from pages.home.session import Session
from pages.home.told import Part

TIMING = ("phase", "seconds", "n_input", "is_shared")  # of a pass
_UNFINISHED: WeakKeyDictionary[Any, frozenset[int]] = WeakKeyDictionary()  # by tokenizer


def describe(session: Session) -> dict[str, Any]:
    """Returns the fields of the state that the live component shows, its rows apart."""
    generation, branch = session.generation, session.active
    again = session.again
    next_id = session.next_id()  # first: a server may be asked for more logits
    others = [other for other in session.branches if other is not branch]
    draft, lm, prompt = session.draft_pieces, session.lm, (branch.prompt, branch.chat)
    kept = generation.distribution
    described, arrays = name_arrays(kept, generation.logits)
    last = generation.last_pass
    return describe_text(session) | {
        "model": Part(lm, lambda: describe_model(lm)),
        "branch": branch.number,
        "prompt_ids": Part(prompt, lambda: generation.prompt_ids),
        "prompt_joined": Part(prompt, lambda: joined(lm, generation.prompt_ids)),
        "next_id": next_id,
        "coin": uniform_at(again.seed if again else branch.seed, len(generation.ids)),
        "finished": generation.finished,
        "logprob": generation.logprob,
        "memory": vars(generation.memory),
        "controls": session.controls.to_page(),
        "distribution": Part(kept, lambda: described, arrays),
        "inspect": _inspection(session),
        "branches": Part(
            tuple((other.number, other.logprob) for other in others),
            lambda: [_describe_branch(lm, other) for other in others],
        ),
        "cache": describe_cache(generation),
        "timing": {name: getattr(last, name) for name in TIMING},
        "pieces": Part(draft, lambda: [describe_piece(piece) for piece in draft]),
        "pieces_of": session.draft,
        "guess": vars(session.guess) if session.guess else None,
        "notice": vars(session.notice) if session.notice else None,
        "address": Part((lm, prompt, session.controls), lambda: write_address(session)),
    }


def describe_text(session: Session) -> dict[str, Any]:
    """Describes the prompt: what a saved page is told as well."""
    branch = session.active
    return {
        "prompt": branch.prompt,
        "seed": branch.seed,
        "chat": branch.chat,
        "n_prompt": branch.generation.n_prompt,
        "orders": ORDERS,
        "code": _code(),
    }


def columns_of(session: Session, start: int, end: int | None = None) -> dict[str, list[Any]]:
    """Describes the generated tokens from one on: a list for each column of the rows."""
    generation, lm = session.generation, session.lm
    steps, choices = generation.steps[start:end], session.active.choices[start:end]
    ids = generation.ids[: generation.n_prompt + start + len(steps)]
    columns: dict[str, list[Any]] = {
        name: list(map(write, steps)) for name, write in _COLUMNS.items()
    }
    first = len(ids) - len(steps)
    completed = joined(lm, ids, first)
    return columns | {
        "joined": [completed.get(place) for place in range(first, len(ids))],
        "how": [choice.how for choice in choices],
    }


def _inspection(session: Session) -> Part | None:
    """Describes the position that is looked back at, or the one that the end was drawn from."""
    text, inspection = session.generation, session.inspection
    if inspection is None and text.finished and text.steps:  # nothing follows its end
        inspection = session.active.look_back(len(text.ids) - 1, session.controls)
    if inspection is None:
        return None
    described, arrays = name_arrays(inspection.distribution, prefix="inspect_")
    settings = inspection.settings
    described |= {
        "position": inspection.position,
        "token_id": inspection.token_id,
        "coin": inspection.coin,
        "forced": inspection.forced,
        "memory": vars(inspection.memory),
        "settings": {name: getattr(settings, name) for name in settings.__dataclass_fields__},
    }
    key = inspection.distribution, inspection.position, settings, inspection.forced
    return Part(key, lambda: described, arrays)


def name_arrays(
    kept: Distribution, logits: np.ndarray | None = None, prefix: str = ""
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Describes a distribution and names its arrays: all logits where they are few enough."""
    if logits is not None and not kept.n_tail and len(logits) <= MAX_EXACT:
        return {"n_vocab": len(logits), "n_unsent": 0}, {f"{prefix}logits": logits}
    described = {"n_vocab": kept.n_vocab, "n_unsent": kept.n_unsent}
    arrays: dict[str, np.ndarray] = {f"{prefix}logits": kept.logits}
    if kept.ids is not None:
        arrays[f"{prefix}ids"] = kept.ids
        arrays[f"{prefix}tail_counts"] = kept.tail_counts
        arrays[f"{prefix}tail_logits"] = kept.tail_logits
        arrays[f"{prefix}tail_variances"] = kept.tail_variances
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
    }


def joined(lm: LanguageModel, ids: Sequence[int], start: int = 0) -> dict[int, str]:
    """Returns, by position from one on, the characters that are only complete with that token."""
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
    "coin": lambda step: round(step.coin, 9),
    "forced": lambda step: step.forced,
    "top_id": lambda step: step.candidates[0].token_id,
    "top_prob": lambda step: _six_digits(step.candidates[0].probs[0]),
    "phase": lambda step: step.phase,
    "n_input": lambda step: step.n_input,
    "cache_tokens": lambda step: step.cache_tokens,
    "bytes": lambda step: step.cache_bytes,
    "seconds": lambda step: _six_digits(step.seconds),
    "is_shared": lambda step: step.is_shared,
}


def _six_digits(number: float) -> float:
    return float(f"{number:.6g}")


def _describe_branch(lm: LanguageModel, branch: Branch | ParkedBranch) -> dict[str, Any]:
    return {
        "id": branch.number,
        "ids": branch.ids[:],
        "joined": joined(lm, branch.ids),
        "logprob": branch.logprob,
        "query": write_text(branch),
    }


def describe_cache(generation: Generation) -> dict[str, Any]:
    """Describes what the cache is made of, and how full it is now."""
    shape = generation.lm.cache_shape
    return {
        "tokens": generation.cache_tokens,
        "bytes": generation.cache_bytes,
        "bytes_held": generation.bytes_held,
        "n_layers": shape.n_layers,
        "n_kv_heads": shape.n_kv_heads,
        "head_dim": shape.head_dim,
        "bytes_per_number": shape.bytes_per_number,
        "bytes_per_token": shape.bytes_per_token,
        "sliding_window": shape.sliding_window,
    }


def describe_piece(piece: Piece) -> dict[str, Any]:
    """Describes a token of a text."""
    return {
        "id": piece.token_id,
        "label": piece.label,
        "bytes": piece.data.hex(" "),
        "joined": piece.joined,
        "special": piece.special,
    }


@cache
def _code() -> dict[str, Any]:
    return vars(source_of(Generation.step))
