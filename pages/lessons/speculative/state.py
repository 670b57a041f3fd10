"""What the speculative lesson keeps for one reader: a text in rounds, a draft, and what was run."""

from dataclasses import dataclass

from model.loading import LanguageModel
from model.speculative.decoding import Speculation
from model.speculative.drafting import (
    MAX_DRAFT,
    Drafter,
    ModelDraft,
    PromptLookup,
    check_pair,
    new_batch,
)
from model.speculative.records import CROP, DECIDE, PROPOSE, Round
from model.speculative.round_view import describe_round
from model.tokenizing import encode_within, labels_of_text
from pages.frame.lesson_state import SteppedLesson
from pages.frame.stepper import Steps
from pages.lessons.speculative.settings import LOOKUP, SETTINGS, masks_now

MAX_PROMPT, MAX_TEXT = 150, 220  # tokens, for a text that can still be read here


@dataclass(frozen=True, eq=False)
class ModelPair:
    """A target, and a draft that goes with it: a model, or none for prompt lookup."""

    target: LanguageModel
    draft: LanguageModel | None

    def __post_init__(self) -> None:
        """Refuses a pair that cannot work together.

        Raises:
            ValueError: one sentence with the remedy.
        """
        new_batch(self.target)
        if self.draft is not None:
            new_batch(self.draft)
            check_pair(self.target, self.draft)

    @property
    def draft_name(self) -> str:
        """Returns what the page calls the draft."""
        return LOOKUP if self.draft is None else self.draft.name

    def make_drafter(self) -> Drafter:
        """Returns a draft that has read nothing."""
        width = self.target.vocab_size
        return PromptLookup(width) if self.draft is None else ModelDraft(self.draft, width)


class RoundSteps(Steps):
    """A text that is written here, round by round, and the stage of the last one on the page."""

    def __init__(self, pair: ModelPair, prompt: str) -> None:
        """Lets both models read the prompt, and runs the first round, so that it can be seen.

        Raises:
            ValueError: one sentence with the remedy.
        """
        ids = encode_within(pair.target, prompt, MAX_PROMPT)
        self.text = Speculation(
            new_batch(pair.target),
            pair.make_drafter(),
            ids,
            masks_now(),
            SETTINGS["seed"],
            max_new_tokens=MAX_TEXT - len(ids),
        )
        self.rounds: list[Round] = []
        self.stage: int = CROP
        self.run_round()

    @property
    def can_step(self) -> bool:
        """Whether anything is left to be shown or written."""
        return self.text.finished is None or self.stage < CROP

    @property
    def can_go_back(self) -> bool:
        """Whether a round can be taken back."""
        return bool(self.rounds)

    @property
    def notice(self) -> str | None:
        """Why no step is left."""
        if self.can_step:
            return None
        if self.text.finished == "eos":
            return "The model wrote its end token. Press Back, or start another text."
        return f"The page shows {self.text.max_length} tokens at most: press Back, or start anew."

    def step(self) -> None:
        """Shows the next stage of the round, or runs the next round."""
        if self.stage < CROP:
            self.stage = CROP if SETTINGS["whole"] else self.stage + 1
        else:
            self.run_round()
            self.stage = CROP if SETTINGS["whole"] else PROPOSE

    def run_round(self) -> None:
        """Runs a round and shows all of it."""
        is_adaptive = SETTINGS["adaptive"]
        n_draft = MAX_DRAFT if is_adaptive else SETTINGS["guesses"]
        outcome = self.text.round(n_draft, adaptive=is_adaptive)
        self.rounds.append(describe_round(self.text, outcome))
        self.stage = CROP

    def back(self) -> None:
        """Goes back by a stage or by a round."""
        if self.stage > PROPOSE and not SETTINGS["whole"]:
            self.stage -= 1
        else:
            self.text.back()
            self.rounds.pop()
            self.stage = CROP

    def shown(self) -> tuple[tuple[str, ...], list[str]]:
        """Returns the text as far as the page has got, and of each token who wrote it."""
        is_decided = not self.rounds or self.stage >= DECIDE
        ids = self.text.ids[: None if is_decided else self.rounds[-1].n_text]
        owners = ["prompt"] * self.text.n_prompt
        for one in self.rounds:
            owners += ["draft"] * one.n_accepted + ["target"] * (one.drawn is not None)
        return labels_of_text(self.text.target.lm, ids), owners[: len(ids)]


@dataclass
class SpeculativeLesson(SteppedLesson[RoundSteps]):
    """All that one reader has on the page."""

    pair: ModelPair
