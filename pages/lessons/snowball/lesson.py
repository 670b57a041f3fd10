"""The lesson on error propagation below its title: the reader's state, then its parts in order."""

from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.job import Job
from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import encode_within
from pages.frame.course import show_summary
from pages.frame.lesson_state import home_session, lesson_state
from pages.frame.link import asked
from pages.frame.offers import DEFAULT_PROMPT
from pages.lessons.snowball.errors import ErrorCompounding, RewindStrategies
from pages.lessons.snowball.fork import FORK, show_fork
from pages.lessons.snowball.held_out import ContextLengths, ExposureBias
from pages.lessons.snowball.mistake import show_mistake
from pages.lessons.snowball.settings import N_TOKENS, OWN, SETTINGS
from pages.lessons.snowball.state import MAX_PROMPT, SnowballLesson, write_text
from pages.lessons.snowball.written import (
    InstructionPlacing,
    KeepingTheThread,
    LongGeneration,
)

LESSON = "snowball_lesson"
SECTIONS = (
    ErrorCompounding,
    RewindStrategies,
    InstructionPlacing,
    LongGeneration,
    KeepingTheThread,
    ExposureBias,
    ContextLengths,
)


def show_snowball_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS, over_server=True)
    parts = (show_fork, show_mistake) if lesson.is_about_fork else (show_mistake, show_fork)
    parts[0](lesson)
    show_summary(
        "pages/snowball.py",
        *(section.title for section in SECTIONS),
        asked="snowball_expected",
    )
    parts[1](lesson)
    for section in SECTIONS:
        section(lesson).show()


def _begin(lm: LanguageModel, _old: SnowballLesson | None) -> SnowballLesson:
    """Begins as a link asks, else with the home page's prompt, as far as there is room for it."""
    reader, prompt = home_session(lm), asked(SETTINGS, "prompt")
    if reader is None or prompt is not None:
        ids = encode_within(lm, prompt or DEFAULT_PROMPT, MAX_PROMPT)
        text = Generation(lm, ids, seed=SETTINGS["seed"])
    else:
        ids = reader.generation.prompt_ids[:MAX_PROMPT]
        text = Generation(lm, ids, seed=reader.seed)
        SETTINGS.put(seed=reader.seed)
    if asked(SETTINGS, "word"):
        SETTINGS.put(token=OWN)
    settings = Settings(temperature=SETTINGS["temperature"])
    jobs = {FORK: Job(write_text(text, settings, N_TOKENS))}
    brings_text = prompt not in (None, DEFAULT_PROMPT)  # the page's own address says the default
    return SnowballLesson(lm, text, settings, is_about_fork=brings_text, jobs=jobs)
