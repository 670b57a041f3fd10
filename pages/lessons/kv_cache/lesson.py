"""The cache lesson below its title: the reader's state, then its parts from top to bottom."""

from streamlit.delta_generator import DeltaGenerator

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import ORDERS, Settings
from model.tokenizing import text_of
from pages.frame.course import show_summary
from pages.frame.lesson_state import home_session, lesson_state
from pages.frame.link import asked, offer_link
from pages.frame.offers import DEFAULT_PROMPT, server_model
from pages.frame.second_run import draw_in_second_run
from pages.lessons.kv_cache.growth import show_growth, show_setup, start
from pages.lessons.kv_cache.plan import show_plan
from pages.lessons.kv_cache.prefix import PrefixCaching
from pages.lessons.kv_cache.race import OverServer, WithAndWithoutCache
from pages.lessons.kv_cache.settings import SETTINGS, START
from pages.lessons.kv_cache.small import CacheInFewerBits
from pages.lessons.kv_cache.state import N_WATCHED, CacheLesson, GrowingText, new_stepper
from viz.kv_cache.squares_chart import MAX_WORDS

LESSON = "kv_lesson"


def show_cache_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    lm = lesson.lm
    show_growth(lesson, _summary)
    show_setup(lesson)
    caption = f"The model is {lm.shown}."
    offer_link(SETTINGS, lm, lambda: _as_shown(lesson.text), caption)
    draw_in_second_run(lambda: _show_laboratory(lesson))


def _summary() -> None:
    show_summary(
        "pages/kv_cache.py",
        *(WithAndWithoutCache.title, CacheInFewerBits.title, "Cache memory of larger models"),
        PrefixCaching.title,
        asked="kv_said",
    )


def _show_laboratory(lesson: CacheLesson) -> None:
    WithAndWithoutCache(lesson).show()
    if server_model() is not None:
        OverServer(lesson).show()
    CacheInFewerBits(lesson).show()
    show_plan()
    PrefixCaching(lesson).show()


def _begin(lm: LanguageModel, _old: CacheLesson | None) -> CacheLesson:
    """Begins as a link asks, else with the first page's prompt, or as much of it as has words."""
    reader, prompt = home_session(lm), asked(SETTINGS, "prompt")
    if reader is None or prompt is not None:
        text = start(lm, DEFAULT_PROMPT if prompt is None else prompt, SETTINGS["seed"])
        settings = Settings(**{name: SETTINGS[name] for name in vars(START)})
        return CacheLesson(lm, new_stepper(text, settings))
    # what was written there is written once more, a pass for each token
    prompt_ids = reader.generation.prompt_ids[: MAX_WORDS - N_WATCHED]
    generation = Generation(lm, prompt_ids, reader.generation.seed)
    return CacheLesson(lm, new_stepper(generation, reader.controls.settings()))


def _as_shown(text: GrowingText) -> dict[str, object]:
    """Returns what stands on the page, as its link has it."""
    lm, settings = text.generation.lm, text.settings
    return {
        "prompt": text_of(lm.tokenizer, text.generation.prompt_ids),
        "seed": text.generation.seed,
        **vars(settings),
        "order": next(name for name, order in ORDERS.items() if order == settings.order),
    }
