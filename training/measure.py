"""Everything that a model card states, measured on the very files that are shipped.

The result is plain data: `measured.json` beside the weights holds it, `card.py` puts it in words.
"""

import json
import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import safe_open
from transformers import AutoModelForCausalLM, AutoTokenizer, PreTrainedModel

from training.corpus import Document, Ids, Split
from training.evaluate import agreement, bits_by_position, bits_per_byte
from training.ngram import KneserNey
from training.writing import continue_text, habits

Facts = dict[str, Any]
Held = Mapping[str, list[Document]]

PROMPTS = ("The cat sat on the", "Once upon a time")
SEEDS = (0, 1, 2)
N_STORIES = 64
MAX_STORY_TOKENS = 600
N_GRAM = 5
N_OPENINGS, OPENING, MAX_OWN_TOKENS = 48, 16, 160  # texts that a target writes for its draft
POSITION_EDGES = {
    "tinystories": (16, 64, 128, 256),
    "childrens_books": (16, 64, 256, 512, 1024, 2047),
}


def measure_weights(folder: Path, model: PreTrainedModel) -> Facts:
    """Shape and size of an exported model."""
    weights = folder / "model.safetensors"
    return {
        "class": type(model).__name__,
        "parameters": model.num_parameters(),
        # where it lies is no fact of it
        "config": {k: v for k, v in model.config.to_dict().items() if k != "_name_or_path"},
        "stored": stored_as(weights),
        "weight_bytes": weights.stat().st_size,
    }


def measure_causal(folder: Path, held_out: Held) -> Facts:
    """Loads an exported causal model in float32 and measures it on held-out text."""
    model = AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float32, local_files_only=True)
    tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True)
    stories = continue_text(model, tokenizer, PROMPTS[1], 0.8, 0, N_STORIES, MAX_STORY_TOKENS)
    samples = [sample(model, tokenizer, prompt, 0.0, 0) for prompt in PROMPTS]
    samples += [sample(model, tokenizer, prompt, 0.8, seed) for prompt in PROMPTS for seed in SEEDS]
    return measure_weights(folder, model) | {
        "bits_per_byte": {name: bits_per_byte(model, docs) for name, docs in held_out.items()},
        "bits_by_position": {
            name: dict(zip(edges, bits_by_position(model, held_out[name], edges), strict=False))
            for name, edges in POSITION_EDGES.items()
            if name in held_out
        },
        "habits": asdict(habits(stories, model.config.eos_token_id)),
        "samples": samples,
    }


def stored_as(weights: Path) -> str:
    """The number format of a file of weights."""
    with safe_open(weights, "pt") as file:
        dtype = file.get_tensor(next(iter(file.keys()))).dtype
    return str(dtype).removeprefix("torch.")


def sample(
    model: PreTrainedModel, tokenizer: Any, prompt: str, temperature: float, seed: int
) -> dict[str, Any]:
    """One unedited text, prompt included; greedy ones are cut short, as they may not end."""
    most = MAX_STORY_TOKENS if temperature else 200
    ids = continue_text(model, tokenizer, prompt, temperature, seed, 1, most)[0]
    text = prompt + tokenizer.decode(ids, skip_special_tokens=True)
    ended = model.config.eos_token_id in ids
    return {"temperature": temperature, "seed": seed, "text": text, "ended": ended}


def measure_corpus(split: Split, held_out: Held, train_ids: Mapping[str, list[Ids]]) -> Facts:
    """Sizes, overlaps and the habits of real stories."""
    real = [document.ids[1:].tolist() for document in held_out.get("tinystories", [])]
    return {
        "sources": {
            name: {
                "train_documents": len(split.train[name]),
                "train_tokens": sum(len(ids) for ids in train_ids[name]),
                "held_out_documents": len(docs),
                "held_out_bytes": sum(document.n_bytes for document in docs),
                "dropped": split.dropped[name],
                "overlap": quantiles(split.overlaps[name]),
            }
            for name, docs in held_out.items()
        },
        "real_habits": asdict(habits(real, 0)) if real else {},
    }


def measure_ngram(train_ids: Iterable[list[Ids]], held_out: Held, vocab_size: int) -> Facts:
    """Bits per byte of the n-gram baseline, on the same split and the same tokens."""
    baseline = KneserNey([ids for source in train_ids for ids in source], vocab_size, N_GRAM)
    bits = {}
    for name, docs in held_out.items():
        nats = sum(float(baseline.nats(document.ids).sum()) for document in docs)
        bits[name] = nats / math.log(2) / sum(document.n_bytes for document in docs)
    return {"order": N_GRAM, "bits_per_byte": bits}


def measure_agreement(folder: Path, teacher: Path, held_out: Held) -> Facts:
    """How often a draft is of its target's mind: on held-out text, and on the target's own."""
    draft, target = (
        AutoModelForCausalLM.from_pretrained(each, dtype=torch.float32, local_files_only=True)
        for each in (folder, teacher)
    )
    openings = [document.ids[:OPENING] for document in held_out.get("tinystories", [])][:N_OPENINGS]
    own = {
        f"{teacher.name}'s own, {how}": [
            Document(write_on(target, opening, temperature), 0) for opening in openings
        ]
        for how, temperature in (("greedy", 0.0), ("T = 1", 1.0))
        if openings
    }
    return {name: agreement(target, draft, docs) for name, docs in {**held_out, **own}.items()}


def write_on(model: PreTrainedModel, ids: Ids, temperature: float) -> Ids:
    """An opening and what a causal model writes behind it."""
    torch.manual_seed(0)
    how = {"do_sample": True, "temperature": temperature, "top_k": 0} if temperature else {}
    generate: Any = model.generate  # its class is annotated as a tensor
    prompt = torch.from_numpy(ids.astype(np.int64))[None]
    written = generate(prompt, max_new_tokens=MAX_OWN_TOKENS, **how)[0]
    return np.asarray(written, dtype=np.uint16)


def read_log(path: Path) -> list[dict[str, Any]]:
    """The notes of a run, in order."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def quantiles(values: list[float]) -> dict[str, float]:
    """Least, quarter, median, three quarters, most."""
    if len(values) < 2:
        return dict.fromkeys(("min", "q1", "median", "q3", "max"), values[0] if values else 0.0)
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive")
    return {"min": min(values), "q1": low, "median": middle, "q3": high, "max": max(values)}
