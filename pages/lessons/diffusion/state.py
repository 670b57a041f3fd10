"""What the diffusion lesson keeps for one reader: a page being filled, and what was measured."""

from dataclasses import dataclass, field

from model.diffusion.denoising import Diffusion
from model.diffusion.page_view import check_page, sheet_of
from model.diffusion.records import Sheet
from model.generation import Generation
from model.job import finish
from model.loading import LanguageModel
from model.sampling import Settings
from pages.frame.lesson_state import SteppedLesson
from pages.frame.stepper import PassSteps

MAX_WORK = 4e10  # parameters times tokens read, of a check that is made unasked: a second or so


class BothSides(PassSteps[Diffusion]):
    """The passes of a page of masks, then those that the loop beside it needs to come to its end.

    Attributes:
        n_after: Passes of the loop since the page was filled.
        n_beside: Tokens of the loop's text; 0 where there is none.
    """

    def __init__(self, page: Diffusion) -> None:
        """Takes a page as it stands."""
        super().__init__(page)
        self.n_after, self.n_beside = 0, page.length

    @property
    def n_loop(self) -> int:
        """Passes of the loop."""
        return self.engine.n_done + self.n_after

    @property
    def can_step(self) -> bool:
        """Whether one of the two sides is not full."""
        return super().can_step or self.n_loop < self.n_beside

    def step(self) -> None:
        """Runs a pass on both sides; once the page is full, on the loop's alone."""
        if super().can_step:
            super().step()
        else:
            self.n_after += 1

    def back(self) -> None:
        """Takes the last pass back."""
        if self.n_after:
            self.n_after -= 1
        else:
            super().back()


@dataclass
class DiffusionLesson(SteppedLesson[BothSides]):
    """All that one reader has on the page."""

    judge: LanguageModel  # causal; the other one, `lm`, is masked
    _checks: dict[tuple[int, ...], Sheet] = field(default_factory=dict, kw_only=True)
    _loops: dict[tuple[str, float, int], Generation] = field(default_factory=dict, kw_only=True)

    @property
    def page(self) -> Diffusion:
        """Returns the page of masks under the reader's hand."""
        return self.stepper.steps.engine

    def sheet(self) -> Sheet:
        """Returns the page as it stands; a full one with how well each token fits the others.

        Without that where to find it would keep the reader waiting.
        """
        page = self.page
        work = self.lm.n_parameters * page.length * len(page.ids)
        if not page.finished or work > MAX_WORK:
            return sheet_of(page)
        key = tuple(page.ids)
        if key not in self._checks:
            self._checks = {key: finish(check_page(page))}
        return self._checks[key]

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
