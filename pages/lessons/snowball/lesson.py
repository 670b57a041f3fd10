"""The lesson on error propagation below its title: the reader's state, then its parts in order."""

from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import encode_within
from pages.frame.course import follow_moved, show_summary
from pages.frame.lesson_state import home_session, lesson_state
from pages.frame.link import asked
from pages.frame.offers import DEFAULT_PROMPT
from pages.frame.second_run import draw_in_second_run
from pages.lessons.snowball.errors import RewindStrategies
from pages.lessons.snowball.fork import FORK_TITLE, show_fork
from pages.lessons.snowball.mistake import show_mistake
from pages.lessons.snowball.settings import FORKED, MEASURED, OWN, SETTINGS
from pages.lessons.snowball.state import MAX_PROMPT, SnowballLesson

LESSON = "snowball_lesson"
PATH = "pages/snowball.py"


def show_snowball_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    follow_moved(PATH, FORKED, MEASURED)
    lesson = begin_snowball(waiting)

    def summarize() -> None:
        show_summary(PATH, FORK_TITLE, RewindStrategies.title, asked="snowball_expected")

    if lesson.is_about_fork:
        show_fork(lesson)
        summarize()
    else:
        show_mistake(lesson, summarize)

    def show_laboratory() -> None:
        (show_mistake if lesson.is_about_fork else show_fork)(lesson)
        RewindStrategies(lesson).show()

    draw_in_second_run(show_laboratory)


def begin_snowball(waiting: DeltaGenerator) -> SnowballLesson:
    """Returns the reader's state, which the lesson and its laboratory share."""
    return lesson_state(LESSON, waiting, _begin, settings=SETTINGS, over_server=True)


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
    brings_text = prompt not in (None, DEFAULT_PROMPT)  # the page's own address says the default
    return SnowballLesson(lm, text, settings, is_about_fork=brings_text)
