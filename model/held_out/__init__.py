"""Stories and the beginnings of books that no shipped model was trained on, as documents.

What they are and whose they are says `model/held_out/README.md`. This module knows no model.
"""

from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

FOLDER = Path(__file__).parent
SEPARATOR = "\n<|endoftext|>\n"

HeldOut: TypeAlias = Literal["stories", "books"]


@cache
def held_out(name: HeldOut) -> tuple[str, ...]:
    """Returns the documents of one file: short stories, or long beginnings of books."""
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return tuple(document.strip() for document in text.split(SEPARATOR))
