"""The sampling lesson as Streamlit runs it: sources, bad input, runs, the way back."""

from __future__ import annotations

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from model.generation import Generation
from model.job import Job, Work
from model.passes import PassError
from model.records import Step
from model.sampling import Settings
from model.sampling.experiments import write_votes, write_with_penalties
from pages.home.session import Session
from pages.lessons.sampling.state import Lab
from tests.frame.driving import errors, kept, open_home, press, words


@pytest.fixture
def app() -> AppTest:
    app = open_home()
    app.switch_page("pages/sampling.py").run()
    assert not app.exception
    return app


def lab(app: AppTest) -> Lab:
    return kept(app, "sampling_lab", Lab)


def choose(app: AppTest, source: str) -> AppTest:
    app.get_by_key("lab_source").set_value(source).run()
    assert not app.exception
    return app


def test_it_opens_on_the_text_of_the_first_page_and_leaves_it_alone(app: AppTest) -> None:
    reader = app.session_state["reader"]
    assert isinstance(reader, Session)
    assert (lab(app).given.logits == reader.generation.logits).all()
    assert lab(app).given.labels is None
    before = list(reader.generation.ids)
    choose(app, "heavy")
    app.switch_page("pages/generate.py").run()
    assert app.session_state["reader"].generation.ids == before


def test_what_is_typed_badly_gets_a_sentence_and_nothing_is_lost(app: AppTest) -> None:
    choose(app, "typed")
    known = lab(app).given
    app.get_by_key("lab_typed").set_value("mat: 0.5\nsofa: lots").run()
    assert not app.exception
    assert "Line 2 ends in “lots”" in app.error[0].value
    assert lab(app).given is known
    app.get_by_key("lab_typed").set_value("mat: 0.5\nsofa: 1").run()
    assert not app.error
    assert "sum to 1.5" in app.info[0].value


def test_a_prompt_that_cannot_be_read_gets_a_sentence(app: AppTest) -> None:
    choose(app, "prompt")
    app.get_by_key("lab_prompt").set_value("word " * 3_900).run()
    assert not app.exception
    assert "shorten" in app.error[0].value


def test_draws_name_statistic_degrees_and_p(app: AppTest) -> None:
    choose(app, "textbook")
    app.get_by_key("lab_draw_from").set_value("alone:top_k").run()
    words = next(text.value for text in app.markdown if "χ²" in text.value)
    assert "4 degrees of freedom" in words
    assert "p = " in words
    app.get_by_key("lab_draw_from").set_value("alone:greedy").run()
    assert any("nothing to test" in text.value for text in app.markdown)


def test_votes_that_are_counted_are_shown(app: AppTest) -> None:
    lab(app).jobs["vote"] = done(write_votes(lab(app).lm, "The cat", n_texts=2, n_tokens=2))
    app.run()
    assert not app.exception
    assert "1 distinct text of 2" in words(app)


def done(work: Work[Any]) -> Job[Any]:
    job = Job(work)
    while job.is_running:
        job.run_for(1)
    return job


@pytest.mark.parametrize("key", ["vote", "loop"])
def test_a_run_that_fails_on_the_way_says_so_and_keeps_what_it_wrote(
    app: AppTest, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    sentence = "The memory of cuda ran out: choose a smaller model."
    step, n_steps = Generation.step, 0

    def step_or_fail(text: Generation, settings: Settings) -> Step:
        nonlocal n_steps
        n_steps += 1
        if n_steps > 20:
            raise PassError(sentence)
        return step(text, settings)

    monkeypatch.setattr(Generation, "step", step_or_fail)
    press(app, f"{key}_run")
    job = lab(app).jobs[key]
    for _ in range(30):
        if not job.is_running:
            break
        app.run()
    assert not app.exception
    assert errors(app) == sentence
    assert 0 < job.fraction < 1
    assert job.found is not None


def test_a_loop_is_shown_with_the_rule_of_the_sign(app: AppTest) -> None:
    lab(app).jobs["loop"] = done(write_with_penalties(lab(app).lm, "The cat", n_tokens=2))
    app.run()
    assert not app.exception
    table = next(frame.value for frame in app.dataframe if "rule" in frame.value)
    assert (table["after"] <= table["logit"]).all()
    assert len(table) >= 1
