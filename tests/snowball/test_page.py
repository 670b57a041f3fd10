"""The snowball lesson as Streamlit runs it: a fork, every run and its Stop, bad input."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from model.held_out import held_out
from pages.lessons.snowball import constraint as snow_constraint
from pages.lessons.snowball import context as snow_context
from pages.lessons.snowball import exposure as snow_exposure
from pages.lessons.snowball import fork as snow_fork
from pages.lessons.snowball import forks as snow_forks
from pages.lessons.snowball import job_panel as snow_frame
from pages.lessons.snowball import lesson as snow_lesson
from pages.lessons.snowball import long as snow_long
from pages.lessons.snowball.state import SnowLesson
from tests.frame.driving import errors, kept, open_home, open_lesson, press, words


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same page with less of everything, in slices long enough to end in one."""
    for module, name, value in (
        (snow_frame, "SLICE", 60.0),
        (snow_lesson, "N_TOKENS", 10),
        (snow_fork, "N_TOKENS", 10),
        (snow_forks, "N_TOKENS", 6),
        (snow_forks, "N_FORKS", 5),
        (snow_constraint, "N_TOKENS", 40),
        (snow_constraint, "N_TEXTS", 2),
        (snow_exposure, "N_POSITIONS", 6),
        (snow_exposure, "held_out", lambda name: held_out(name)[:3]),
        (snow_long, "LENGTHS", (48,)),
        (snow_context, "N_TARGETS", 4),
        (snow_context, "TEXTS", {"stories": ("short stories", 8)}),
    ):
        monkeypatch.setattr(module, name, value)


@pytest.fixture
def app() -> AppTest:
    """The lesson, opened without the first page."""
    return open_lesson("pages/snowball.py")


def lesson(app: AppTest) -> SnowLesson:
    return kept(app, "snow_lesson", SnowLesson)


def test_the_page_writes_a_text_and_forces_a_token_in_it(app: AppTest) -> None:
    part = lesson(app).text
    assert part.text.text.startswith("The cat sat on the")
    assert part.n_written == 10
    press(app, "snow_go")
    fork = lesson(app).text.fork
    assert fork is not None
    assert fork.is_done
    assert [s.right.token_id for s in fork.steps if s.right] == part.text.ids[-len(fork.steps) :]
    assert "meet again" in words(app)
    assert "nats a token on average after the fork" in words(app)


def test_the_first_page_s_prompt_is_forked_here_and_left_as_it_is_there() -> None:
    app = open_home()
    home = app.session_state["reader"].generation
    n_home = len(home.ids)
    app.switch_page("pages/snowball.py").run()
    press(app, "snow_go")
    assert lesson(app).text.text.prompt_ids == home.prompt_ids
    assert len(home.ids) == n_home


def test_another_place_takes_the_fork_away_until_the_next_press(app: AppTest) -> None:
    press(app, "snow_go")
    app.number_input(key="snow_place").set_value(2).run()
    assert lesson(app).text.fork is None
    press(app, "snow_go")
    fork = lesson(app).text.fork
    assert fork is not None
    assert len(fork.steps) == 9


def test_a_word_of_ones_own_is_forced_and_one_of_many_tokens_is_refused(app: AppTest) -> None:
    app.selectbox(key="snow_force").set_value(snow_fork.OWN).run()
    app.text_input(key="snow_word").set_value("hippopotamus").run()
    press(app, "snow_go")
    assert "not one: choose another word" in errors(app)
    assert lesson(app).text.fork is None
    app.text_input(key="snow_word").set_value("tree").run()
    press(app, "snow_go")
    fork = lesson(app).text.fork
    assert fork is not None
    assert fork.steps[0].wrong is not None
    assert fork.steps[0].wrong.label == "␣tree"
    assert not errors(app)


def test_another_text_starts_and_one_that_is_too_long_does_not(app: AppTest) -> None:
    app.text_input(key="snow_prompt").set_value("Once upon a time")
    press(app, "snow_write")
    assert lesson(app).text.text.text.startswith("Once upon a time")
    assert lesson(app).text.n_written == 10
    app.text_input(key="snow_prompt").set_value("word " * 300)
    press(app, "snow_write")
    assert "shorten it" in errors(app)
    assert lesson(app).text.text.text.startswith("Once upon a time")


def test_a_hundred_forks_are_summarised(app: AppTest) -> None:
    press(app, "snow_forks_run")
    run = lesson(app).forks
    assert run is not None
    forks = run.work.forks()
    assert forks is not None
    assert forks.n_texts == 5
    assert "compound" in words(app) or "Errors follow" in words(app)
    assert "Derived: (1 − e)ⁿ" in words(app)


def test_a_run_can_be_stopped_and_keeps_what_it_has(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(snow_frame, "SLICE", 0.0)
    app.button(key="snow_constraint_run").click().run()
    monkeypatch.setattr(snow_frame, "SLICE", 0.01)
    app.run()
    press(app, "snow_constraint_stop")
    run = lesson(app).constraint
    assert run is not None
    assert not run.is_running
    assert 0 < run.work.n_written < 40
    assert "Stopped at" in words(app)


def test_going_back_needs_a_bad_token_and_then_counts_what_it_costs(app: AppTest) -> None:
    press(app, "snow_rewind_run")
    assert "force one at the top" in errors(app)
    press(app, "snow_go")
    press(app, "snow_rewind_run")
    table = app.dataframe[-1].value
    assert list(table["thrown away"]) == [0, 1, 4, 7]
    assert list(table["as if never bad"]) == ["no", "yes", "yes", "yes"]


def test_a_constraint_is_written_three_ways_and_an_empty_one_refused(app: AppTest) -> None:
    press(app, "snow_constraint_run")
    assert "it left 64 of the 64 tokens before it as they were" in words(app)
    run = lesson(app).constraint
    app.text_input(key="snow_constraint").set_value(" ").run()
    press(app, "snow_constraint_run")
    assert "Write a constraint" in errors(app)
    assert lesson(app).constraint is run


def test_true_tokens_and_its_own_are_compared(app: AppTest) -> None:
    press(app, "snow_exposure_run")
    assert "95 %, 3 stories" in words(app)
    assert "From the first third of the positions to the last" in words(app)


def test_long_texts_and_contexts_are_measured(app: AppTest) -> None:
    press(app, "snow_long_run")
    assert "Measured, at the end: greedy" in words(app)
    press(app, "snow_context_run")
    assert "the same 4 tokens of held-out text" in words(app)
    run = lesson(app).context
    assert run is not None
    assert {"storyteller", "storyteller_early"} <= set(run.work.loss().losses)
