"""What a long run has found so far, a line of JSON for each part: what was cut short goes on."""

import hashlib
import json
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from tests.driving.harness import ROOT


def hash_of(paths: Iterable[str]) -> str:
    """Returns what is other once one of some files of the project is."""
    return hashlib.sha256(b"".join((ROOT / path).read_bytes() for path in paths)).hexdigest()[:12]


class ResultsFile:
    """A file of results by their keys."""

    def __init__(self, path: Path) -> None:
        """Reads what is there."""
        self._path, self._known = path, dict[str, Any]()
        if path.exists():
            for line in path.read_text("utf-8").splitlines():
                self._known.update(json.loads(line))

    def find(self, *keys: str) -> Any:
        """Returns what is known by the first of some keys that is; None where none is."""
        return next((self._known[key] for key in keys if key in self._known), None)

    def add(self, key: str, result: Any) -> None:
        """Keeps a result."""
        self._known[key] = result
        self._path.parent.mkdir(parents=True, exist_ok=True)
        with self._path.open("a", encoding="utf-8") as file:
            file.write(json.dumps({key: result}) + "\n")
