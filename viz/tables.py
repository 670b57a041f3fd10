"""Records as pandas tables, for the eye and for the notebook.

Fractions stay fractions, seconds seconds and bytes bytes; a column's name bears its unit. Missing
values are pandas' own, so that whole numbers stay whole.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd

from model.records import Piece, Step

ROUNDING = 1e-12

STEP_COLUMNS = {
    "step": "int64",
    "phase": "string",
    "input": "string",
    "input (tokens)": "int64",
    "top prediction": "string",
    "top prob": "float64",
    "chosen": "string",
    "chosen id": "int64",
    "prob": "float64",
    "logprob (nats)": "float64",
    "forced": "bool",
    "new cache entry": "string",
    "cache (tokens)": "int64",
    "cache (bytes)": "int64",
    "pass (s)": "float64",
}
PIECE_COLUMNS = {
    "position": "int64",
    "id": "int64",
    "token": "string",
    "bytes (hex)": "string",
    "joined": "string",
    "special": "bool",
    "word start": "bool",
}


def steps_table(steps: Sequence[Step], prompt_pieces: Sequence[Piece]) -> pd.DataFrame:
    """Writes the worked table: what the model read, what it predicted, what the cache gained.

    Args:
        steps: In the order of the text.
        prompt_pieces: The tokens of the prompt, which the first pass read.
    """
    read = [piece.label for piece in prompt_pieces] + [step.text for step in steps]
    rows = []
    for number, step in enumerate(steps):
        # a pass reads what the cache did not hold: the text's last n_input tokens before this one
        inputs = read[step.position - step.n_input : step.position]
        best = step.candidates[0]
        rows.append(
            (
                number,
                step.phase,
                "".join(inputs),
                step.n_input,
                best.label,
                best.probs[0],
                step.text,
                step.token_id,
                step.prob,
                step.logprob,
                step.forced,
                cache_entry(step),
                step.cache_tokens,
                step.cache_bytes,
                step.seconds,
            )
        )
    return _frame(rows, STEP_COLUMNS)


def cache_entry(step: Step) -> str:
    """Names the positions whose keys and values the step's pass added to the cache."""
    first, last = step.cache_tokens - step.n_input, step.cache_tokens - 1
    if last < first or first < 0:
        return "none"
    return f"K, V of {last}" if first == last else f"K, V of {first} to {last}"


def candidates_table(step: Step) -> pd.DataFrame:
    """Writes a step's top tokens: a probability and a kept column for every stage.

    The last row is all other tokens together, so that each column of probabilities sums to 1.
    """
    columns = {"rank": "Int64", "id": "Int64", "token": "string", "logit": "Float64"}
    columns |= {f"prob: {name}": "float64" for name in step.stage_names}
    columns |= {f"kept: {name}": "boolean" for name in step.stage_names}
    rows: list[tuple[object, ...]] = [
        # the chosen token has a row wherever it ranks
        (step.rank if row.token_id == step.token_id else i, row.token_id, row.label, row.logit)
        + (row.probs + row.kept)
        for i, row in enumerate(step.candidates)
    ]
    n_others = step.distribution.n_vocab - len(step.candidates)
    if n_others > 0:
        rest = other_probs(step)
        rows.append(
            (pd.NA, pd.NA, f"all other tokens ({n_others})", pd.NA, *rest, *[pd.NA] * len(rest))
        )
    return _frame(rows, columns)


def other_probs(step: Step) -> tuple[float, ...]:
    """Gives the mass of all tokens but the candidates after each stage.

    What is left of 1 by float64's rounding alone is no mass: it counts as 0.
    """
    sums = (
        math.fsum(row.probs[stage] for row in step.candidates)
        for stage in range(len(step.stage_names))
    )
    return tuple(1 - shown if shown < 1 - ROUNDING else 0.0 for shown in sums)


def pieces_table(pieces: Sequence[Piece]) -> pd.DataFrame:
    """Writes the tokens of a text one by one: label, bytes, id, and what they complete."""
    rows = [
        (
            position,
            piece.token_id,
            piece.label,
            piece.data.hex(" "),
            piece.joined,
            piece.special,
            piece.is_word_start,
        )
        for position, piece in enumerate(pieces)
    ]
    return _frame(rows, PIECE_COLUMNS)


def _frame(rows: Sequence[Sequence[object]], columns: dict[str, str]) -> pd.DataFrame:
    """Makes a table whose column types hold even without rows."""
    return pd.DataFrame(list(rows), columns=list(columns)).astype(columns)
