"""Makes the cases: `python -m conformance.make` writes `cases.jsonl`.

A case is left out if its kept set or its token would change within what float32 rounds off, so
that an engine which computes in float32 can pass all of them.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from conformance.ours import answer
from model.settings import ORDERS

CASES = Path(__file__).with_name("cases.jsonl")
N_CASES = {"transformers": 200, "vllm": 100, "llama.cpp": 100, "ollama": 100}
MARGIN = 1e-4  # of every setting and of the pointer
# value of each stage, drawn by a generator; the last one keeps temperature 0 rare
VALUES: dict[str, Any] = {
    "repetition_penalty": lambda rng: rng.uniform(1, 2),
    "frequency_penalty": lambda rng: rng.uniform(-1, 2),
    "presence_penalty": lambda rng: rng.uniform(-1, 2),
    "top_n_sigma": lambda rng: rng.uniform(0.5, 3),
    "top_h": lambda rng: rng.uniform(0.2, 0.95),
    "top_k": lambda rng: int(rng.integers(1, 20)),
    "top_p": lambda rng: rng.uniform(0.1, 0.99),
    "min_p": lambda rng: rng.uniform(0.01, 0.4),
    "typical_p": lambda rng: rng.uniform(0.1, 0.99),
    "epsilon": lambda rng: rng.uniform(0.001, 0.1),
    "eta": lambda rng: rng.uniform(0.001, 0.1),
    "temperature": lambda rng: 0.0 if rng.random() < 0.15 else rng.uniform(0.3, 2),
}
# of equal logits these keep all or none, in every engine; what top-k or top-p keeps of them differs
WITH_TIES = {"repetition_penalty", "temperature", "min_p", "epsilon", "eta"}


def cases() -> Iterator[dict[str, Any]]:
    """Yields every case with its answer, in the order of the file."""
    rng, number = np.random.default_rng(2026), 0
    for engine, n_cases in N_CASES.items():
        left = n_cases
        while left:
            question = _question(rng, engine)
            found = answer(question)
            if any(_verdict(answer(near)) != _verdict(found) for near in _nearby(question)):
                continue
            yield {"id": number, "engine": engine, **question, **found}
            number, left = number + 1, left - 1


def _question(rng: np.random.Generator, engine: str) -> dict[str, Any]:
    """Draws logits, a text, settings, and a pointer."""
    n_vocab, has_ties = int(rng.integers(8, 33)), rng.random() < 0.2
    logits = rng.normal(0, rng.uniform(0.5, 4), n_vocab).round(0 if has_ties else 3)
    masked = rng.random(n_vocab) < (0.2 if rng.random() < 0.3 else 0)
    masked[rng.integers(n_vocab)] = False
    possible = [name for name in ORDERS[engine] if name in VALUES]
    possible = [name for name in possible if not has_ties or name in WITH_TIES]
    share = rng.choice([0.2, 0.4, 0.7])
    order = [name for name in possible if rng.random() < share] or ["temperature"]
    return {
        "logits": [None if out else float(x) + 0 for x, out in zip(logits, masked, strict=True)],
        "ids": rng.integers(0, n_vocab, int(rng.integers(2, 12))).tolist(),
        "n_prompt": 2,
        "order": order,
        "settings": {name: round(VALUES[name](rng), 4) for name in order},
        "pointer": round(float(rng.random()), 6),
    }


def _nearby(question: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the question with each number moved a little, one at a time."""
    for by in (-MARGIN, MARGIN):
        yield question | {"pointer": min(max(question["pointer"] + by, 0), 1 - MARGIN)}
        for name, value in question["settings"].items():
            if isinstance(value, float) and value:
                yield question | {"settings": question["settings"] | {name: value * (1 + by)}}


def _verdict(found: dict[str, Any]) -> tuple[list[int], int]:
    return found["kept"], found["token"]


def main() -> None:
    """Writes the file, one case a line."""
    lines = [json.dumps(case, separators=(",", ":")) for case in cases()]
    CASES.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
