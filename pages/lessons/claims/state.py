"""What one reader has on the page of claims: the findings so far, on one model."""

import logging
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime

from model.claims.context import ExperimentContext
from model.claims.experiments import EXPERIMENTS
from model.claims.records import ClaimsRun, Finding
from model.job import Progress, Work
from pages.frame.claims import CLAIMS, Claim
from pages.frame.lesson_state import LessonState
from pages.frame.models import shared_model
from viz.claims.report import Row

LOGGER = logging.getLogger(__name__)


@dataclass
class ClaimsLesson(LessonState):
    """Findings on one model, and the job that makes more of them."""

    findings: dict[str, Finding] = field(default_factory=dict)  # by the claims' ids
    seconds: dict[str, float] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Sets up the experiments, which share the process's copies of the other models."""
        self.context = ExperimentContext(self.lm, load=shared_model)

    def measure(self, claims: Sequence[Claim]) -> Work[ClaimsRun]:
        """Runs the experiments of some claims, one after another."""
        for n_done, claim in enumerate(claims):
            doing = f"{claim.id}: {claim.sentence}"
            yield Progress(n_done, len(claims), doing, look=self.so_far)
            started = time.perf_counter()
            self.findings[claim.id] = self._finding(claim.id)
            self.seconds[claim.id] = time.perf_counter() - started
        return self.so_far()

    def so_far(self) -> ClaimsRun:
        """Returns what was found on the page's model."""
        return ClaimsRun(dict(self.findings), dict(self.seconds))

    def _finding(self, claim_id: str) -> Finding:
        """Runs one experiment; what goes wrong in it is its finding, in one sentence."""
        try:
            return EXPERIMENTS[claim_id](self.context)
        except ValueError as error:
            return Finding("not run", "It could not run here.", why=str(error))
        except Exception:  # whatever it was, a reader gets a sentence and the log the rest
            LOGGER.exception("The experiment of %s failed", claim_id)
            return Finding("not run", "It failed on this model; the server’s log says why.")

    def rows(self, run: ClaimsRun | None = None) -> list[Row]:
        """Returns every claim with its finding in the given run, by default in this page's."""
        run = run or self.so_far()
        return [
            Row(
                c.id,
                c.section,
                c.sentence,
                c.kind,
                run.findings.get(c.id),
                run.seconds.get(c.id, 0.0),
            )
            for c in CLAIMS
        ]

    def facts(self) -> dict[str, str]:
        """Returns where and when: what a report has to say beside its findings."""
        return {
            "model": self.lm.name,
            "device": self.lm.place,
            "dtype": self.lm.dtype_name,
            "date": datetime.now().astimezone().isoformat(timespec="seconds"),
        }
