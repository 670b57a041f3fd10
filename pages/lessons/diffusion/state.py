"""What the diffusion lesson keeps for one reader: a page being filled, and what was measured."""

from dataclasses import dataclass, field

from model.diffusion.denoising import Diffusion
from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from pages.frame.lesson_state import SteppedLesson
from pages.frame.stepper import PassSteps


@dataclass
class DiffusionLesson(SteppedLesson[PassSteps[Diffusion]]):
    """All that one reader has on the page."""

    judge: LanguageModel  # causal; the other one, `lm`, is masked
    _loops: dict[tuple[str, float, int], Generation] = field(default_factory=dict, kw_only=True)

    @property
    def page(self) -> Diffusion:
        """Returns the page of masks under the reader's hand."""
        return self.stepper.steps.engine

    def loop(self, beginning: str, n_tokens: int) -> Generation | None:
        """Returns what the causal model goes on with from a beginning, at least so many tokens.

        None where it cannot read the beginning.
        """
        key = beginning, self.page.temperature, self.page.seed
        try:
            if key not in self._loops:
                self._loops = {key: Generation(self.judge, beginning, seed=self.page.seed)}
            text = self._loops[key]
            while len(text.steps) < n_tokens and text.finished is None:
                text.step(Settings(temperature=self.page.temperature))
        except ValueError:
            return None
        return text
