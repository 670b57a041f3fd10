"""The lessons that are shipped: every scene's link opens its page as the scene says."""

from __future__ import annotations

import re
from functools import partial

import pytest
from streamlit.testing.v1 import AppTest

from pages.lessons.tour.conditions import JOBS
from pages.lessons.tour.scenes import PAGES, Scene, lesson_names, read_lesson
from tests.frame.driving import captions, open_home, open_lesson

LESSONS = {name: read_lesson(name) for name in lesson_names()}
TOPICS = {  # what the keys of a page's settings begin with
    "beam_search": "beam",
    "causal_mask": "mask",
    "kv_cache": "kv",
    "sampling": "lab",
    "snowball": "snowball",
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


def slug(title: str) -> str:
    return re.sub(r"[^\w]+", "-", title.lower()).strip("-")


def jobs_of(scene: Scene) -> list[str]:
    return [name for name in JOBS if re.search(rf"until the {name}\b", scene.task)]


def test_the_lessons_are_there_and_as_long_as_they_say() -> None:
    n_scenes = {name: len(lesson.scenes) for name, lesson in LESSONS.items()}
    assert n_scenes["how-a-model-writes"] >= 14
    assert {"inference-speed", "sampling", "search-and-speculation"} <= n_scenes.keys()


@pytest.mark.parametrize(("name", "number"), SCENES)
def test_a_scene_s_link_sets_its_page_up(name: str, number: int) -> None:
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
        assert ":material/circle:" in " ".join(text.value for text in app.markdown)
    for field, text in scene.query:  # what the link says stands on the page
        assert said(app, scene, field, text), field


def said(app: AppTest, scene: Scene, field: str, text: str) -> bool:
    if not scene.page:
        session = app.session_state["reader"]
        shown = {
            "prompt": lambda: session.prompt,
            "seed": lambda: str(session.seed),
            "run": lambda: str(len(session.generation.steps)),
        }
        return shown.get(field, partial(session.controls.encode().get, field, text))() == text
    return str(app.session_state[f"{TOPICS[scene.page]}_{field}"]) == text


@pytest.mark.parametrize("name", LESSONS)
def test_the_words_are_short_and_state_no_measured_number(name: str) -> None:
    for scene in LESSONS[name].scenes:
        n_sentences = len(re.findall(r"[.!?…](?=[\s*)]|$)", scene.words))
        assert 2 <= n_sentences <= 6, scene.title
        assert not re.search(r"\d\s*(ms|s|%|kB|MB|nats|tokens/s)\b", scene.words), scene.title
