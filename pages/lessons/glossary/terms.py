"""The words of this field, one or two sentences each, and where a page shows the thing itself.

The entries are in `terms.md`. Definitions are those of the pages; arXiv ids name who brought the
thing in, or the reading to begin with. Knows no Streamlit and no model.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Term:
    """One entry."""

    name: str
    says: str  # one or two sentences
    page: str  # path of the page that shows it
    arxiv: tuple[str, ...] = ()

    @property
    def anchor(self) -> str:
        """The name as an address: `/glossary#top-p`."""
        return re.sub(r"[^a-z0-9]+", "-", self.name.lower()).strip("-")


def _read(entry: str) -> Term:
    head, says = entry.strip().split("\n\n")
    name, page, *papers = head.split(" | ")
    return Term(name, says, f"pages/{page}.py", tuple(" ".join(papers).split()))


_, *_ENTRIES = Path(__file__).with_suffix(".md").read_text(encoding="utf-8").split("\n## ")
TERMS = tuple(map(_read, _ENTRIES))
