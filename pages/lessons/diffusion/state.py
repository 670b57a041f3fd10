"""What the diffusion lesson keeps for one reader: a page being filled, and what was measured."""

from __future__ import annotations

from dataclasses import dataclass

from model.diffusion.denoising import Diffusion
from model.loading import LanguageModel
from pages.frame.lesson_state import SteppedLesson
from pages.frame.stepper import PassSteps


@dataclass
class DiffusionLesson(SteppedLesson[PassSteps[Diffusion]]):
    """All that one reader has on the page."""

    judge: LanguageModel  # causal; the other one, `lm`, is masked

    @property
    def page(self) -> Diffusion:
        """Returns the page of masks under the reader's hand."""
        return self.stepper.steps.engine
