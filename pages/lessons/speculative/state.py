"""What the speculative lesson keeps for one reader: a text in rounds, a draft, and what was run.

Knows nothing of Streamlit. What is done here leaves the first page's text as it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass, field

from model.loading import SHIPPED, LanguageModel
from model.records import Piece
from model.sampling import Settings
from model.speculative.decoding import Speculation
from model.speculative.drafting import Drafter, ModelDraft, PromptLookup, check_pair, new_reader
from model.speculative.proof import Comparison, LawTest
from model.speculative.records import DraftReport, Round
from model.speculative.round_view import describe_round
from model.speculative.timing import SpeedTest
from model.timing import one_at_a_time
from model.tokenizing import encode, pieces
from pages.frame.slices import take

LOOKUP = "prompt lookup"
DRAFTS = ("scribbler", "scribbler_plain")  # the shipped draft, and its twin without a teacher
PROPOSE, VERIFY, DECIDE, CROP = 1, 2, 3, 4  # what of a round is on the page
LONGEST_PROMPT, MOST_TOKENS = 150, 220  # of a prompt; of a text that can still be read here


@dataclass(frozen=True, eq=False)
class Choice:
    """A draft that goes with the target: a model, or none for prompt lookup."""

    target: LanguageModel
    draft: LanguageModel | None

    def __post_init__(self) -> None:
        """Refuses a pair that cannot work together.

        Raises:
            ValueError: one sentence with the remedy.
        """
        new_reader(self.target)
        if self.draft is not None:
            new_reader(self.draft)
            check_pair(self.target, self.draft)

    @property
    def name(self) -> str:
        """Returns what the page calls it."""
        return LOOKUP if self.draft is None else self.draft.name

    def make(self) -> Drafter:
        """Returns a draft that has read nothing."""
        width = self.target.vocab_size
        return PromptLookup(width) if self.draft is None else ModelDraft(self.draft, width)


@dataclass
class Walk:
    """A text that is written here, round by round and stage by stage."""

    choice: Choice
    ids: list[int]
    settings: Settings
    seed: int
    rounds: list[Round] = field(default_factory=list)
    stage: int = CROP
    is_playing: bool = False
    notice: str | None = None

    def __post_init__(self) -> None:
        """Lets both models read the prompt.

        Raises:
            ValueError: one sentence with the remedy.
        """
        if len(self.ids) > LONGEST_PROMPT:
            raise ValueError(
                f"The text has {len(self.ids)} tokens, and the page has room for {LONGEST_PROMPT} "
                "of a prompt: shorten it."
            )
        self.text = Speculation(
            new_reader(self.choice.target),
            self.choice.make(),
            self.ids,
            self.settings,
            self.seed,
            max_new_tokens=MOST_TOKENS - len(self.ids),
        )

    @property
    def can_step(self) -> bool:
        """Whether anything is left to be shown or written."""
        return self.text.finished is None or self.stage < CROP

    @property
    def can_go_back(self) -> bool:
        """Whether a round can be taken back."""
        return bool(self.rounds)

    def step(self, n_draft: int, *, adaptive: bool, whole: bool) -> None:
        """Shows the next stage of the round, or runs the next round."""
        self.notice = None
        if self.rounds and self.stage < CROP:
            self.stage = CROP if whole else self.stage + 1
            return
        if self.text.finished is not None:
            self.is_playing, self.notice = False, self._why_not()
            return
        try:
            outcome = self.text.round(n_draft, adaptive=adaptive)
            self.rounds.append(describe_round(self.text, outcome, len(self.rounds) + 1))
        except ValueError as error:
            self.is_playing, self.notice = False, str(error)
        else:
            self.stage = CROP if whole else PROPOSE

    def back(self, *, whole: bool) -> None:
        """Goes back by a stage or by a round."""
        self.is_playing, self.notice = False, None
        if self.rounds and self.stage > PROPOSE and not whole:
            self.stage -= 1
        elif self.rounds:
            self.text.back()
            self.rounds.pop()
            self.stage = CROP

    def play(self) -> None:
        """Starts to go on by itself, or stops."""
        self.is_playing = not self.is_playing and self.can_step

    @property
    def shown_ids(self) -> list[int]:
        """Returns the text as far as the page has got."""
        if self.rounds and self.stage < DECIDE:
            return self.text.ids[: self.rounds[-1].n_text]
        return list(self.text.ids)

    def shown(self) -> tuple[tuple[Piece, ...], list[str]]:
        """Returns the text so far, and of each token whose it is."""
        ids = self.shown_ids
        owners = ["prompt"] * self.text.n_prompt
        for one in self.rounds:
            owners += ["draft"] * one.n_accepted + ["target"] * (one.drawn is not None)
        return pieces(self.choice.target.tokenizer, ids), owners[: len(ids)]

    def _why_not(self) -> str:
        if self.text.finished == "eos":
            return "The text is finished, its end token was written: go back, or start again."
        return f"The page shows texts up to {self.text.n_most} tokens: go back, or start again."


@dataclass
class Run:
    """Work that takes seconds, done in slices so that the page can be stopped between any two."""

    work: Iterator[float]  # yields the fraction that is done
    is_timed: bool = False  # by the clock: then it takes turns with other timed runs
    done: float = 0.0
    is_running: bool = True
    is_waiting: bool = False  # another reader's slice took this one's turn
    notice: str | None = None

    def slice(self, seconds: float) -> None:
        """Works on for about so long; what is timed runs alone or waits."""
        with one_at_a_time() if self.is_timed else nullcontext(True) as has_turn:
            self.is_waiting = not has_turn
            if has_turn:
                for done in take(self, self.work, seconds):
                    self.done = done

    def stop(self) -> None:
        """Keeps what there is."""
        self.is_running = False


@dataclass
class Lesson:
    """All that one reader has on the page."""

    lm: LanguageModel
    choice: Choice
    walk: Walk
    notice: str | None = None  # why a wish could not be followed
    speed: SpeedTest | None = None
    speed_draft: str = ""
    speed_run: Run | None = None
    reports: list[DraftReport] = field(default_factory=list)
    report_run: Run | None = None
    compared: list[Comparison] = field(default_factory=list)
    compare_run: Run | None = None
    compared_draft: str = ""
    law: LawTest | None = None
    law_run: Run | None = None

    @property
    def is_busy(self) -> bool:
        """Whether something is being measured."""
        runs = (self.speed_run, self.report_run, self.compare_run, self.law_run)
        return any(run is not None and run.is_running for run in runs)

    def try_to(self, act: Callable[[], None]) -> None:
        """Does what was wished; if it cannot be done, says why and leaves all as it was."""
        try:
            act()
        except ValueError as error:
            self.notice = str(error)
        else:
            self.notice = None


def begin(choice: Choice, prompt: str, settings: Settings, seed: int) -> Walk:
    """Starts a text.

    Raises:
        ValueError: one sentence with the remedy.
    """
    return Walk(choice, encode(choice.target, prompt), settings, seed)


def offered_drafts() -> list[str]:
    """Returns the drafts that the page names, the best first."""
    return [*(name for name in DRAFTS if name in SHIPPED), LOOKUP]
