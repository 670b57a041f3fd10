"""Shapes and dropouts of the storyteller, each trained on the same few tokens, side by side."""

import dataclasses
import json
from pathlib import Path
from typing import Any

from transformers import LlamaConfig

from training.card_sections import table
from training.curve import draw_curves
from training.family import Recipe, llama

HEAD_SIZE = 32


class TrialError(ValueError):
    """A trial is not written as one; the message says how to."""


def variant(recipe: Recipe, trial: str) -> Recipe:
    """The recipe in another shape, without the long rows at its end.

    Args:
        recipe: of a causal model.
        trial: hidden size and layers, and the dropout of the attention: "192x6" or "256x8,0.1".

    Raises:
        TrialError: where it is not written so.
    """
    shape, _, dropout = trial.partition(",")
    try:
        hidden, layers = (int(number) for number in shape.split("x"))
        config: LlamaConfig = llama(hidden, layers, hidden // HEAD_SIZE, hidden * 11 // 4)
        config.attention_dropout = float(dropout or 0)
    except ValueError as error:
        raise TrialError(f"{trial!r} is no trial: write it as 192x6 or 256x8,0.1.") from error
    shortest = min(phase.n_tokens for phase in recipe.plan.phases)
    phases = tuple(phase for phase in recipe.plan.phases if phase.n_tokens == shortest)
    plan = dataclasses.replace(recipe.plan, phases=phases, judge_every=20, early_at=0)
    return dataclasses.replace(recipe, config=config, plan=plan)


def write_comparison(folder: Path, found: dict[str, dict[str, Any]]) -> str:
    """Writes comparison.json and comparison.svg, and returns the table for a card.

    Args:
        folder: to write into.
        found: by trial, its `parameters` and the notes of its run, `log`.
    """
    curves = {}
    for trial, each in found.items():
        judged = [note for note in each["log"] if note["held_out"]]
        values = [next(iter(note["held_out"].values())) for note in judged]
        tokens = [note["tokens"] for note in judged]
        curves[trial] = [(n / 1e6, value) for n, value in zip(tokens, values, strict=True)]
    rows = [
        [
            trial,
            f"{each['parameters']:,}",
            f"{each['log'][-1]['tokens']:,}",
            f"{each['log'][-1]['seconds'] / 60:.0f}",
            f"{curves[trial][-1][1]:.3f}",
        ]
        for trial, each in found.items()
    ]
    folder.mkdir(parents=True, exist_ok=True)
    kept = {
        trial: {"parameters": each["parameters"], "curve": curves[trial]}
        for trial, each in found.items()
    }
    (folder / "comparison.json").write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")
    svg = draw_curves(curves, "million tokens seen", "bits per byte, held-out sample")
    (folder / "comparison.svg").write_text(svg, encoding="utf-8")
    header = ["hidden x layers, dropout", "parameters", "tokens seen", "minutes", "bits per byte"]
    return table(header, rows)
