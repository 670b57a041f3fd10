"""The prompts that the home page offers, measured on the shipped model."""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from model.generation import Generation
from model.language_model import LanguageModel
from model.sampling import Settings
from model.tokenizing import label
from pages.frame.assets import source
from pages.frame.offers import DEFAULT_PROMPT
from pages.lessons.tour.scenes import lesson_names, read_lesson
from tests.nightly import by_night

N_LIKELIEST, N_NEAR, NEAR = 5, 3, 2  # tokens; how many of them; times as likely
N_SANE, PIECE = 30, 4  # tokens of the story that are read; of a piece that may not come again
MAX_TOKENS = 200
N_FIRST, N_CHOICES, SURE = 4, 2, 0.9  # tokens; so many of them are choices; a likelier one is none
N_TOKENS = 4096  # of the shipped model's vocabulary
WORD = re.compile("␣[a-z]{2,}")
EXAMPLES = re.findall(
    r'"([^"]+)"', source("home/live/controls/prompt.js").split("EXAMPLES = [")[1].split("]")[0]
)


def likeliest(text: Generation) -> tuple[list[int], list[float]]:
    probs = np.exp(text.logits - text.logits.max(), dtype=np.float64)
    ids = np.argsort(-probs, kind="stable")[:N_LIKELIEST]
    return ids.tolist(), (probs[ids] / probs.sum()).tolist()


@cache
def going_on(tokenizer: Any) -> npt.NDArray[np.bool_]:
    """Which tokens go on with the word before them."""
    return np.array([re.match("[a-z]", label(tokenizer, i)) is not None for i in range(N_TOKENS)])


def is_whole(text: Generation, token_id: int) -> bool:
    """Whether a token is a word by itself: what follows it mostly begins another."""
    tokenizer = text.lm.tokenizer
    if WORD.fullmatch(label(tokenizer, token_id)) is None:
        return False
    longer = text.fork()
    longer.step(token_id=token_id)
    probs = np.exp(longer.logits - longer.logits.max(), dtype=np.float64)
    return bool(probs[going_on(tokenizer)].sum() < probs.sum() / 2)


def faults(lm: LanguageModel, prompt: str) -> Iterator[str]:
    """What keeps a prompt from being offered, one thing after another."""
    text = Generation(lm, prompt, seed=0)
    ids, probs = likeliest(text)
    yield from (f"{label(lm.tokenizer, i)} is no word" for i in ids if not is_whole(text, i))
    n_near = max(sum(p >= best / NEAR for p in probs[k:]) for k, best in enumerate(probs))
    if n_near < N_NEAR:
        yield f"only {n_near} are near each other"
    while not text.finished and len(text.steps) < MAX_TOKENS:
        text.step(Settings(temperature=0.8, top_p=0.9))
    if text.finished != "eos":
        yield "it does not end"
    first = text.steps[:N_FIRST]
    if sum(step.chosen_prob < SURE for step in first) < N_CHOICES:
        yield "it begins without a choice"
    parts = (step.text for step in first if step.text[0] != "␣")
    yield from (f"{part} begins no word" for part in parts if part[0].isalpha())
    story = [step.token_id for step in text.steps][:N_SANE]
    pieces = [tuple(story[i : i + PIECE]) for i in range(len(story) - PIECE + 1)]
    if len(set(pieces)) < len(pieces):
        yield "it repeats itself"


@pytest.mark.parametrize("prompt", by_night(sorted({DEFAULT_PROMPT, *EXAMPLES}), [DEFAULT_PROMPT]))
def test_a_prompt_offers_words_to_guess_and_a_story_that_ends(
    storyteller: LanguageModel, prompt: str
) -> None:
    assert list(faults(storyteller, prompt)) == []


def guessed() -> list[str]:
    """The prompts of the lessons' scenes whose next token a reader is asked for."""
    scenes = [scene for name in lesson_names() for scene in read_lesson(name).scenes]
    return [dict(scene.query)["prompt"] for scene in scenes if dict(scene.query).get("predict")]


def test_a_lesson_asks_for_a_token_of_such_a_prompt() -> None:
    assert guessed()
    assert set(guessed()) <= {DEFAULT_PROMPT, *EXAMPLES}


def test_the_default_is_the_first_example() -> None:
    assert EXAMPLES[0] == DEFAULT_PROMPT


@pytest.mark.parametrize(
    ("prompt", "fault"),
    [
        ("The little mouse was hungry. He wanted to eat the che", "is no word"),
        ("Once upon a", "only"),
        ("Once upon a", "without a choice"),
        ("The dog ran into the", "does not end"),
    ],
)
def test_a_prompt_that_makes_a_poor_first_question_is_refused(
    storyteller: LanguageModel, prompt: str, fault: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(globals(), "MAX_TOKENS", 60)
    assert any(fault in each for each in faults(storyteller, prompt))
