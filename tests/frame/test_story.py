"""One small company and one story, on every page of the course: by their words, and as measured."""

import re

import pytest

from model.encoder_decoder.infilling import Infilling
from model.generation import Generation
from model.language_model import LanguageModel
from model.loading import load_model
from model.sampling import Settings
from pages.frame.claims import CLAIMS
from pages.frame.offers import DEFAULT_PROMPT
from pages.frame.settings_table import SettingsTable
from pages.frame.story import BIRD, HOME, KING
from pages.lessons.beam_search.settings import SETTINGS as SEARCH
from pages.lessons.beam_search.state import PROMPTS as SEARCHED
from pages.lessons.causal_mask.lesson import EXAMPLES as MASKED
from pages.lessons.causal_mask.settings import TEXT as MASKED_FIRST
from pages.lessons.constraints.state import EXAMPLES as CONSTRAINED
from pages.lessons.diffusion.settings import SETTINGS as DIFFUSION
from pages.lessons.encoder_decoder.settings import SETTINGS as GAPS
from pages.lessons.futures.settings import SETTINGS as FUTURES
from pages.lessons.guess.settings import PASSAGES
from pages.lessons.kv_cache.settings import FIRST as CACHE_PROMPT
from pages.lessons.sampling.settings import QUESTION
from pages.lessons.sampling.settings import SETTINGS as SAMPLING
from pages.lessons.sampling.source import SHAPES
from pages.lessons.serving.settings import LONG_PROMPT
from pages.lessons.serving.settings import PROMPTS as SERVED
from pages.lessons.snowball.settings import MISTAKES
from pages.lessons.snowball.settings import SETTINGS as SNOWBALL
from pages.lessons.speculative.settings import RACES
from pages.lessons.speculative.speed import PROMPTS
from pages.lessons.stopping.settings import SETTINGS as STOPPING
from pages.lessons.tour.scenes import lesson_names, read_lesson
from tests.home.test_prompts import EXAMPLES, N_SANE, faults, likeliest

COMPANY = re.compile(r"\b([Bb]ird|[Kk]ing|[Bb]oy|[Ff]rog|[Dd]uck|[Ff]ish|Max)\b")
STRANGER = re.compile(r"\b(girl|cat|dog|dragon|Lily|Tom|Tim|Mia|Ben|Sue|children|She|she|her)\b")
# of which a reader is asked what comes next; their words and their ends are those of home's
ASKED = (QUESTION,)
# what a page goes on from: its tokens need not be near each other
GONE_ON = (
    KING,
    BIRD,
    *RACES,
    *PROMPTS[1:],
    *(line.partition(" | ")[0] for line in SERVED.splitlines()),
)
LATER = ("diffusion", "encoder_decoder", "serving", "speed 1")
PIECE = 8  # tokens that may not come again within the first N_SANE


def default(table: SettingsTable, name: str) -> str:
    return next(str(field.default) for field in table.fields if field.name == name)


def told() -> dict[str, str]:
    """What each page opens with, and what it offers."""
    texts = {
        "home": DEFAULT_PROMPT,
        "sampling": default(SAMPLING, "prompt"),
        "votes": default(SAMPLING, "vote_prompt"),
        "futures": default(FUTURES, "prompt"),
        "beam_search": default(SEARCH, "prompt"),
        "kv_cache": CACHE_PROMPT.rpartition("\n")[2],
        "diffusion": default(DIFFUSION, "beginning"),
        "its end": default(DIFFUSION, "ending"),
        "encoder_decoder": default(GAPS, "gaps"),
        "serving": LONG_PROMPT,
        "stopping": default(STOPPING, "prompt"),
        "a loop": default(SAMPLING, "loop_prompt"),
        "engines": default(SAMPLING, "aim_prompt"),
        "guess": next(iter(PASSAGES.values())).text,
        "causal_mask": MASKED_FIRST,
        "its second": list(MASKED.values())[1],
        "the textbook": SHAPES["textbook"].caption,
        "teacher_forcing": default(SNOWBALL, "beginning"),
        "its instruction": default(SNOWBALL, "instruction"),
    }
    offered = {
        "example": EXAMPLES,
        "mistake": [prompt for prompt, *_ in MISTAKES.values()],
        "constraint": [request.prompt for request in CONSTRAINED.values()],
        "race": RACES,
        "speed": PROMPTS,
        "search": SEARCHED,
        "served": SERVED.splitlines(),
    }
    return texts | {f"{kind} {n}": t for kind, all_ in offered.items() for n, t in enumerate(all_)}


def linked() -> list[str]:
    """What the links of claims and of guided lessons put on a page."""
    queries = [query for claim in CLAIMS for query in (claim.query, claim.beside)]
    lessons = map(read_lesson, lesson_names())
    queries += [dict(scene.query) for lesson in lessons for scene in lesson.scenes]
    names = ("prompt", "first", "second", "text")
    return [query[name] for query in queries for name in names if name in query]


def strangers(texts: dict[str, str]) -> list[str]:
    """The places of a text that tells of nobody of the company, or of somebody else."""
    return [
        place for place, text in texts.items() if not COMPANY.search(text) or STRANGER.search(text)
    ]


def test_one_small_company_is_met_on_every_page_that_tells_of_somebody() -> None:
    assert strangers(told()) == []
    assert [text for text in linked() if STRANGER.search(text)] == []
    assert sum(bool(COMPANY.search(text)) for text in linked()) > 12
    assert strangers({"a": "Once upon a time", "b": "The bird saw a girl", "c": BIRD}) == ["a", "b"]


def test_a_later_page_goes_on_from_what_an_earlier_one_wrote() -> None:
    texts = told()
    assert texts["futures"] == texts["beam_search"] == KING, "they share their tree"
    later = [texts[place] for place in LATER]
    assert all(text.startswith(BIRD) for text in later)
    assert BIRD.startswith(texts["teacher_forcing"])
    assert texts["causal_mask"].startswith(RACES[1])
    assert texts["its end"] == HOME
    assert DEFAULT_PROMPT in EXAMPLES
    assert RACES[0] in EXAMPLES
    assert texts["sampling"] in EXAMPLES
    assert texts["votes"] in ASKED


@pytest.mark.parametrize("prompt", sorted({*ASKED}))
def test_what_is_asked_for_next_is_measured_as_on_the_first_page(
    storyteller: LanguageModel, prompt: str
) -> None:
    assert list(faults(storyteller, prompt)) == []


def wrong(lm: LanguageModel, prompt: str) -> list[str]:
    """What keeps a beginning from being gone on from: no word is likely, or it runs in a circle."""
    text = Generation(lm, prompt, seed=0)
    found = [] if likeliest(text)[1][0] < 0.95 else ["one token has it all"]
    while not text.finished and len(text.steps) < N_SANE:
        text.step(Settings(temperature=0.8, top_p=0.9))
    if text.finished:
        return [*found, "it ends at once"]
    story = [step.token_id for step in text.steps]
    pieces = [tuple(story[i : i + PIECE]) for i in range(len(story) - PIECE + 1)]
    return found if len(set(pieces)) == len(pieces) else [*found, "it repeats itself"]


def test_each_beginning_is_gone_on_from_sanely(storyteller: LanguageModel) -> None:
    assert [(prompt, fault) for prompt in GONE_ON for fault in wrong(storyteller, prompt)] == []
    assert wrong(storyteller, "The bird sat on the tree. " * 9)


def test_the_gaps_are_filled_and_the_text_ends() -> None:
    text = Infilling(load_model("gapfiller"), default(GAPS, "gaps"))
    while not text.finished:
        text.step()
    assert text.finished in {"eos", "gaps"}
    words = [segment.text for segment in text.segments][1::2]
    assert all(re.fullmatch(r" [a-z]+", word) for word in words), words
