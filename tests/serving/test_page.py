"""The serving lesson as Streamlit runs it: it opens on recordings; bad input gets one sentence."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest

from model.serving.records import Comparison
from pages.frame.lesson_state import LessonState
from tests.frame.driving import (
    PATIENCE_SECONDS,
    captions,
    errors,
    kept,
    open_lesson,
    press,
    show_model,
)
from tests.tiny_models import tiny

KEYS = ("serving_batches", "serving_chunks", "serving_memory")
BAD = {
    "": "write a prompt",
    "Hi | many": "a number from 1 to 64, not “many”",
    "Hi | 65": "a number from 1 to 64",
    "Hi\n" * 9: "room for 8 requests, not for 9",
    "? " * 1400: "shorten them",
}


def lesson(app: AppTest) -> LessonState:
    return kept(app, "serving_lesson", LessonState)


def run_through(app: AppTest) -> None:
    """Let every run come to its end."""
    while running := [job for job in lesson(app).jobs.values() if job.is_running]:
        for job in running:
            job.run_for(PATIENCE_SECONDS)
        app.run()
        assert not app.exception


def found(app: AppTest, key: str) -> Comparison:
    result = lesson(app).jobs[key].result
    assert isinstance(result, Comparison)
    return result


def test_every_lane_has_its_own_tokens() -> None:
    app = open_lesson("pages/serving.py")
    for key in KEYS:
        press(app, f"{key}_run")
        run_through(app)
    assert "Recorded 20" not in captions(app)
    assert captions(app).count("12 of 12 lanes have exactly the tokens") == 2
    assert captions(app).count("14 of 14 lanes have exactly the tokens") == 1
    assert found(app, "serving_memory").runs[1].n_preempted > 0
    assert "A prefix in common saves 2 blocks" in captions(app)
    tables = [table.value for table in app.dataframe]
    assert [list(table["policy"])[-1] for table in tables] == ["one at a time"] * 3


def test_the_reader_s_own_requests_are_served_by_the_reader_s_own_settings() -> None:
    app = open_lesson("pages/serving.py", slots="2", arrivals="together", axis="passes")
    app.text_area(key="serving_prompts").set_value("Hi | 3\n\na | b | 2\nNo number").run()
    press(app, "serving_batches_run")
    run_through(app)
    requests = found(app, "serving_batches").runs[0].requests
    assert [request.n_out for request in requests] == [3, 2, 16]
    assert {request.arrives for request in requests} == {0.0}
    static, continuous = found(app, "serving_batches").runs
    assert len(continuous.passes) < len(static.passes)
    assert found(app, "serving_batches").runs[0].policy.n_slots == 2


def test_bad_requests_get_one_sentence_and_the_last_run_stays() -> None:
    app = open_lesson("pages/serving.py")
    press(app, "serving_batches_run")
    run_through(app)
    jobs = lesson(app).jobs
    before = jobs["serving_batches"]
    for typed, words in BAD.items():
        app.text_area(key="serving_prompts").set_value(typed).run()
        press(app, "serving_batches_run")
        assert words in errors(app)
        assert jobs["serving_batches"] is before
    app.text_area(key="serving_prompts").set_value("Hi | **b**").run()
    press(app, "serving_batches_run")
    assert r"“\*\*b\*\*”" in app.error[0].value, "as it was typed, not as Markdown"
    app.text_area(key="serving_long_prompt").set_value(" ").run()
    press(app, "serving_chunks_run")
    assert "The long prompt is empty" in errors(app)
    assert "serving_chunks" not in jobs


def test_a_model_that_cannot_share_a_pass_is_refused_and_the_page_opens() -> None:
    app = open_lesson("pages/serving.py")
    show_model(app, tiny("mamba"))
    press(app, "serving_batches_run")
    assert not lesson(app).jobs
    assert "cannot be cropped" in errors(app)
