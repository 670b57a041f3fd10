"""The bar over a page, and the list of the lessons, without a browser."""

import json
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from pages.lessons.tour import scenes
from pages.lessons.tour.conditions import read_condition
from tests.frame.driving import captions, open_home, open_lesson, press, words
from tests.home.home_text import request, write

LESSON = """# Ours

About it.

## The cache

Two sentences. About it.

Page: /kv_cache?prompt=A+bird

Task: Press Step until the cache holds 5 tokens.

Question: Why?

Choices: yes | no

Right: no

Cover: figure

Answer: Because of <b>this</b>.

Remember: Never.

## The draw

Two sentences. About that.

Page: /?prompt=A+bird

Task: Press Next until 2 tokens are written.

Question: Why?

Answer: Because.
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(scenes, "FOLDER", tmp_path)
    (tmp_path / "ours.md").write_text(LESSON, encoding="utf-8")
    return tmp_path


def links(app: AppTest) -> str:
    return " ".join(one.proto.body for one in app.get("html"))


def test_a_link_by_number_leads_to_the_scene_s_page_set_up() -> None:
    app = open_home(lesson="ours", scene="1", present="1")
    assert app.text_input(key="kv_prompt").value == "A bird"
    assert app.query_params["prompt"] == "A bird"
    assert app.query_params["present"] == "1"
    assert "lesson=ours&amp;scene=2&amp;present=1" in links(app)


def guided(app: AppTest) -> dict[str, Any]:
    (guide,) = [one for one in app.get("bidi_component") if "tour_guide" in one.proto.id]
    return dict(json.loads(guide.proto.json))


def test_a_question_covers_its_answer_until_something_was_said(folder: Path) -> None:
    app = open_lesson("pages/kv_cache.py", prompt="A bird", lesson="ours", scene="1")
    assert guided(app)["cover"] == ["figure"]
    assert "Because" not in words(app)
    app.button_group(key="tour_reply_ours_1").set_value("yes").run()
    assert guided(app)["cover"] == []
    assert "You said **yes**" in words(app)
    assert "said=1.1" in links(app)
    assert "Because" not in words(app), "what is tried comes before what is right"
    assert "Not quite" not in words(app)
    for _ in range(2):
        press(app, "kv_step")
    assert "Because" in words(app)
    assert "Not quite: **no**" in words(app)

    reloaded = open_lesson(
        "pages/kv_cache.py", prompt="A bird", lesson="ours", scene="1", said="1.1"
    )
    assert "You said **yes**" in words(reloaded)
    assert guided(reloaded)["cover"] == []

    done = open_lesson("pages/tour.py", done="ours", said="1.1")
    assert "You said “yes”. Right is “no”" in links(done)
    assert links(done).count("Never.") == 1
    (folder / "theirs.md").write_text(LESSON, encoding="utf-8")
    led_on = open_lesson("pages/tour.py", done="ours", said="1.2")
    assert "✓" in links(led_on)
    assert '<li value="1"><p><a href="./kv_cache?prompt=A+bird' in links(led_on), "to its scene"
    assert '<a class="is-next" href="./kv_cache?prompt=A+bird&amp;lesson=theirs' in links(led_on)
    assert '<a class="is-next" href="./tour"' in links(open_lesson("pages/tour.py", done="theirs"))


def test_a_task_is_recognised_who_strays_is_led_back_and_who_leaves_keeps_the_page() -> None:
    scene = {"prompt": "A bird", "lesson": "ours", "scene": "1"}
    app = open_lesson("pages/kv_cache.py", **scene)
    assert "Skip" in links(app)
    app.button_group(key="tour_reply_ours_1").set_value("no").run()
    assert "Skip" not in links(app)
    assert 'class="is-next"' not in links(app)
    for _ in range(2):
        assert ":material/arrow_forward: Press Step" in words(app)
        press(app, "kv_step")
    assert ":material/check_circle: Press Step" in words(app)
    assert 'class="is-next"' in links(app)
    press(app, "kv_back")
    assert ":material/check_circle: Press Step" in words(app), "what was done stays so"

    app.query_params.clear()
    app.switch_page("pages/glossary.py").run()
    assert "./kv_cache?prompt=A+bird&amp;lesson=ours&amp;scene=1" in links(app)
    assert "Back to Ours, scene 1" in links(app)

    for name, text in scene.items():
        app.query_params[name] = text
    app.switch_page("pages/kv_cache.py").run()
    press(app, "tour_leave")
    assert "Scene" not in captions(app)
    assert len(app.session_state["kv_lesson"].text.generation.steps) == 1
    app.query_params.clear()
    assert "Back to" not in links(app.switch_page("pages/glossary.py").run())


def test_a_task_on_the_first_page_is_recognised() -> None:
    app = open_home(prompt="A bird", lesson="ours", scene="2")
    write(app.session_state["reader"], "A bird", 2)
    app.run()
    assert ":material/check_circle: Press Next" in words(app)


def test_a_guess_and_a_forced_token_on_the_first_page_are_recognised() -> None:
    guessed, forced = map(read_condition, ("the bars show", "a token is forced"))
    assert guessed is not None
    assert forced is not None
    tab = open_home().session_state["reader"]
    ids = write(tab, "A bird")
    asked = request(ids, len(ids))
    assert not guessed([tab])
    tab.answer({**asked, "kind": "weigh", "text": "cat"})
    assert guessed([tab])
    write(tab, "A bird", 1)
    assert not guessed([tab]), "the guess was about another token"
    assert not forced([tab])
    tab.answer({**asked, "kind": "step", "token_id": 300, "next_seed": 0})
    write(tab, "A bird", 2)
    assert forced([tab]), "other presses came after it"


@pytest.mark.parametrize(
    ("lesson", "scene", "why"),
    [
        ("none", "1", "There is no lesson of the name “none”"),
        ("ours", "3", "“Ours” has the scenes 1 to 2, and no “3”"),
        ("ours", "²", "no “²”"),
        ("ours", "9" * 5000, "no “9999"),
        ("ours", "![a](http://b.c/d)", r"no “!\[a\]"),
        ("bad", "1", "bad.md, line 3: the lesson has no scene"),
    ],
)
def test_a_link_that_leads_nowhere_is_one_sentence_over_the_page(
    folder: Path, lesson: str, scene: str, why: str
) -> None:
    (folder / "bad.md").write_text("# Bad\n\nNothing.", encoding="utf-8")
    app = open_lesson("pages/glossary.py", lesson=lesson, scene=scene)
    (warning,) = app.warning
    assert why in warning.value.replace("\\:", ":")
    assert len(warning.value) < 300
    assert app.title[0].value == "Glossary"


def test_the_list_names_every_lesson_and_every_fault(
    folder: Path,
) -> None:
    (folder / "bad.md").write_text("# Bad\n\nNothing.", encoding="utf-8")
    (folder / "odd.md").write_text(LESSON.replace("# Ours", "# <b>*Odd*"), encoding="utf-8")
    app = open_lesson("pages/tour.py")
    assert {title.value for title in app.header[:2]} == {r"1. \<b\>\*Odd\*", "2. Ours"}
    assert links(app).count("Begin here") == 1
    assert "line 3" in app.warning[0].value
    assert "./kv_cache?prompt=A+bird&amp;lesson=ours&amp;scene=1" in links(app)
