"""Short texts to guess: three written for this game, two from old books, all in `passages.toml`."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Passage:
    """A text, whose it is, and how much of it the shipped models have seen."""

    name: str
    text: str
    licence: str  # and where it is from
    overlap: float  # fraction of its word 8-grams that occur in the training text, recorded


_TEXT = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
PASSAGES = {passage["name"]: Passage(**passage) for passage in tomllib.loads(_TEXT)["passage"]}
