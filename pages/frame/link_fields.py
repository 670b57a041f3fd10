"""What of a lesson travels in its link: settings with a name, bounds, and how each is written.

    ?prompt=The+cat+sat+on+the&seed=22&temperature=0.8

Knows nothing of Streamlit. A link is what anybody may have typed: whatever cannot be read leaves
its setting as it was, and is named in a few words.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import urlencode

from viz.format import count

LONGEST_TEXT = 4_000  # characters of one setting that a link carries
LONGEST_ECHO = 40  # characters of what could not be read


@dataclass(frozen=True)
class Field(ABC):
    """One setting of a lesson."""

    name: str  # in the link
    key: str  # in the session's state, a widget's where there is one
    words: str  # what a sentence calls it
    default: object = None  # None: the lesson begins with something of its own

    @abstractmethod
    def read(self, text: str) -> object:
        """Return the value that a text stands for.

        Raises:
            ValueError: Says in a few words what it has to be.
        """

    def write(self, value: object) -> str:
        """Return a value as text, so that reading it gives the value again."""
        return str(value)

    def _refuse(self, wanted: str, text: str) -> ValueError:
        shown = text if len(text) <= LONGEST_ECHO else f"{text[:LONGEST_ECHO]}…"
        return ValueError(f"{self.words} has to be {wanted}, not “{shown}”")


@dataclass(frozen=True)
class Words(Field):
    """A text, up to so many characters."""

    longest: int = LONGEST_TEXT

    def read(self, text: str) -> str:
        """Return the text as it is."""
        if len(text) > self.longest:
            raise ValueError(f"{self.words} has more than {count(self.longest)} characters")
        return text


@dataclass(frozen=True)
class Whole(Field):
    """A whole number between bounds, both included."""

    low: int = 0
    high: int = 10**9

    def read(self, text: str) -> int:
        """Return the number."""
        is_number = text.isascii() and text.isdigit() and len(text) <= 18
        if not is_number or not self.low <= int(text) <= self.high:
            raise self._refuse(f"a whole number from {count(self.low)} to {count(self.high)}", text)
        return int(text)


@dataclass(frozen=True)
class Number(Field):
    """A number between bounds, both included."""

    low: float = 0.0
    high: float = 1.0

    def read(self, text: str) -> float:
        """Return the number."""
        try:
            value = float(text) if text.isascii() else math.nan
        except ValueError:
            value = math.nan
        if not self.low <= value <= self.high:  # as nan never is
            raise self._refuse(f"a number from {self.low:g} to {self.high:g}", text)
        return value


@dataclass(frozen=True)
class OneOf(Field):
    """One of some names or numbers."""

    names: Sequence[object] = ()

    def read(self, text: str) -> object:
        """Return the one that is written so."""
        for name in self.names:
            if str(name) == text:
                return name
        raise self._refuse(f"one of {', '.join(map(str, self.names))}", text)


@dataclass(frozen=True)
class YesNo(Field):
    """A switch: 1 is on, 0 is off."""

    def read(self, text: str) -> bool:
        """Return whether it is on."""
        if text not in ("0", "1"):
            raise self._refuse("1 or 0", text)
        return text == "1"

    def write(self, value: object) -> str:
        """Return 1 or 0."""
        return "1" if value else "0"


MODEL = Words("model", "", "the model", longest=200)


@dataclass
class Asked:
    """What a link asks for, as far as it could be read."""

    values: dict[str, object] = field(default_factory=dict)  # by the fields' names
    model: str | None = None
    faults: list[str] = field(default_factory=list)  # a few words each

    def sentence(self) -> str:
        """Return what was not followed, in one sentence; nothing where all of it was."""
        if not self.faults:
            return ""
        n_faults = len(self.faults)
        where = "one point" if n_faults == 1 else f"{n_faults} points"
        return f"The link was not followed in {where}: {'; '.join(self.faults)}."


def read_fields(params: Mapping[str, Sequence[str]], fields: Sequence[Field]) -> Asked:
    """Read a query; names that are no field's are passed over.

    Args:
        params: every name of the query with all that it was given.
        fields: what the lesson knows.
    """
    asked = Asked()
    for one in (MODEL, *fields):
        texts = params.get(one.name, ())
        if not texts:
            continue
        try:
            if len(texts) > 1:
                raise ValueError(f"{one.words} is given {len(texts)} times")
            value = one.read(texts[0])
        except ValueError as error:
            asked.faults.append(str(error))
        else:
            if one is MODEL:
                asked.model = texts[0].strip() or None
            else:
                asked.values[one.name] = value
    return asked


def write_fields(values: Mapping[str, object], fields: Sequence[Field], model: str | None) -> str:
    """Return the query that brings values back; what has none, or is too long, is left out.

    Args:
        values: by the fields' names.
        fields: what the lesson knows.
        model: None where it is the one that the lesson has of itself.
    """
    parts = {} if model is None else {MODEL.name: model}
    for one in fields:
        value = values.get(one.name)
        if value is not None:
            parts[one.name] = one.write(value)
    return f"?{urlencode(parts)}" if parts else ""
