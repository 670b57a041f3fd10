"""What a page was told, and what it lacks: each field and row bears the version that brought it.

The page says which version it holds; whatever came later is sent, and rows that came no later it
still has. Nothing is compared beyond that. Knows nothing of Streamlit, nor of what a field means.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from pages.frame.component import encode_payload

Arrays = Mapping[str, npt.NDArray[np.generic]]


@dataclass(frozen=True)
class Part:
    """A field that is written when it is sent, and not before.

    Its key says which it is: an object that is like no other, or values to compare.
    """

    key: object
    write: Callable[[], Any] = field(compare=False)
    arrays: Arrays = field(default_factory=dict, compare=False)


class Told:
    """The state of one page, as of the newest version."""

    def __init__(self, version: int = 0) -> None:
        """Begins with a page that holds nothing newer than a version."""
        self.version = version
        self._fields: dict[str, tuple[Any, int]] = {}
        self._rows: list[object] = []
        self._stamps: list[int] = []  # one for each row, never falling

    def answer(
        self,
        held: object,
        fields: Mapping[str, Any],
        rows: Sequence[object],
        columns: Callable[[int], Mapping[str, list[Any]]],
    ) -> bytes:
        """Returns what a page lacks of a state.

        Args:
            held: The version that the page says it holds; it may say anything.
            fields: The whole state but for its rows.
            rows: A stack: one that stands where it stood has the same below it as before.
            columns: Writes all rows from one on.
        """
        self.version += 1
        self._note(fields, rows)
        since = held if isinstance(held, int) and held < self.version else -1
        sent = {name: value for name, (value, stamp) in self._fields.items() if stamp > since}
        keep = bisect_right(self._stamps, since)
        header: dict[str, Any] = {
            "version": self.version,
            "keep": keep,
            "rows": columns(keep),
            **sent,
        }
        arrays: dict[str, npt.NDArray[np.generic]] = {}
        for name, part in sent.items():
            if isinstance(part, Part):
                header[name] = part.write()
                arrays |= part.arrays
        return encode_payload(header, arrays)

    def _note(self, fields: Mapping[str, Any], rows: Sequence[object]) -> None:
        """Stamp what is new."""
        for name, value in fields.items():
            if name not in self._fields or self._fields[name][0] != value:
                self._fields[name] = value, self.version
        old = self._rows
        places = range(min(len(old), len(rows)))
        n_same = bisect_left(places, True, key=lambda place: old[place] is not rows[place])
        del self._stamps[n_same:]
        self._stamps += [self.version] * (len(rows) - n_same)
        self._rows = list(rows)
