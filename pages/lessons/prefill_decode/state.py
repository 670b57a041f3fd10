"""What the lesson of the two phases keeps for one reader: the model, its runs, what they found.

Knows nothing of Streamlit. A run is measured in slices, so that it can be stopped between any two,
and the slices of all readers take turns, so that no two are timed at once.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from model.loading import LanguageModel
from model.pass_by_pass import PassByPass
from model.prefill_decode.batching import BatchExperiment
from model.prefill_decode.experiments import PhaseExperiment
from model.prefill_decode.records import Energy, Padding, PhaseRun, Request
from model.prefill_decode.roofline import RooflineExperiment
from model.prefill_decode.scoring import ScoringExperiment
from pages.frame.slices import TimedRun

Found = TypeVar("Found")


class Experiment(Protocol):
    """What runs pass by pass until it is done."""

    n_done: int
    n_total: int
    doing: str
    is_done: bool

    def advance(self) -> None:
        """Runs the next pass."""


@dataclass
class PartRun(TimedRun[Experiment]):
    """What is measured in one part of the page."""

    def slice(self, seconds: float) -> None:
        """Runs on for about so long, alone; whatever fails ends it and leaves what it found."""
        super().slice(seconds)
        if not self.is_running:
            self.stop()

    def stop(self) -> None:
        """Ends it and gives its memory back; what was measured stays."""
        self.is_running = False
        if isinstance(self.work, BatchExperiment | RooflineExperiment):
            self.work.stop()

    @property
    def was_stopped(self) -> bool:
        """Whether it ended before all was measured."""
        return not self.is_running and not self.work.is_done


@dataclass
class Playing:
    """A text that was written once, shown again more slowly."""

    request: Request
    pieces: tuple[str, ...]  # the text after each token
    slower: float  # how many times
    started: float = field(default_factory=time.monotonic)

    @property
    def n_shown(self) -> int:
        """Tokens that are in hand by now."""
        now = (time.monotonic() - self.started) / self.slower - self.request.first_seconds
        n = 0
        while now >= 0 and n < self.request.n_out:
            now -= self.request.gaps[n] if n < len(self.request.gaps) else 0.0
            n += 1
        return n

    @property
    def is_over(self) -> bool:
        """Whether the last token is in hand."""
        return self.n_shown >= self.request.n_out

    def finish(self) -> None:
        """Shows all of it at once."""
        self.started = float("-inf")


@dataclass
class PhaseLesson:
    """All that one reader has on the page."""

    lm: LanguageModel  # what is measured: the page's model, or a shape
    home: LanguageModel  # the page's model
    runs: dict[str, PartRun] = field(default_factory=dict)  # part of the page -> its run
    notices: dict[str, str] = field(default_factory=dict)  # part of the page -> why none began
    playing: Playing | None = None

    def measure(self, lm: LanguageModel) -> None:
        """Takes another model; what was measured of the one before is put away."""
        self.lm = lm
        self.runs, self.notices = {}, {}
        self.playing = None

    def begin(self, part: str, experiment: Experiment) -> None:
        """Starts a run in a part of the page; a run elsewhere on it ends."""
        for run in self.runs.values():
            run.stop()
        if self.playing is not None:
            self.playing.finish()  # what it draws would take time from what is measured
        self.runs[part] = PartRun(experiment)
        self.notices.pop(part, None)

    def is_running(self, part: str) -> bool:
        """Whether this part of the page measures now."""
        run = self.runs.get(part)
        return run is not None and run.is_running

    @property
    def is_measuring(self) -> bool:
        """Whether any part of the page does."""
        return any(run.is_running for run in self.runs.values())

    def found(self, part: str) -> Experiment | None:
        """Returns the experiment of a part, however far it came."""
        run = self.runs.get(part)
        return None if run is None else run.work

    @property
    def phases(self) -> PhaseRun | None:
        """The two phases, once both were seen: a reading, and a gap between two written tokens."""
        found = self.found("phases")
        if not isinstance(found, PhaseExperiment):
            return None
        result = found.result
        has_gaps = any(request.gaps for request in result.long_out)
        return result if result.readings and has_gaps else None

    @property
    def roofline(self) -> RooflineExperiment | None:
        """The roofline, however far it came."""
        found = self.found("roofline")
        return found if isinstance(found, RooflineExperiment) else None

    @property
    def batches(self) -> BatchExperiment | None:
        """The batches, however far they came."""
        found = self.found("batches")
        return found if isinstance(found, BatchExperiment) else None

    @property
    def scoring(self) -> ScoringExperiment | None:
        """The scores, however far they came."""
        found = self.found("scoring")
        return found if isinstance(found, ScoringExperiment) else None

    @property
    def padding(self) -> Padding | None:
        """Prompts of different lengths together, once all ways were run."""
        return self._result("padding", Padding)

    @property
    def energy(self) -> Energy | None:
        """What the GPU counted, once both phases were metered."""
        return self._result("energy", Energy)

    def _result(self, part: str, kind: type[Found]) -> Found | None:
        found = self.found(part)
        result = found.result if isinstance(found, PassByPass) else None
        return result if isinstance(result, kind) else None
