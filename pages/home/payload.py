"""What the live component is told after each event: a header of plain values, and raw logits.

The protocol is the seam between Python and the page. Python is the authority; the page repeats the
masks and the draw from these numbers so that nothing waits for the wire.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from statistics import median
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np

from model.generation import Generation
from model.loading import LanguageModel
from model.records import Distribution, Step
from model.sampling import ORDERS, Settings, uniform_at
from model.source_code import source_of
from model.tokenizing import pieces, vocabulary_labels
from pages.frame.component import MAX_EXACT, encode_payload
from pages.home.branch import Branch
from pages.home.link import write_link
from pages.home.session import Session

EXAMPLES = (
    "The cat sat on the",
    "Once upon a time",
    "One day, a little girl named Lily",
    "The dragon opened the door and",
    '"I am not afraid," said the',
)
_UNFINISHED: WeakKeyDictionary[Any, frozenset[int]] = WeakKeyDictionary()  # by tokenizer
N_RECENT = 20  # decode passes that the rate is the median of


def build_payload(session: Session, *, presenter: bool, hide_bars: bool) -> bytes:
    """Return the message for the live component: see `encode_payload` for its layout."""
    generation, branch = session.generation, session.active
    settings = session.controls.settings()
    redo = branch.redo(settings)
    seed = redo.seed if redo else branch.seed
    distribution, arrays = _distribution(generation.distribution, generation.logits, "")
    inspected = None
    looked_at = session.inspection or session.look_at_end()
    if looked_at is not None:
        described, more = _distribution(looked_at.distribution, None, "inspect_")
        arrays |= more
        inspected = described | {
            "position": looked_at.position,
            "token_id": looked_at.token_id,
            "coin": looked_at.coin,
            "forced": looked_at.forced,
            "prompt": looked_at.is_prompt,
            "settings": _settings(looked_at.settings),
        }
    header = {
        "protocol": 1,
        "ack": session.ack,
        "model": _model(session.lm),
        "seed": seed,
        "coin": uniform_at(seed, len(generation.ids)),
        "redo": redo.token_id if redo else None,
        "prompt": session.prompt,
        "examples": EXAMPLES,
        "finished": generation.finished,
        **_text(session.lm, generation),
        "steps": _steps(generation.steps),
        "logprob": generation.logprob,
        "settings": _settings(settings),
        "controls": session.controls.to_page(),
        "orders": ORDERS,
        "distribution": distribution,
        "inspect": inspected,
        "branches": [_branch(session, other) for other in session.branches],
        "cache": _cache(generation),
        "timing": _timing(generation),
        "rows": _rows(generation),
        "code": _code(),
        "pieces": [
            {
                "id": piece.token_id,
                "label": piece.label,
                "bytes": piece.data.hex(" "),
                "joined": piece.joined,
                "special": piece.special,
            }
            for piece in session.draft_pieces
        ],
        "pieces_of": session.draft,
        "guess": vars(session.guess) if session.guess else None,
        "hide_bars": hide_bars,
        "presenter": presenter,
        "notice": vars(session.notice) if session.notice else None,
        "link": write_link(session),
        "provenance": "measured",
    }
    return encode_payload(header, arrays)


def _distribution(
    kept: Distribution, logits: np.ndarray | None, prefix: str
) -> tuple[dict[str, Any], dict[str, np.ndarray]]:
    """Describe a distribution and name its arrays: all logits where they are few enough."""
    if logits is not None and len(logits) <= MAX_EXACT:
        return {"n_vocab": len(logits), "exact": True}, {f"{prefix}logits": logits}
    described = {"n_vocab": kept.n_vocab, "exact": kept.ids is None}
    arrays: dict[str, np.ndarray] = {f"{prefix}logits": kept.logits}
    if kept.ids is not None:
        arrays[f"{prefix}ids"] = kept.ids
        arrays[f"{prefix}tail_counts"] = kept.tail_counts
        arrays[f"{prefix}tail_logits"] = kept.tail_logits
    return described, arrays


def _model(lm: LanguageModel) -> dict[str, Any]:
    return {
        "name": lm.name,
        "kind": lm.kind,
        "n_parameters": lm.n_parameters,
        "vocab_size": lm.vocab_size,
        "context_length": lm.context_length,
        "device": str(lm.device),
        "dtype": lm.dtype_name,
        "end_ids": sorted(lm.end_ids),
    }


def _settings(settings: Settings) -> dict[str, Any]:
    return {name: getattr(settings, name) for name in settings.__dataclass_fields__}


def _text(lm: LanguageModel, generation: Generation) -> dict[str, Any]:
    return {
        "ids": generation.ids,
        "n_prompt": generation.n_prompt,
        "forced": [step.position for step in generation.steps if step.forced],
        "joined": _joined(lm, generation.ids),
    }


def _joined(lm: LanguageModel, ids: Sequence[int]) -> dict[str, str]:
    """Return, by position, the characters that are only complete with that token."""
    unfinished = _unfinished(lm)
    if unfinished.isdisjoint(ids):
        return {}
    return {
        str(position): piece.joined
        for position, piece in enumerate(pieces(lm.tokenizer, ids))
        if piece.joined and piece.token_id in unfinished
    }


def _unfinished(lm: LanguageModel) -> frozenset[int]:
    """Return the ids of tokens that are no whole characters by themselves."""
    if lm.tokenizer not in _UNFINISHED:
        labels = vocabulary_labels(lm)
        _UNFINISHED[lm.tokenizer] = frozenset(i for i, text in enumerate(labels) if "<0x" in text)
    return _UNFINISHED[lm.tokenizer]


def _steps(steps: Sequence[Step]) -> dict[str, list[float]]:
    return {
        "logprob": [round(step.logprob, 6) for step in steps],
        "prob": [float(f"{step.prob:.6g}") for step in steps],
        "rank": [step.rank for step in steps],
        "entropy": [round(step.entropy, 6) for step in steps],
        "chosen_prob": [float(f"{step.chosen_prob:.6g}") for step in steps],
        "n_kept": [step.n_kept for step in steps],
    }


def _branch(session: Session, branch: Branch) -> dict[str, Any]:
    generation, active = branch.generation, session.generation
    pairs = zip(generation.ids, active.ids, strict=False)
    n_common = next(
        (i for i, (ours, theirs) in enumerate(pairs) if ours != theirs),
        min(len(generation.ids), len(active.ids)),
    )
    return {
        "id": branch.number,
        "active": branch is session.active,
        "n_common": n_common,
        "ids": generation.ids,
        "n_prompt": generation.n_prompt,
        "joined": _joined(session.lm, generation.ids),
        "logprob": generation.logprob,
    }


def _cache(generation: Generation) -> dict[str, Any]:
    return {
        "tokens": generation.cache_tokens,
        "bytes": generation.cache_bytes,
        "bytes_held": generation.bytes_held,
        **vars(generation.lm.cache_shape),
    }


def _timing(generation: Generation) -> dict[str, Any]:
    last = generation.last_pass
    decodes = [step.seconds for step in generation.steps if step.phase == "decode"]
    if last.phase == "decode":
        decodes.append(last.seconds)
    recent = decodes[-N_RECENT:]
    return {
        "phase": last.phase,
        "seconds": last.seconds,
        "n_input": last.n_input,
        "tokens_per_second": 1 / median(recent) if recent else None,
        "n_recent": len(recent),
        "prefill_seconds": generation.steps[0].seconds if generation.steps else last.seconds,
    }


def _rows(generation: Generation) -> dict[str, list[Any]]:
    """Return the worked table's columns that the page cannot tell from text and steps."""
    steps = generation.steps
    best = [step.candidates[0] for step in steps]
    return {
        "phase": [step.phase for step in steps],
        "n_input": [step.n_input for step in steps],
        "top_id": [row.token_id for row in best],
        "top_prob": [float(f"{row.probs[0]:.6g}") for row in best],
        "cache_tokens": [step.cache_tokens for step in steps],
        "bytes": [step.cache_bytes for step in steps],
        "seconds": [float(f"{step.seconds:.6g}") for step in steps],
    }


@cache
def _code() -> dict[str, Any]:
    return vars(source_of(Generation.step))
