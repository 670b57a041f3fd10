"""What the lesson on error propagation keeps for one reader: a text, its fork, and jobs."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from model.generation import Generation
from model.job import Job, Progress, Work
from model.loading import LanguageModel
from model.sampling import Settings
from model.snowball.records import ForkStep
from model.timing import describe
from model.tokenizing import text_of
from pages.frame.lesson_state import LessonState
from viz.format import duration

MAX_PROMPT = 200  # tokens: a strip of more is no picture


class Slip(NamedTuple):
    """A token that is forced in the text."""

    place: int  # 0 is the first token after the prompt
    token_id: int


@dataclass
class SnowballLesson(LessonState):
    """All that one reader has on the page."""

    text: Generation  # that is forked
    settings: Settings  # by which it is written
    is_about_fork: bool = False  # a link brought the text along: its fork comes first
    slip: Slip | None = None  # what is forced in it
    mistakes: dict[str, tuple[ForkStep, ...]] = field(default_factory=dict)  # by their prompts

    @property
    def prompt(self) -> str:
        """What the text to be forked begins with."""
        return text_of(self.lm.tokenizer, self.text.prompt_ids)

    def start_at(self, place: int) -> Generation:
        """Returns a copy of the text that ends before the token at a place, 0 being the first."""
        n_written = len(self.text.steps)
        if not 0 <= place < n_written:
            raise ValueError(f"Choose a place from 1 to {n_written}.")
        start = self.text.fork()
        start.rewind(n_written - place)
        return start


def write_text(text: Generation, settings: Settings, n_tokens: int) -> Work[None]:
    """Writes a text to a length, or to its end."""
    while len(text.steps) < n_tokens and text.finished is None:
        yield Progress(len(text.steps), n_tokens, "tokens of the original text")
        text.step(settings)


def text_in_link(lesson: SnowballLesson) -> dict[str, Any]:
    """Returns what the text is written from, which may be otherwise than in the settings."""
    return {
        "prompt": lesson.prompt,
        "temperature": lesson.settings.temperature,
        "seed": lesson.text.seed,
    }


def provenance(job: Job[Any], lm: LanguageModel) -> str:
    """Says on what something was measured, and how long that took."""
    machine = job.recorded_on or describe(lm)
    return f"On {machine.model}, {machine.where}, in {duration(job.seconds)}."


def unsent_note(job: Job[Any], lm: LanguageModel) -> str:
    """Says what a KL divergence is where a server sent the best log-probabilities alone."""
    if job.recorded_on or lm.is_whole:
        return ""
    return " What the server left out counts as one token, so a KL divergence is at least this (≥)."
