"""A wrong fact, name or contradiction that is forced, and how surely the model goes on from it."""

from collections.abc import Callable
from typing import TypeAlias

import streamlit as st

from model.generation import Generation
from model.job import Job, Progress, Work, finish
from model.loading import LanguageModel
from model.recorded import recorded_job
from model.sampling import Settings
from model.snowball.fork import fork_text
from model.snowball.records import ForkStep
from model.tokenizing import encode, encode_bare
from pages.frame.claims import BY_ID
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_folded
from pages.frame.layout import as_written
from pages.frame.question import answered, lesson_asks, lesson_waits
from pages.lessons.snowball.settings import MISTAKES, SETTINGS
from pages.lessons.snowball.state import SnowballLesson
from viz.snowball.mistake import covered_html, mistake_html, tokens_html

N_AFTER = 24  # tokens of each text
SAMPLING = Settings(temperature=0.7)
RECORDED = "snowball_mistakes"
Mistakes: TypeAlias = dict[str, tuple[ForkStep, ...]]  # by their prompts
RIGHT = "go on as if it were true"
ANSWERS = ("correct it", RIGHT, "stop")


ADVICE = (
    "**What you can do.** Stop at the first wrong sentence, go back before it and rephrase: the "
    "model goes on as if all of the text were true. Ask again in a new text. Check names, numbers "
    "and quotations yourself: a sure tone is no evidence."
)


def show_mistake(lesson: SnowballLesson, summarize: Callable[[], None] | None = None) -> None:
    """Asks what follows from a mistake, then shows it, and what a reader can do.

    Args:
        lesson: What the reader has on the page.
        summarize: Draws what is to be remembered directly below the picture.
    """
    st.fragment(_mistake)(lesson, summarize)
    show_code(fork_text, key="snowball_code_mistake")


def _mistake(lesson: SnowballLesson, summarize: Callable[[], None] | None) -> None:
    is_said = answered(
        "Here a wrong word is put in. What will the model do about it?",
        ANSWERS,
        RIGHT,
        "snowball_expected",
    )
    is_said, is_guided = is_said and not lesson_waits(), lesson_asks()
    mistake = SETTINGS.widget("mistake", label_visibility="collapsed")
    picture = st.container(key="snowball_mistake_picture")
    if summarize is not None:
        summarize()
    prompt, word, _seed = MISTAKES[mistake]
    steps: tuple[ForkStep, ...] = ()
    if not is_said:
        picture.html(covered_html(prompt, word))
    else:
        try:
            steps = _steps(lesson, *MISTAKES[mistake])
        except ValueError as error:
            picture.info(as_written(str(error)))
        else:
            picture.html(mistake_html(prompt, steps))
    if steps and not is_guided:  # its scene says the rest
        _show_details(lesson, steps)


def _show_details(lesson: SnowballLesson, steps: tuple[ForkStep, ...]) -> None:
    with st.expander("Token by token", key="snowball_mistake_tokens"):
        st.html(tokens_html(steps))
    show_folded(
        "Both texts are drawn with the same pointers. How sure it is: the mean of the "
        "probabilities that the model gives to the tokens after the first. They are those before "
        f"any temperature; the tokens are drawn at {SAMPLING.temperature:g}. "
        "The prompt was chosen among several, the seed among 150: by it the text alone makes no "
        f"such mistake, the other comes back to the wrong word, and after the fish’s it is about "
        f"as sure. {_measured(lesson)}.",
        "snowball_mistake_how",
    )
    st.markdown(
        "It reads its mistake like any other token and goes on. Fluent text that is false is "
        "called a **hallucination** ([arXiv 2202.03629](https://arxiv.org/abs/2202.03629))."
    )
    st.markdown(ADVICE)
    with st.expander("Often said, and what was measured", key="snowball_said"):
        st.markdown(BY_ID["C35"].box)


def _measured(lesson: SnowballLesson) -> str:
    if (job := _recorded(lesson)) is not None and (machine := job.recorded_on) is not None:
        return f"Recorded {machine.date[:10]}: {machine.model} on {machine.where}"
    return f"Measured with the model {lesson.lm.shown}"


def _steps(lesson: SnowballLesson, prompt: str, word: str, seed: int) -> tuple[ForkStep, ...]:
    """Writes both texts, once for each mistake.

    Raises:
        ValueError: where the wrong word is no single token of this model; one sentence.
    """
    if prompt not in lesson.mistakes and (recorded := _recorded(lesson)) is not None:
        lesson.mistakes.update(recorded.result)
    if prompt not in lesson.mistakes:
        lesson.mistakes[prompt] = write_mistake(lesson.lm, prompt, word, seed)
    return lesson.mistakes[prompt]


def _recorded(lesson: SnowballLesson) -> Job[Mistakes] | None:
    """Returns what the page's model wrote on another machine, if that was recorded."""
    job = recorded_job(RECORDED, Mistakes)
    if job is None or job.recorded_on is None or job.recorded_on.model != lesson.lm.name:
        return None
    return job


def write_mistakes(lm: LanguageModel) -> Work[Mistakes]:
    """Writes both texts of every mistake."""
    found: Mistakes = {}
    for n_done, (prompt, word, seed) in enumerate(MISTAKES.values()):
        yield Progress(n_done, len(MISTAKES), "texts")
        found[prompt] = write_mistake(lm, prompt, word, seed)
    return found


def write_mistake(lm: LanguageModel, prompt: str, word: str, seed: int) -> tuple[ForkStep, ...]:
    """Writes a text after a wrong word, and the one without it.

    Raises:
        ValueError: where the wrong word is no single token of this model; one sentence.
    """
    ids = encode_bare(lm, word)
    if len(ids) != 1:
        raise ValueError(
            f"“{word.strip()}” is {len(ids)} tokens of {lm.shown}: choose "
            "another example, or put in a word of your own below."
        )
    start = Generation(lm, encode(lm, prompt), seed=seed)
    return finish(fork_text(start, ids[0], SAMPLING, N_AFTER))
