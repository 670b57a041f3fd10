"""What happens when a run ends: the exported files are measured, and the card is written."""

import argparse
import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer

from training import card, filling, measure
from training.adapt import StartError
from training.checkpoint import writing
from training.corpus import Document, Ids, Split
from training.distillation_data import N_BEST, read_lessons
from training.family import Recipe
from training.measure import Facts

# causal weights as a beginning: of a model that fills pages, and of an encoder-decoder
STARTED = {"causal": "1511.05641", "masked": "2410.17891", "seq2seq": "1907.12461"}
UNITS = {
    "causal": "bits per byte",
    "masked": "bound of bits per byte",
    "seq2seq": "bits per missing token",
}


def describe(
    recipe: Recipe,
    split: Split,
    train_ids: dict[str, list[Ids]],
    held_out: dict[str, list[Document]],
    tokenizer: Tokenizer,
    options: argparse.Namespace,
    folder: Path,
    early_at: int = 0,
) -> None:
    """Measures what was exported to a folder, and writes its card."""
    log = measure.read_log(options.work / "log.jsonl")
    last = next((note for note in log if note["tokens"] >= early_at > 0), log[-1])
    plain = " This one is not distilled: beside a distilled twin it shows what distillation gives."
    early = f" These are its weights after {last['tokens']:,} tokens: to show what training gives."
    facts = {
        "name": folder.name,
        "recipe": recipe.name,
        "kind": recipe.kind,
        "purpose": recipe.purpose
        + (early if early_at else "")
        + (plain if getattr(options, "target", None) else ""),
        "lesson": lesson(recipe, options),
        "hardware": options.hardware or hardware(options.device),
        "run": {key: last[key] for key in ("step", "tokens", "seconds")},
        "phases": [asdict(phase) for phase in recipe.plan.phases],
        "openings": recipe.openings,
        "curve_unit": UNITS[recipe.kind],
        **count_lessons(options),
        "corpus": measure.measure_corpus(split, held_out, train_ids),
        **measure_member(recipe, train_ids, held_out, tokenizer, options, folder),
    }
    check_twin(facts)
    notes = options.notes.read_text(encoding="utf-8") if options.notes and not early_at else ""
    with writing(folder):
        card.write_card(folder, facts, log, notes)


def measure_member(
    recipe: Recipe,
    train_ids: dict[str, list[Ids]],
    held_out: dict[str, list[Document]],
    tokenizer: Tokenizer,
    options: argparse.Namespace,
    folder: Path,
) -> Facts:
    """What there is to measure on a model of this kind."""
    judge: Path | None = getattr(options, "judge", None)
    if recipe.kind == "masked":
        return filling.measure_masked(folder, judge, held_out, tokenizer)
    if recipe.kind == "seq2seq":
        return filling.measure_seq2seq(folder, held_out, tokenizer)
    facts = measure.measure_causal(folder, held_out)
    size = tokenizer.get_vocab_size()
    facts["ngram"] = measure.measure_ngram(train_ids.values(), held_out, size)
    target = getattr(options, "teacher", None) or getattr(options, "target", None)
    if target:
        facts["agreement"] = measure.measure_agreement(folder, target, held_out)
    twin: Path | None = getattr(options, "twin", None)
    if twin:
        facts["twin"] = read_twin(twin)
    return facts


def read_twin(folder: Path) -> dict[str, Any]:
    """What was measured on the same draft, taught otherwise."""
    found = json.loads((folder / "measured.json").read_text(encoding="utf-8"))
    return {
        "name": found["name"],
        "run": {key: found["run"][key] for key in ("step", "tokens")},
        "agreement": found["agreement"],
        "bits_per_byte": found["bits_per_byte"],
    }


def check_twin(facts: Facts) -> None:
    """Refuses a twin that differs in more than its lesson.

    Raises:
        StartError: one of the two was trained longer.
    """
    twin, run = facts.get("twin"), facts["run"]
    if twin and twin["run"] != {key: run[key] for key in twin["run"]}:
        raise StartError(
            f"{twin['name']} was trained for {twin['run']['tokens']:,} tokens and {facts['name']} "
            f"for {run['tokens']:,}: train both alike, or leave --twin out."
        )


def count_lessons(options: argparse.Namespace) -> Facts:
    """How much the teacher wrote, where its draft was taught by that."""
    folder: Path | None = getattr(options, "lessons", None)
    if folder is None or not getattr(options, "teacher", None):
        return {}
    n_rows, n_tokens, _ = read_lessons(folder).shape
    return {"lessons": {"tokens": n_rows * n_tokens, "best": N_BEST}}


def lesson(recipe: Recipe, options: argparse.Namespace) -> str:
    """What the model was taught, for its card."""
    start: Path | None = getattr(options, "start", None)
    if getattr(options, "teacher", None):
        begun = (
            " It began with the weights of an earlier run, whose tokens are not counted here."
            if start
            else ""
        )
        taught = f"It learned the distributions of `{options.teacher.name}` at T = 1: "
        return f"{taught}half their divergence and twice their total variation.{begun}"
    if start is None:
        return recipe.lesson
    source = STARTED[recipe.kind]
    return f"{recipe.lesson} It began with layers of `{start.name}` (arXiv {source})."


def hardware(device: str) -> str:
    """The machine in words."""
    return (
        torch.cuda.get_device_name() if device.startswith("cuda") else f"{os.cpu_count()} CPU cores"
    )
