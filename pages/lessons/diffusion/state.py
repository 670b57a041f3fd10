"""What the diffusion lesson keeps for one reader: a page being filled, and what was measured.

Knows nothing of Streamlit.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from model.diffusion.denoising import Diffusion
from model.job import Job
from model.loading import LanguageModel
from pages.frame.stepper import PassSteps, Stepper


@dataclass
class DiffusionLesson:
    """All that one reader has on the page."""

    lm: LanguageModel  # masked
    judge: LanguageModel  # causal
    stepper: Stepper[PassSteps[Diffusion]]
    notice: str | None = None  # why a setting was not taken
    jobs: dict[str, Job[Any]] = field(default_factory=dict)

    @property
    def page(self) -> Diffusion:
        """Returns the page of masks under the reader's hand."""
        return self.stepper.steps.engine

    def stop_playing(self) -> None:
        """Ends what goes on by itself: a job that measures would time it as well."""
        self.stepper.is_playing = False
