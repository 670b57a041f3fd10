"""What the diffusion lesson keeps for one reader: a page being filled, and what was measured.

Knows nothing of Streamlit.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from model.diffusion.denoising import Diffusion
from model.diffusion.infilling import Infilling
from model.job import Job
from model.loading import LanguageModel
from pages.frame.stepper import Stepper

E = TypeVar("E", Diffusion, Infilling)  # engines that write pass by pass, and take passes back


class PassSteps(Generic[E]):
    """The passes of an engine, stepped through: one a step, or for some seconds a step."""

    notice = None

    def __init__(self, engine: E) -> None:
        """Takes an engine as it stands."""
        self.engine: E = engine
        self.seconds = 0.0

    @property
    def can_step(self) -> bool:
        """Whether a pass is left."""
        return not self.engine.finished

    @property
    def can_go_back(self) -> bool:
        """Whether a pass has run."""
        return self.engine.n_done > 0

    def step(self) -> None:
        """Runs a pass, or as many as begin within `seconds`."""
        started = time.perf_counter()
        self.engine.step()
        while self.can_step and time.perf_counter() - started < self.seconds:
            self.engine.step()

    def back(self) -> None:
        """Takes the last pass back."""
        self.engine.back()

    def reset(self) -> None:
        """Takes all passes back."""
        while self.can_go_back:
            self.engine.back()


@dataclass
class DiffusionLesson:
    """All that one reader has on the page."""

    lm: LanguageModel  # masked
    judge: LanguageModel  # causal
    stepper: Stepper[PassSteps[Diffusion]]
    notice: str | None = None  # why a setting was not taken
    gaps: Stepper[PassSteps[Infilling]] | None = None
    gaps_notice: str | None = None
    jobs: dict[str, Job[Any]] = field(default_factory=dict)

    @property
    def page(self) -> Diffusion:
        """Returns the page of masks under the reader's hand."""
        return self.stepper.steps.engine

    def stop_playing(self) -> None:
        """Ends what goes on by itself: a job that measures would time it as well."""
        self.stepper.is_playing = False
        if self.gaps is not None:
            self.gaps.is_playing = False
