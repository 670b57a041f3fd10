"""A run as a file: a table (CSV), and all of it (JSON).

Token text is data in both. In CSV, text that a spreadsheet would take for a formula gets an
apostrophe in front. In JSON everything outside ASCII is escaped, so that any text, lone surrogates
included, is a valid file.
"""

import csv
import io
import json
import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from model.records import Candidate, Piece, RunRecord, Step
from viz.format import guard

SCHEMA = "one-token-at-a-time/run"
SCHEMA_VERSION = 3  # from 2 on ranks count from 1, as on the page; from 3 on it can be opened
ROUNDING = 1e-12
_DRAW = ("forced", "pointer", "prob", "logprob", "rank", "entropy", "chosen_prob")
_PASS = ("phase", "seconds", "n_input", "cache_tokens", "cache_bytes")
_COUNTED = {"n_input"}  # in JSON alone
CSV_COLUMNS = ("position", "id", "label", "text", *_DRAW, *(n for n in _PASS if n not in _COUNTED))


def to_csv(run: RunRecord) -> str:
    """Writes one row per generated token (RFC 4180).

    Probabilities are fractions, log-probabilities and entropies nats, and numbers stay numbers:
    `label` shows the token with its spaces visible, `text` is the characters that it completes.
    Where such a text begins with = + - @ or a control character, an apostrophe is put before it,
    which spreadsheets hide and which keeps them from computing it (OWASP, "CSV injection").
    """
    out = io.StringIO()
    writer = csv.DictWriter(out, CSV_COLUMNS, extrasaction="ignore")
    writer.writeheader()
    pieces = run.pieces[len(run.prompt_ids) :]
    for step, piece in zip(run.steps, pieces, strict=True):
        words = {"label": guard(step.text), "text": guard(piece.joined)}
        writer.writerow({"position": step.position, "id": step.token_id} | words | _facts(step))
    return out.getvalue()


def _facts(step: Step) -> dict[str, object]:
    """Gives what is known of a draw and of the pass before it, by name."""
    facts = {name: getattr(step, name) for name in (*_DRAW, *_PASS)}
    return facts | {"rank": step.rank + 1}


def to_json(run: RunRecord) -> str:
    """Writes everything that it takes to write the text again, and what was seen on the way."""
    return json.dumps(describe(run), allow_nan=False, indent=1)


def describe(run: RunRecord) -> dict[str, Any]:
    """Gives the run as plain values for strict JSON; a number that is not finite is null."""
    n_prompt = len(run.prompt_ids)
    settings: Sequence[Mapping[str, object] | None] = run.settings or [None] * len(run.steps)
    plain: dict[str, Any] = _plain(
        {
            "schema": SCHEMA,
            "schema_version": SCHEMA_VERSION,
            "created": run.created,
            "link": run.link,
            "model": {"name": run.model, "device": run.device, "dtype": run.dtype},
            "seed": run.seed,
            "prompt": {
                "text": run.prompt,
                "ids": run.prompt_ids,
                "pieces": [_piece(piece) for piece in run.pieces[:n_prompt]],
            },
            "forced": {step.position: step.token_id for step in run.steps if step.forced},
            "steps": [
                _step(step, piece, used)
                for step, piece, used in zip(
                    run.steps, run.pieces[n_prompt:], settings, strict=True
                )
            ],
            "finished": run.finished,
            "logprob": run.logprob,
            "cache": vars(run.cache_shape),
            "versions": run.versions,
        }
    )
    return plain


def _piece(piece: Piece) -> dict[str, object]:
    return {
        "id": piece.token_id,
        "label": piece.label,
        "joined": piece.joined,
        "bytes": piece.data.hex(" "),
        "special": piece.special,
    }


def _step(step: Step, piece: Piece, settings: Mapping[str, object] | None) -> dict[str, object]:
    """Gives one step; its probabilities by stage are in the order of `stages`."""
    return {
        "position": step.position,
        **_piece(piece),
        **_facts(step),
        "settings": settings,
        "stages": step.stage_names,
        "candidates": [_candidate(row) for row in step.candidates],
        "n_vocab": step.distribution.n_vocab,
        "n_kept": step.n_kept,
        "other_probs": _other_probs(step),
    }


def _other_probs(step: Step) -> tuple[float, ...]:
    """Gives the mass of all tokens but the candidates after each stage.

    What is left of 1 by float64's rounding alone is no mass: it counts as 0.
    """
    sums = (
        math.fsum(row.probs[stage] for row in step.candidates)
        for stage in range(len(step.stage_names))
    )
    return tuple(1 - shown if shown < 1 - ROUNDING else 0.0 for shown in sums)


def _candidate(row: Candidate) -> dict[str, object]:
    return {
        "id": row.token_id,
        "label": row.label,
        "logit": row.logit,
        "probs": row.probs,
        "kept": row.kept,
    }


def _plain(value: object) -> Any:
    """Turns mappings, sequences and numpy's numbers into what strict JSON knows."""
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_plain(item) for item in value]
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float):
        return float(value) if math.isfinite(value) else None
    if isinstance(value, bool | int | str) or value is None:
        return value
    raise TypeError(f"A {type(value).__name__} has no place in a saved run: convert it first.")
