"""What one reader has in the beam-search lesson: a search, the steps that are shown, the jobs."""

from dataclasses import dataclass

from model.beam_search import BeamSearch, rank_finished, sentence_ends
from model.beam_search.records import BeamStep, FinishedBeam, greedy_path
from model.generation import Generation
from model.loading import LanguageModel
from pages.frame.lesson_state import SteppedLesson
from pages.frame.offers import DEFAULT_PROMPT
from pages.frame.stepper import Stepper, Steps
from pages.frame.story import KING

PROMPTS = (
    KING,
    "The fish wanted to swim in the",
    "In the forest there was a bird who",
    DEFAULT_PROMPT,
    "The frog jumped into the",
    "The old king looked at",
    "Max was very happy because",
    "The boy played with the",
)
ENDS = {"sentence": "the end of a sentence", "text": "the model’s end token"}


@dataclass(frozen=True)
class SearchRequest:
    """What the reader asks of a search, by the names of the settings."""

    prompt: str = KING
    beams: int = 4
    tokens: int = 10
    ends: str = "sentence"  # one of ENDS
    penalty: float = 0.0  # of the length


@dataclass
class BeamSteps(Steps):
    """A search, and how many of its steps are shown: none is searched twice."""

    search: BeamSearch
    request: SearchRequest
    n_shown: int = 0
    _greedy: FinishedBeam | None = None

    @property
    def shown(self) -> list[BeamStep]:
        """The steps that are shown."""
        return self.search.steps[: self.n_shown]

    @property
    def finished(self) -> list[FinishedBeam]:
        """The texts that ended within these steps."""
        return [beam for beam in self.search.finished if beam.depth <= self.n_shown]

    @property
    def can_step(self) -> bool:
        """Whether there is a step that is not shown yet."""
        return self.n_shown < len(self.search.steps) or not self.search.is_done

    @property
    def can_go_back(self) -> bool:
        """Whether a step is shown."""
        return self.n_shown > 0

    def step(self) -> None:
        """Shows one step more, searching where it was not searched yet."""
        if self.n_shown == len(self.search.steps):
            self.search.step()
        self.n_shown += 1

    def back(self) -> None:
        """Shows one step less."""
        self.n_shown -= 1

    def greedy(self) -> FinishedBeam:
        """Returns the text of greedy decoding: a search of one beam."""
        if self._greedy is None:
            search = self.search
            alone = BeamSearch(search.start, 1, 0.0, search.max_new_tokens, search.end_ids)
            self._greedy = alone.run()[0]
        return self._greedy

    def best_at(self, n_steps: int, penalty: float) -> int | None:
        """Returns where the best text ends after so many steps: a finished one, else a beam."""
        finished = [beam for beam in self.search.finished if beam.depth <= n_steps]
        if finished:
            return rank_finished(finished, penalty)[0].node_id
        beams = self.search.steps[n_steps - 1].beams if n_steps else ()
        return beams[0] if beams else None

    def overtaken_at(self) -> int | None:
        """Returns the first step after which the best text is not greedy's; searches to the end."""
        while not self.search.is_done:
            self.search.step()
        greedy = list(self.greedy().token_ids)
        for n_steps in range(1, len(self.search.steps) + 1):
            best = self.best_at(n_steps, self.request.penalty)
            ids = [] if best is None else list(self.search.ids_of(best))
            if ids != greedy[: len(ids)]:
                return n_steps
        return None

    def greedy_pruned_at(self) -> int | None:
        """Returns the step at which the search pruned greedy's text; None if it has not."""
        nodes = self.search.nodes
        path = [nodes[i] for i in greedy_path(nodes) if nodes[i].depth <= self.n_shown]
        return path[-1].depth if path and path[-1].fate == "pruned" else None


class BeamLesson(SteppedLesson[BeamSteps]):
    """All that one reader has on the page."""


def begin(lm: LanguageModel, request: SearchRequest, n_steps: int = 0) -> Stepper[BeamSteps]:
    """Starts a search and goes on as far as is to be shown.

    Raises:
        ValueError: One sentence with the remedy.
    """
    ends = sentence_ends(lm) if request.ends == "sentence" else lm.end_ids
    start = Generation(lm, request.prompt)
    search = BeamSearch(start, request.beams, request.penalty, request.tokens, ends)
    steps = BeamSteps(search, request)
    while steps.n_shown < n_steps and steps.can_step:
        steps.step()
    return Stepper(steps, "beam")
