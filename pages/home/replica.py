"""What a page holds of its session, and the messages that say only what it lacks.

A message is the whole state, or the change to one that the page has said it holds: what is sent for
a press does not grow with the text, and what was sent ahead is confirmed in a few bytes. Where the
page holds nothing that is known here, it is told all. `live/replica.js` is the other side.

Knows nothing of Streamlit, nor of what a state means.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from pages.frame.component import encode_payload

Arrays = Mapping[str, npt.NDArray[Any]]
LISTS = (list, tuple, str)
_SAME = object()  # there is no difference
_NONE = object()  # there was no value


@dataclass(frozen=True)
class Listed:
    """A list whose entries are written when they are sent, and not before."""

    entries: Sequence[Any]
    write: Callable[[Any], Any]

    def written(self, start: int = 0) -> list[Any]:
        """Return the entries from one on as JSON can hold them."""
        return [self.write(entry) for entry in self.entries[start:]]


@dataclass(frozen=True)
class Table:
    """Several lists about the same entries, by name."""

    entries: Sequence[Any]
    columns: Mapping[str, Callable[[Any], Any]]

    def written(self, start: int = 0) -> dict[str, list[Any]]:
        """Return each column from one entry on as JSON can hold it."""
        entries = self.entries[start:]
        return {name: list(map(write, entries)) for name, write in self.columns.items()}


@dataclass(frozen=True, eq=False)
class State:
    """What the page knows once it has a message."""

    version: int
    header: Mapping[str, Any]
    arrays: Arrays


class Replica:
    """What one page was told last: as the answer to its event, and ahead of the next one.

    Attributes:
        is_confirmed: whether the last answer only confirms what the page shows already.
    """

    def __init__(self) -> None:
        """Begin with a page that holds nothing."""
        # a server that was started again counts on from where the one before had come
        self._version = int(1000 * time.time())
        self._answer: State | None = None
        self._ahead: State | None = None
        self._held: Sequence[object] = ()
        self.is_confirmed = False

    def hear(self, versions: object) -> None:
        """Note which versions the page says it holds; an event may say anything."""
        self._held = versions if isinstance(versions, list) else ()

    def answer(self, header: Mapping[str, Any], arrays: Arrays) -> bytes:
        """Return the message that brings the page up to date; without an event it says all."""
        known = [s for s in (self._ahead, self._answer) if s and s.version in self._held]
        self._held = ()
        ahead = self._ahead
        self.is_confirmed = ahead in known and ahead.arrays["logits"] is arrays["logits"]
        self._answer, message = self._tell(header, arrays, known, None)
        if self._ahead not in known:
            self._ahead = None
        return message

    def foreseen(self, ack: int) -> tuple[Mapping[str, Any], Arrays] | None:
        """Return what was told ahead as the answer to an event; None where the page lacks it."""
        told = self._ahead
        if told is None or told.version not in self._held:
            return None
        return {**told.header, "ack": ack}, told.arrays

    def ahead(self, header: Mapping[str, Any], arrays: Arrays) -> bytes:
        """Return the message of what the next answer will be; the last one stands before it."""
        known = [state for state in (self._ahead, self._answer) if state]
        follows = self._answer.version if self._answer else None
        self._ahead, message = self._tell(header, arrays, known, follows)
        return message

    def _tell(
        self,
        header: Mapping[str, Any],
        arrays: Arrays,
        known: Sequence[State],
        follows: int | None,
    ) -> tuple[State, bytes]:
        self._version += 1
        state = State(self._version, header, arrays)
        logits = arrays.get("logits")
        # the one whose logits need not be sent, else the newest answer
        same = [base for base in known if base.arrays.get("logits") is logits]
        base = next(iter([*same, *reversed(known)]), None)
        told: dict[str, Any] = {"version": state.version, "follows": follows}
        if base is None:
            return state, encode_payload(told | {"base": None, "whole": written(header)}, arrays)
        kept = [name for name, array in arrays.items() if base.arrays.get(name) is array]
        change = difference(base.header, header)
        told |= {"base": base.version, "change": {} if change is _SAME else change, "kept": kept}
        sent: dict[str, npt.NDArray[np.generic]] = {
            name: array for name, array in arrays.items() if name not in kept
        }
        return state, encode_payload(told, sent)


def difference(old: Any, new: Any) -> Any:
    """Return what turns one value into another; PROTOCOL.md says how it is written."""
    if old is new or old == new:
        return _SAME
    if isinstance(old, dict) and isinstance(new, dict) and old.keys() <= new.keys():
        return _inside({name: (old.get(name, _NONE), value) for name, value in new.items()})
    if type(old) is type(new) and isinstance(new, LISTS):
        if len(old) == len(new) and new and isinstance(new[0], dict):
            return _inside(dict(enumerate(zip(old, new, strict=True))))
        return _grown(old, new, lambda start: new[start:])
    if isinstance(old, Listed) and isinstance(new, Listed):
        return _grown(old.entries, new.entries, new.written)
    if isinstance(old, Table) and isinstance(new, Table):
        grown = _grown(old.entries, new.entries, new.written)
        return grown if grown is _SAME else _in_every_column(**grown)
    return {"set": written(new)} if isinstance(new, (dict, Listed, *LISTS)) else new


def _inside(pairs: Mapping[Any, tuple[Any, Any]]) -> Any:
    changes = {name: difference(*pair) for name, pair in pairs.items()}
    changes = {name: change for name, change in changes.items() if change is not _SAME}
    return {"in": changes} if changes else _SAME


def _grown(old: Sequence[Any], new: Sequence[Any], rest: Callable[[int], Any]) -> Any:
    n = count_common(old, new)
    return _SAME if n == len(old) == len(new) else {"keep": n, "add": rest(n)}


def _in_every_column(keep: int, add: Mapping[str, list[Any]]) -> Any:
    return {"in": {name: {"keep": keep, "add": column} for name, column in add.items()}}


def count_common(first: Sequence[Any], second: Sequence[Any]) -> int:
    """Return how many entries two lists, or characters two texts, begin with in common."""
    low, high = 0, min(len(first), len(second))
    middle = high  # most often one goes on where the other ends
    while low < high:
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
        middle = (low + high + 1) // 2
    return low


def written(value: Any) -> Any:
    """Return a value as JSON can hold it."""
    if isinstance(value, (Listed, Table)):
        return value.written()
    if isinstance(value, dict):
        return {name: written(inner) for name, inner in value.items()}
    return value
