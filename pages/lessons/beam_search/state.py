"""What one reader has in the beam-search lesson: a search, the step that is looked at, two runs.

Knows nothing of Streamlit. A search is deterministic, so going back moves only the eye: every step
is on record, and what was searched is never searched again.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from model.beam_search import BeamSearch, sentence_ends
from model.beam_search.best_first import BestFirst
from model.beam_search.costs import Way, bill, ways, write_all
from model.beam_search.records import Bill, Candidate, ExactResult, FinishedBeam, lineage
from model.generation import Generation
from model.loading import LanguageModel
from model.tokenizing import label, text_of
from pages.frame.slices import go_on, take

PROMPT = "Once there was a king who"  # greedy loses by far: tests/beam_search/test_claims.py
PROMPTS = (
    PROMPT,
    "The fish wanted to swim in the",
    "In the forest there was",
    "The children played with the",
    "The rabbit ran into the",
    "The old king looked at",
    "They were very happy because",
    "The cat sat on the",
)
N_COST_TOKENS = 60
FIRST_LOOK = 2  # steps that are shown when the page opens
ENDS = {"sentence": "the end of a sentence", "text": "the model’s end token"}


@dataclass(frozen=True)
class Wish:
    """What the reader asks of a search."""

    prompt: str = PROMPT
    n_beams: int = 4
    n_tokens: int = 10
    ends: str = "sentence"  # one of ENDS
    length_penalty: float = 0.0


@dataclass
class Growing:
    """A search, and how much of it is shown."""

    search: BeamSearch
    wish: Wish
    n_shown: int = 0
    is_playing: bool = False
    notice: str | None = None  # one sentence

    @property
    def can_step(self) -> bool:
        """Whether there is a step that is not shown yet."""
        return self.n_shown < len(self.search.steps) or not self.search.is_done

    def step(self) -> None:
        """Shows one step more, searching where it was not searched yet."""
        self.notice = None
        try:
            if self.n_shown == len(self.search.steps):
                self.search.step()
            self.n_shown += 1
        except ValueError as error:
            self.notice = str(error)
        self.is_playing = self.is_playing and self.can_step and self.notice is None

    def back(self) -> None:
        """Shows one step less."""
        self.is_playing, self.notice = False, None
        self.n_shown = max(0, self.n_shown - 1)

    def reset(self) -> None:
        """Shows the prompt alone."""
        self.is_playing, self.notice, self.n_shown = False, None, 0

    def play(self) -> None:
        """Goes on by itself, or stops."""
        self.is_playing = not self.is_playing and self.can_step

    def finished(self) -> list[FinishedBeam]:
        """Lists what has ended within the steps that are shown."""
        return [beam for beam in self.search.finished if beam.depth <= self.n_shown]


@dataclass
class Comparison:
    """Greedy, a beam and the exact best from one prompt, for one length; the last in slices."""

    greedy: Candidate
    beam: Candidate
    seconds: tuple[float, float]  # of greedy and of the beam
    exact: BestFirst
    prompt: str
    is_running: bool = True
    notice: str | None = None  # why the search stopped, where something failed

    @property
    def done(self) -> float:
        """The fraction of the allowed expansions that is used up."""
        return min(1.0, self.exact.n_expanded / self.exact.limit)

    def slice(self, seconds: float) -> None:
        """Searches on for about so long."""
        go_on(self, self.exact, seconds)

    @property
    def result(self) -> ExactResult:
        """What the exact search has come to."""
        return self.exact.result()

    @property
    def best(self) -> Candidate:
        """The best text that is known."""
        result = self.result
        return candidate(self.exact.start.lm, "exact best", result.token_ids, result.logprobs)


@dataclass
class CostRun:
    """Every way of writing over some prompts, in slices."""

    lm: LanguageModel
    prompts: tuple[str, ...]
    compared: list[Way]
    work: Iterator[None]
    n_steps: int = 0
    n_expected: int = 1
    is_running: bool = True
    notice: str | None = None  # why the run stopped, where something failed

    @property
    def done(self) -> float:
        """The fraction that is written, texts that end early not foreseen."""
        return min(1.0, self.n_steps / self.n_expected)

    def slice(self, seconds: float) -> None:
        """Writes on for about so long."""
        for _ in take(self, self.work, seconds):
            self.n_steps += 1

    def bills(self) -> list[Bill]:
        """Sums up each way, over the texts that are whole."""
        return [bill(self.lm, way) for way in self.compared if way.texts]


@dataclass
class BeamLesson:
    """All that one reader has on the page."""

    lm: LanguageModel
    growing: Growing
    comparison: Comparison | None = None
    costs: CostRun | None = None


def grow(lm: LanguageModel, wish: Wish, n_shown: int = 0) -> Growing:
    """Starts a search and goes on as far as is to be shown.

    Raises:
        ValueError: One sentence with the remedy.
    """
    growing = Growing(_search(lm, wish), wish)
    while growing.n_shown < n_shown and growing.can_step and growing.notice is None:
        growing.step()
    return growing


def _search(lm: LanguageModel, wish: Wish) -> BeamSearch:
    ends = sentence_ends(lm) if wish.ends == "sentence" else lm.end_ids
    start = Generation(lm, wish.prompt)
    return BeamSearch(start, wish.n_beams, wish.length_penalty, wish.n_tokens, ends)


def compare(lm: LanguageModel, wish: Wish, n_tokens: int, limit: int) -> Comparison:
    """Searches greedily and with beams, and sets up the search for the best of all.

    Raises:
        ValueError: One sentence with the remedy.
    """
    start = Generation(lm, wish.prompt)
    found, seconds = [], []
    for name, n_beams in (("greedy", 1), (f"{wish.n_beams} beams", wish.n_beams)):
        started = time.perf_counter()
        search = BeamSearch(start, n_beams, max_new_tokens=n_tokens)
        best = search.run()[0]
        seconds.append(time.perf_counter() - started)
        path = [search.nodes[i].logprob for i in lineage(search.nodes, best.node_id)]
        found.append(candidate(lm, name, best.token_ids, tuple(path)))
        known = (best.token_ids, tuple(path))
        # what is known when the exact search begins is the better of the two
        if len(found) == 1 or found[1].total > found[0].total:
            start_from = known
    exact = BestFirst(start, n_tokens, start_from, limit)
    return Comparison(
        found[0], found[1], (seconds[0], seconds[1]), exact, wish.prompt, not exact.is_done
    )


def candidate(
    lm: LanguageModel, name: str, ids: tuple[int, ...], logprobs: tuple[float, ...]
) -> Candidate:
    """Writes down a text that some way of searching came to."""
    labels = tuple(label(lm.tokenizer, token_id, lm.vocab_size) for token_id in ids)
    return Candidate(name, labels, text_of(lm.tokenizer, ids), logprobs)


def start_costs(
    lm: LanguageModel, n_beams: int, n_prompts: int, n_tokens: int = N_COST_TOKENS
) -> CostRun:
    """Sets up every way of writing over the first of the prompts.

    Raises:
        ValueError: One sentence with the remedy.
    """
    compared, prompts = ways(n_beams), PROMPTS[:n_prompts]
    limit = lm.context_length
    if limit is not None:  # a model with a short context writes as far as it goes
        longest = max(len(Generation(lm, prompt).ids) for prompt in prompts)
        n_tokens = min(n_tokens, limit - longest)
    work = write_all(lm, prompts, compared, n_tokens)
    return CostRun(lm, prompts, compared, work, 0, len(prompts) * len(compared) * n_tokens)


def greedy_died(growing: Growing) -> int | None:
    """Returns the step at which the best token each time left the search; None if it has not."""
    nodes, parent = growing.search.nodes, -1
    while True:
        best = next((n for n in nodes if n.parent == parent and n.place == 0), None)
        if best is None or best.depth > growing.n_shown:
            return None
        if best.fate == "pruned":
            return best.depth
        if best.fate == "finished":
            return None
        parent = best.node_id
