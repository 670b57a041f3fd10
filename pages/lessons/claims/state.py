"""What one reader has on the page of claims: the findings so far, and a run over what is left.

Knows nothing of Streamlit.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from model.claims.context import Bench
from model.claims.records import Finding
from model.loading import LanguageModel
from pages.frame.models import shared_model
from pages.lessons.claims.catalogue import CLAIMS, Claim
from viz.claims.report import Row

LOGGER = logging.getLogger(__name__)


@dataclass
class ClaimRun:
    """Findings on one model, and the claims that wait to be run."""

    lm: LanguageModel
    findings: dict[str, Finding] = field(default_factory=dict)
    seconds: dict[str, float] = field(default_factory=dict)
    waiting: list[Claim] = field(default_factory=list)
    n_asked: int = 0  # claims in the run that goes on

    def __post_init__(self) -> None:
        """Sets up the bench, which shares the process's copies of the other models."""
        self.bench = Bench(self.lm, load=shared_model)

    @property
    def is_running(self) -> bool:
        """Whether claims wait."""
        return bool(self.waiting)

    @property
    def done(self) -> float:
        """The fraction of the present run that is done."""
        return 1 - len(self.waiting) / self.n_asked if self.n_asked else 1.0

    def ask(self, claims: Sequence[Claim]) -> None:
        """Queues claims to be run."""
        self.waiting, self.n_asked = list(claims), len(claims)

    def stop(self) -> None:
        """Lets what waits be; what was found stays."""
        self.waiting = []

    def advance(self) -> Claim | None:
        """Runs the next experiment; what goes wrong in it is its finding, in one sentence."""
        if not self.waiting:
            return None
        claim = self.waiting.pop(0)
        started = time.perf_counter()
        try:
            finding = claim.run(self.bench)
        except ValueError as error:
            finding = Finding("not run", "It could not run here.", why=str(error))
        except Exception:  # whatever it was, a reader gets a sentence and the log the rest
            LOGGER.exception("The experiment of %s failed", claim.id)
            finding = Finding("not run", "It failed on this model; the server’s log says why.")
        self.findings[claim.id] = finding
        self.seconds[claim.id] = time.perf_counter() - started
        return claim

    def slice(self, seconds: float) -> None:
        """Runs experiments for about so long, one at least."""
        started = time.perf_counter()
        while self.advance() is not None and time.perf_counter() - started < seconds:
            pass

    def rows(self) -> list[Row]:
        """Returns every claim with what was found."""
        return [
            Row(c.id, c.section, c.says, self.findings.get(c.id), self.seconds.get(c.id, 0.0))
            for c in CLAIMS
        ]

    def facts(self) -> dict[str, str]:
        """Returns where and when: what a report has to say beside its findings."""
        return {
            "model": self.lm.name,
            "device": str(self.lm.device),
            "dtype": self.lm.dtype_name,
            "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        }
