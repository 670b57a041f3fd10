"""What a sentence repeats of an error's message or of somebody's input: little, and no folders."""

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from typing import Self
from unicodedata import category

MAX_SENTENCE = 300  # characters of what a reader is told at once
MAX_ECHO = 40  # characters of somebody's input
_BREAKS = "\t\n\v\f\r\x85"  # the controls that are white space
_READ = 4  # times the limit that is looked at: what is left out of a text is little
MAX_REASON = 120  # of an error's message

# what leads to a file, and is no part of an address
_FOLDERS = re.compile(r"(?<![\w.:/\\])(?:[A-Za-z]:|~)?[\\/](?:[^\s\\/:'\"]+[\\/])*(?=[^\s\\/:'\"])")

_PLACE = re.compile(r"\{(\w+)\}")


class Sentence(str):
    """A sentence of an error or a record that a page can say in its reader's language.

    It is its own English; `source` and `values` are what a translation is found and filled by.
    """

    source: str
    values: Mapping[str, object]

    def __new__(cls, source: str, **values: object) -> Self:
        """Fills in the placeholders, such as {n_tokens}."""
        made = super().__new__(cls, fill(source, values))
        made.source, made.values = source, values
        return made

    def filled(self, **values: object) -> Self:
        """Returns the same sentence with more of its placeholders filled in."""
        return type(self)(self.source, **{**self.values, **values})


class Numeral(str):
    """A number with its unit, as viz/format.py wrote it, that a page writes as its reader does."""


class Quote(str):
    """What somebody wrote: it stands as it is in every language."""


def joined(parts: Sequence[str]) -> Sentence:
    """Returns sentences one after the other, each to be said in the reader's language."""
    return _between([part for part in parts if part], " ")


def _between(parts: Sequence[str], between: str) -> Sentence:
    named = {f"s{i}": part for i, part in enumerate(parts)}
    return Sentence(between.join(f"{{{name}}}" for name in named), **named)


def fill(text: str, values: Mapping[str, object]) -> str:
    """Fills in the placeholders that are among the values; nothing in a text is run."""
    return _PLACE.sub(lambda place: str(values.get(place[1], place[0])), text) if values else text


def cut(text: str, limit: int = MAX_ECHO) -> str:
    """Returns a text in one line, its end left out where it is long.

    Line breaks of every script become spaces; controls and marks without a width are left out, as
    they may turn the rest of the sentence around.
    """
    begun = text[: _READ * limit]
    line = " ".join("".join(c for c in begun if c.isspace() or category(c)[0] != "C").split())
    is_whole = len(line) <= limit and len(begun) == len(text)
    return line if is_whole else f"{line[: limit - 1]}…"


def spelled(text: str) -> str:
    """Returns a text with what nobody sees written out, as in "<U+200B>3"; spaces stay."""
    return "".join(
        c if c in _BREAKS or category(c)[0] != "C" else f"<U+{ord(c):04X}>" for c in text
    )


def name_of(model: str) -> str:
    """Returns what sentences call a model: of a folder its own name, without those around it."""
    is_path = model.startswith(("/", "~", ".")) or "\\" in model
    return cut(PurePath(model.replace("\\", "/")).name if is_path else model)


def apart(more: float, less: float, digits: int = 1) -> tuple[str, str]:
    """Returns a number and one below it, with as many decimals as tell them apart."""
    for n in range(digits, digits + 12):
        told = f"{more:,.{n}f}", f"{less:,.{n}f}"
        if told[0] != told[1]:
            return told
    return f"{more!r}", f"{less!r}"


def as_many_as_fit(parts: Sequence[str], limit: int, between: str = "; ") -> Sentence:
    """Joins parts, the first in any case; where they are too many, says how many are left out."""
    n_shown = max(
        n for n in range(len(parts) + 1) if n < 2 or len(between.join(parts[:n])) <= limit
    )
    shown = _between(parts[:n_shown], between)
    if n_shown == len(parts):
        return shown
    more = Sentence("(and {number} more)", number=len(parts) - n_shown)
    return Sentence("{shown} {more}", shown=shown, more=more)


def reason(error: BaseException, limit: int = MAX_REASON) -> str:
    """Returns what an error says, in one line without a full stop; its kind where it is silent."""
    said = " ".join(_FOLDERS.sub("", str(error)).split())
    return cut(said, limit).rstrip(".") or type(error).__name__


def is_failure(error: BaseException) -> bool:
    """Tells errors, panics of a library in Rust included, from what is to end the process."""
    return isinstance(error, Exception) or type(error).__name__ == "PanicException"
