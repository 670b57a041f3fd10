"""The claims about generation: each with the page that shows it, and how to set it up.

They are written in `claims.toml`; `model.claims` holds an experiment for each that is empirical.
"""

import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal
from urllib.parse import urlencode


@dataclass(frozen=True)
class Claim:
    """One thing that is said, and where to see it."""

    id: str  # "C01", never given to another
    kind: Literal["definition", "computation", "learned"]  # what it rests on
    section: str
    sentence: str
    page: str  # the stem of the page's file
    where: str  # what to press there, and where to look
    query: dict[str, str] = field(default_factory=dict)  # of the link that sets the page up
    beside: dict[str, str] = field(default_factory=dict)  # of a second text, a branch at home
    small: str = ""  # what the shipped model shows instead, where the claim does not hold on it
    large: str = ""  # and what is known of large ones, cited

    @property
    def link(self) -> str:
        """The query string that sets the page up; empty where it needs none."""
        return f"?{urlencode(self.query)}" if self.query else ""

    @property
    def box(self) -> str:
        """The claim beside what the shipped model and large ones show, as a table of Markdown."""
        return (
            "\n\n| often said | this small model | large models |\n| --- | --- | --- |\n"
            f"| {self.sentence} | {self.small} | {self.large} |\n"
        )


def _read() -> tuple[Claim, ...]:
    text = Path(__file__).with_suffix(".toml").read_text(encoding="utf-8")
    return tuple(Claim(**claim) for claim in tomllib.loads(text)["claim"])


CLAIMS = _read()
EMPIRICAL = tuple(claim for claim in CLAIMS if claim.kind != "definition")  # can fail, so is run
BY_ID = {claim.id: claim for claim in CLAIMS}
