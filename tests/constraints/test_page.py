"""The constraint lesson as Streamlit runs it: step, back, the three kinds, bad input, ways out."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from model.loading import LanguageModel, load_model
from pages.lessons.constraints.state import EXAMPLES, FIRST, ConstraintLesson, start_ways
from tests.frame.driving import captions, kept, open_lesson, press
from tests.tiny_models import tiny


@pytest.fixture
def app() -> AppTest:
    """The lesson, opened without the first page."""
    return open_lesson("pages/constraints.py")


def lesson(app: AppTest) -> ConstraintLesson:
    return kept(app, "constraint_lesson", ConstraintLesson)


def test_argmax_walks_into_the_corner_and_back_walks_out(app: AppTest) -> None:
    assert "of 4\u202f096 tokens" in captions(app)
    press(app, "constraint_step")
    press(app, "constraint_step")
    assert "In a corner at token 2" in captions(app)
    press(app, "constraint_back")
    assert "In a corner" not in captions(app)
    press(app, "constraint_reset")
    assert lesson(app).now.writing.steps == []


def test_play_runs_until_the_constraint_is_met(app: AppTest) -> None:
    press(app, "constraint_play")
    for _ in range(12):
        app.run()
        if not lesson(app).now.is_playing:
            break
    now = lesson(app).now
    assert now.writing.is_complete
    assert app.button(key="constraint_step").disabled
    assert any("It is complete" in text.value for text in app.markdown)


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_can_be_taken_and_stepped(app: AppTest, name: str) -> None:
    app.selectbox(key="constraint_example").set_value(name).run()
    assert not app.exception
    assert not app.error
    assert lesson(app).now.wish == EXAMPLES[name]
    press(app, "constraint_step")
    assert len(lesson(app).now.writing.steps) == 1


def test_another_kind_brings_an_example_of_its_own(app: AppTest) -> None:
    app.get_by_key("constraint_kind").set_value("schema").run()
    assert not app.exception
    assert lesson(app).now.wish.kind == "schema"
    assert app.selectbox(key="constraint_example").value == "A girl as JSON"


def test_what_nothing_can_satisfy_gets_a_sentence_and_the_text_stays(app: AppTest) -> None:
    app.get_by_key("constraint_kind").set_value("pattern").run()
    now = lesson(app).now
    app.text_area(key="constraint_constraint").set_value(r"[^\x00-\x{10ffff}]").run()
    assert not app.exception
    assert "No text can satisfy this constraint" in app.error[0].value
    assert lesson(app).now is now
    app.text_area(key="constraint_constraint").set_value(" [a-z]{3}").run()
    assert not app.error
    assert lesson(app).now is not now


@pytest.mark.parametrize("name", EXAMPLES)
def test_every_example_ends_with_a_whole_text(app: AppTest, name: str) -> None:
    app.selectbox(key="constraint_example").set_value(name).run()
    now = lesson(app).now
    while now.can_step:
        now.step(0.0)
    app.run()
    assert not app.exception
    assert now.writing.is_complete
    assert app.code[0].value == now.writing.written("").text.strip()
    assert not app.info


def test_a_text_that_ran_out_of_room_is_not_called_complete(app: AppTest) -> None:
    app.get_by_key("constraint_kind").set_value("pattern").run()
    app.text_area(key="constraint_constraint").set_value("[a-z]{90}").run()
    now = lesson(app).now
    while now.can_step:
        now.step(0.0)
    app.run()
    assert "the constraint is not met" in app.info[0].value
    assert "It is complete" not in " ".join(text.value for text in app.markdown)


def test_a_prompt_past_the_context_gets_a_sentence_and_the_text_stays(app: AppTest) -> None:
    press(app, "constraint_step")
    now = lesson(app).now
    app.text_input(key="constraint_prompt").set_value("🍓" * 1500).run()
    assert not app.exception
    assert "shorten" in app.error[0].value
    assert "The text before it stays below." in app.error[0].value
    assert lesson(app).now is now
    assert len(now.writing.steps) == 1


class Reader:
    """A reader whose first page has another model."""

    def __init__(self, lm: LanguageModel) -> None:
        self.lm = lm


def test_what_another_model_cannot_read_gives_way_to_the_example(app: AppTest) -> None:
    app.text_input(key="constraint_prompt").set_value("the " * 150).run()
    assert not app.error
    app.session_state["reader"] = Reader(tiny("llama"))
    app.run()
    assert not app.exception
    assert "The first example stands here instead." in app.error[0].value
    assert lesson(app).now.wish == EXAMPLES[FIRST]
    assert app.text_input(key="constraint_prompt").value == EXAMPLES[FIRST].prompt
    press(app, "constraint_step")


def test_a_model_of_another_kind_gets_one_sentence(app: AppTest) -> None:
    app.session_state["reader"] = Reader(load_model("unmasker", device="cpu"))
    app.run()
    assert not app.exception
    assert [error.value.count("causal") for error in app.error] == [1]


def test_ways_out_that_were_run_are_shown(app: AppTest) -> None:
    run = start_ways(lesson(app).now)
    run.n_texts = 2
    while run.is_running:
        run.slice(1)
    lesson(app).ways = run
    app.run()
    assert not app.exception
    assert "The beam finds “some bread”" in captions(app)
    table = next(frame.value for frame in app.dataframe if "most often" in frame.value)
    assert list(table["texts"]) == [1, 2, 2, 2, 2, 2, 1]


def test_a_way_that_is_not_whole_waits_until_it_is_or_the_run_is_stopped(app: AppTest) -> None:
    run = start_ways(lesson(app).now)
    run.n_texts = 3
    while run.n_done < 2:
        run.slice(0)
        run.slice(0.001)
    assert [way.name for way in run.ways()] == ["argmax"]
    run.is_running = False
    assert [way.n_texts for way in run.ways()] == [1, run.n_done - 1]
