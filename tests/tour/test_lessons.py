"""The lessons that are shipped: every scene's link opens its page as the scene says."""

import json
import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from model.generation import Generation
from model.language_model import LanguageModel
from model.sampling import Settings
from pages.frame.offers import DEFAULT_PROMPT
from pages.home.controls import Controls
from pages.lessons.classroom.script import PLAN
from pages.lessons.kv_cache.growth import QUESTION
from pages.lessons.kv_cache.small import CacheInFewerBits
from pages.lessons.kv_cache.state import N_COUNTED
from pages.lessons.tour.conditions import JOBS, PHRASES
from pages.lessons.tour.in_file import lesson_in_file
from pages.lessons.tour.lesson import in_course
from pages.lessons.tour.scene_fields import ANSWER, FIGURES, PAGES, PARTS, REPLIES
from pages.lessons.tour.scene_file import FIELDS
from pages.lessons.tour.scenes import (
    GuidedLesson,
    Scene,
    lesson_names,
    parse_lesson,
    read_lesson,
)
from tests.driving.in_page import InPage
from tests.frame.driving import captions, open_home, open_lesson
from tests.home.page_session import PageSession

TEACHING = (Path(__file__).parents[2] / "docs/teaching.md").read_text("utf-8")
# a pupil's seconds: a word is read in a third of one, a press is made, a question thought about
WORDS_A_SECOND, SECONDS_A_PRESS, THINKING, OPENING = 3, 3, 15, 2
MAX_MINUTES = 20
MAX_STORY = 200  # tokens
SPELT = {9: "Nine", 10: "Ten", 11: "Eleven", 12: "Twelve"}
MAX_STORY = 200  # tokens, until the end token at the latest
MAX_SOON = 12  # tokens of a text that is to be seen to end
TOKENS_A_SECOND = 5  # of Play, as the first page opens
MAX_STEPS = 12  # presses until a page has no step left
RECORDED = Path(__file__).parents[2] / "model/recorded/sections"  # of each job, with its seconds
LESSONS = {name: read_lesson(name) for name in lesson_names()}
IN_COURSE = ["how-a-model-writes", "sampling", "search-and-speculation", "inference-speed"]
TOPICS = {  # what the keys of a page's settings begin with
    "beam_search": "beam",
    "causal_mask": "mask",
    "kv_cache": "kv",
    "engines": "lab",
    "prefill_decode": "phase",
    "roofline": "phase",
    "sampling": "lab",
    "snowball": "snowball",
    "teacher_forcing": "snowball",
    "speculative": "spec",
}
SCENES = [
    pytest.param(name, number, id=f"{name}-{number}")
    for name, lesson in LESSONS.items()
    for number in range(1, len(lesson.scenes) + 1)
]


def opened(name: str, number: int) -> AppTest:
    """A scene, opened by its link; a page that writes a text by itself has written it."""
    scene = LESSONS[name].scenes[number - 1]
    at = open_lesson if scene.page else lambda _path, **link: open_home(**link)
    app = at(PAGES[scene.page], **dict(scene.query), lesson=name, scene=str(number))
    while any(button.label == "Stop" for button in app.button):
        app.run()
    return app


def test_lessons_stand_as_the_course_does_and_one_that_cannot_be_read_last() -> None:
    names = ["no such lesson", *sorted(LESSONS)]
    assert sorted(names, key=in_course) == [*IN_COURSE, "no such lesson"]


def slug(title: str) -> str:
    return re.sub(r"[^\w]+", "-", title.lower()).strip("-")


def jobs_of(scene: Scene) -> list[str]:
    return [name for name in JOBS if re.search(rf"until the {name}\b", scene.task)]


def n_presses(scene: Scene) -> int:
    """The presses of a scene: those of its task, of its reply, and Continue."""
    tokens = re.search(r"(\d+) tokens? (?:is|are) written", scene.task)
    if tokens and not scene.task.startswith("Press Play"):
        n_task = math.ceil(int(tokens[1]) / (20 if "+20" in scene.task else 1))
    elif scene.task.endswith("no step is left."):
        n_task = MAX_STEPS
    else:
        n_task = 2 if scene.task.startswith(("Tick", "Write your word")) else bool(scene.task)
    return n_task + (1 if scene.choices else 2) + 1


def waited(job: str) -> float:
    """The seconds that a job of that name took when it was recorded; of several, the most."""
    found = [*RECORDED.glob(f"{job}.json"), *RECORDED.glob(f"*_{job}.json")]
    return max(float(json.loads(path.read_text("utf-8"))["seconds"]) for path in found)


def minutes_of(lesson: GuidedLesson) -> float:
    """A pupil's minutes: reading, presses, a thought for each question, and what is waited for."""
    seconds = 0.0
    for scene in lesson.scenes:
        told = [scene.title, scene.words, scene.task, scene.question, *scene.choices]
        told += [scene.answer, scene.remember]
        seconds += len(" ".join(told).split()) / WORDS_A_SECOND + THINKING * scene.asks
        seconds += n_presses(scene) * SECONDS_A_PRESS + OPENING
        seconds += sum(waited(job) for job in jobs_of(scene))
        seconds += MAX_STORY / TOKENS_A_SECOND * scene.task.endswith("is finished.")
    return seconds / 60


def check_length(lesson: GuidedLesson) -> None:
    """Refuses a lesson that takes longer than it says, or than a lesson may."""
    said = re.search(r"about (\d+) minutes", lesson.about, re.IGNORECASE)
    assert said, lesson.name
    assert minutes_of(lesson) <= int(said[1]) <= MAX_MINUTES, (lesson.name, minutes_of(lesson))


@pytest.mark.parametrize("name", LESSONS)
def test_a_lesson_is_as_long_as_it_says_and_no_longer_than_twenty_minutes(name: str) -> None:
    lesson = LESSONS[name]
    check_length(lesson)
    longer = replace(lesson, scenes=lesson.scenes + (lesson.scenes * 2)[:10])
    with pytest.raises(AssertionError):
        check_length(longer)
    with pytest.raises(AssertionError):  # nor does a longer promise help
        check_length(replace(longer, about=re.sub(r"\d+ minutes", "30 minutes", longer.about)))
    is_counted = " scenes, about" in lesson.about
    assert not is_counted or f"{SPELT[len(lesson.scenes)]} scenes" in lesson.about


def test_one_length_is_said_everywhere() -> None:
    said = {name: int(re.findall(r"about (\d+) minutes", one.about)[0])
            for name, one in LESSONS.items()}  # fmt: skip
    (low, high) = re.findall(r"take (\d+) to (\d+) minutes each", TEACHING)[0]
    others = [minutes for name, minutes in said.items() if name != PLAN]
    assert (int(low), int(high)) == (min(others), max(others))
    notes = [re.match(r"(\d+) minutes", scene.note) for scene in LESSONS[PLAN].scenes]
    in_class = sum(int(note[1]) for note in notes if note)
    assert all(notes)
    assert in_class <= int(re.findall(r"(\d+) with a class", LESSONS[PLAN].about)[0])
    assert f"in {in_class} minutes" in TEACHING


def test_a_page_asks_and_opens_by_itself_unless_a_scene_does() -> None:
    alone, guided = open_lesson("pages/kv_cache.py"), opened("how-a-model-writes", 9)
    own = {CacheInFewerBits.claim, f"**{QUESTION}**"}
    assert own <= {text.value for text in alone.markdown}
    assert own.isdisjoint(text.value for text in guided.markdown)


def test_the_squares_that_a_scene_outlines_are_those_that_it_asks_for() -> None:
    (scene,) = [one for one in LESSONS["how-a-model-writes"].scenes if one.page == "kv_cache"]
    n_prompt, n_written = map(int, re.findall(r"\d+", scene.question))
    assert n_written == N_COUNTED + 1, "the last token is read by no pass"
    assert sum(n_prompt + n for n in range(N_COUNTED + 1)) == int(scene.right)


def test_a_scene_s_steps_end_with_the_passes_that_it_asks_about() -> None:
    scene = LESSONS["how-a-model-writes"].scenes[8]
    app = open_lesson(
        PAGES[scene.page], **dict(scene.query), lesson="how-a-model-writes", scene="9", said="9.30"
    )
    for n_done in range(N_COUNTED):
        assert not [body for body in bodies(app) if "kv-total" in body and "<b>" in body], n_done
        app.button(key="kv_step").click().run()
    assert app.button(key="kv_step").disabled
    assert app.button(key="kv_play").disabled
    sums = [re.findall(r"kv-total\"><b>(\d+)</b>", body) for body in bodies(app)]
    assert [one for found in sums for one in found] == [scene.right, "9"]


def bodies(app: AppTest) -> list[str]:
    return [one.proto.body for one in app.get("html")]


def test_a_scene_about_the_first_screen_leaves_the_laboratory_out() -> None:
    top, below = opened("sampling", 1), opened("sampling", 4)
    title = LESSONS["sampling"].scenes[3].heading
    assert title not in [slug(one.value) for one in top.header]
    assert title in [slug(one.value) for one in below.header]


@pytest.mark.parametrize(("name", "number"), SCENES)
def test_a_scene_s_link_sets_its_page_up(name: str, number: int, in_page: InPage) -> None:
    scene = LESSONS[name].scenes[number - 1]
    app = opened(name, number)
    assert not app.warning
    assert not app.error
    assert f"Scene {number} of {len(LESSONS[name].scenes)}" in captions(app)
    assert scene.title in " ".join(text.value for text in app.markdown).replace("\\", "")
    headings = [slug(title.value) for title in (*app.header, *app.subheader)]
    assert scene.heading in ("", *headings)
    for job in jobs_of(scene):
        (button,) = [button for button in app.button if (button.key or "").endswith(f"{job}_run")]
        assert scene.task.startswith(f"Press {button.label} and wait until")
    if scene.is_done is not None:  # there is something left to do
        assert ":material/arrow_forward:" in " ".join(text.value for text in app.markdown)
    if scene.page:  # what the link says stands on the page
        shown = {
            field: app.session_state[f"{TOPICS[scene.page]}_{field}"] for field, _ in scene.query
        }
    else:
        shown = shown_at_home(app, in_page, scene)
    query = {field: text for field, text in scene.query if field != "hold"}  # the figure's own
    assert {field: str(value) for field, value in shown.items()} == query


def shown_at_home(app: AppTest, in_page: InPage, scene: Scene) -> dict[str, Any]:
    """What the first page shows for each field of its link: the session, and Streamlit's switch."""
    session = PageSession(in_page, app.session_state["reader"].lm, **dict(scene.query))
    header = session.header
    assert session.notice == ""
    own = {name: header[name] for name in ("prompt", "seed")} | {"run": len(session.steps["how"])}
    own["predict"] = int(app.session_state["hide_bars"])
    controls = Controls.from_page(header["controls"])
    shown = controls.to_page() | controls.encode() | own
    return {field: shown[field] for field, _ in scene.query if field != "hold"}


@pytest.mark.parametrize(
    ("name", "number", "found", "n_times"),
    [
        ("inference-speed", 3, 'title="kept"', 3),
        ("sampling", 4, "aria-hidden", 0),
        ("sampling", 7, ">water<", 2),
        ("search-and-speculation", 3, "aria-hidden", 0),
        ("search-and-speculation", 7, ">sky<", 2),
    ],
)
def test_a_page_waits_in_a_scene_as_for_its_own_question(
    name: str, number: int, found: str, n_times: int
) -> None:
    scene = LESSONS[name].scenes[number - 1]
    said = scene.choices.index(scene.right) + 1 if scene.choices else scene.right
    counts = []
    for said_so_far in ({}, {"said": f"{number}.{said}"}):
        link = dict(scene.query) | {"lesson": name, "scene": str(number)} | said_so_far
        app = open_lesson(PAGES[scene.page], **link)
        counts.append("".join(one.proto.body for one in app.get("html")).count(found))
    before, after = counts
    assert (before == 0) == (n_times > 0), "what is asked for is not told"
    assert after >= n_times
    assert (after == 0) == (n_times == 0)


@pytest.mark.parametrize("name", LESSONS)
def test_a_scene_in_the_file_speaks_of_nothing_that_is_not_there(name: str) -> None:
    held = lesson_in_file(name)
    assert held is not None
    for scene, text in zip(held["scenes"], held["texts"][0]["scenes"], strict=True):
        assert text["words"]
        if "query" not in scene:
            assert not text["task"]
            assert not re.search(r"\b[Pp]ress\b|(?<=\. )Here\b", text["words"])


def test_the_example_that_teachers_copy_is_a_lesson() -> None:
    (example,) = re.findall(r"```markdown\n(.+?)```", TEACHING, re.DOTALL)
    (scene,) = parse_lesson("example", example).scenes
    assert scene.asks
    for name in (*PARTS, *FIGURES, ANSWER, *REPLIES, *FIELDS):
        assert name in TEACHING
    for phrase in PHRASES:
        assert phrase.split(" is above")[0] in TEACHING


@pytest.mark.parametrize("name", LESSONS)
def test_every_scene_asks_and_ends_in_one_sentence(name: str) -> None:
    for scene in LESSONS[name].scenes:
        assert scene.asks, scene.title
        assert scene.cover or not jobs_of(scene), "a recording holds the answer"
        assert scene.right, scene.title
        assert len(re.findall(r"[.!?](?=\s|$)", scene.remember)) in (1, 2), scene.title


def test_the_numbers_that_are_right_are_the_model_s(storyteller: LanguageModel) -> None:
    by_title = {scene.title: scene for scene in LESSONS["how-a-model-writes"].scenes}
    pieces = storyteller.tokenizer.tokenize(" unbelievably")
    assert len(pieces) == int(by_title["Pieces, not words"].right)
    text = Generation(storyteller, DEFAULT_PROMPT)
    *_, last = text.stages_for(Settings(top_p=0.5))
    assert int(last.kept.sum()) == int(by_title["Cut the tail"].right)
    n_prompt, n_written = text.n_prompt, 4
    assert n_prompt == 6
    assert sum(range(n_prompt, n_prompt + n_written)) == int(by_title["What is kept"].right)
    loop = Generation(storyteller, dict(by_title["Always the widest?"].query)["prompt"])
    for _ in range(80):
        loop.step(Settings(temperature=0))
    many = by_title["Many draws"]
    share = re.findall(r"(\d+) %", many.question)
    bar = {name: float(value) for name, value in many.query if name in ("temperature", "top_p")}
    *_, drawn_from = text.stages_for(Settings(**bar))
    assert round(100 * float(drawn_from.best_probs[0])) == int(*share)
    assert by_title["Many draws"].right == f"about {10 * int(*share)} times"
    assert loop.ids[-20:] in [loop.ids[i : i + 20] for i in range(len(loop.ids) - 20)]


def test_what_the_short_lesson_says_of_top_p_is_the_model_s(storyteller: LanguageModel) -> None:
    cut, sure, *_ = LESSONS["sampling"].scenes
    n_kept = []
    for scene in (cut, sure):
        text = Generation(storyteller, dict(scene.query)["prompt"])
        whole, left = (text.stages_for(Settings(top_p=p))[-1] for p in (1.0, 0.5))
        assert left.best_probs[0] > whole.best_probs[0], "it grows"
        n_kept.append(int(left.kept.sum()))
    assert n_kept == [5, int(sure.right)]
    assert "five tokens stayed" in sure.words


def test_the_text_that_a_scene_lets_end_ends_soon(storyteller: LanguageModel) -> None:
    (scene,) = [one for one in LESSONS["sampling"].scenes if one.title == "Where a text ends"]
    query = dict(scene.query)
    text = Generation(storyteller, query["prompt"], seed=int(query["seed"]))
    while text.finished is None and len(text.steps) < MAX_SOON:
        text.step(Settings(temperature=float(query["temperature"])))
    assert text.finished == "eos"
    assert ". " not in text.text.removeprefix(query["prompt"]), "it ends with its sentence"


@pytest.mark.parametrize("name", LESSONS)
def test_the_words_are_short_and_state_no_measured_number(name: str) -> None:
    for scene in LESSONS[name].scenes:
        n_sentences = len(re.findall(r"[.!?…](?=[\s*)]|$)", scene.words))
        assert 2 <= n_sentences <= 6, scene.title
        assert not re.search(r"\d\s*(ms|s|%|kB|MB|nats|tokens/s)\b", scene.words), scene.title
