"""The lesson as Streamlit runs it: jobs and Stop, bad input, what follows from the times."""

import re
from functools import partial
from itertools import count
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from model.fast.engines import MANUAL
from model.job import Job
from model.machine.turns import TURNS
from model.prefill_decode import experiments
from model.prefill_decode.batching import measure_batches
from model.prefill_decode.cost import measure_energy
from model.prefill_decode.roofline import measure_roofline
from model.weights import shapes
from pages.lessons.prefill_decode import cost as phase_cost
from pages.lessons.prefill_decode.settings import RECORDINGS
from pages.lessons.prefill_decode.state import PhaseLesson
from tests.frame.driving import errors, kept, open_lesson, press, words
from tests.jobs import run_until


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The laboratory, opened without the first page, its jobs short."""
    monkeypatch.setattr(experiments, "SHORT", 3)
    monkeypatch.setattr(experiments, "LONG", 20)
    monkeypatch.setattr(measure_roofline, "__defaults__", ((16,), (1, 2), 8, 2))
    monkeypatch.setattr(measure_batches, "__defaults__", ((1, 2), 8, 2))
    monkeypatch.setattr(measure_energy, "__defaults__", (0.01,))
    return open_lesson("pages/roofline.py")


def at_the_phases(app: AppTest) -> AppTest:
    """The page of the course, after its question was answered."""
    app.switch_page("pages/prefill_decode.py").run()
    app.session_state["phase_said"] = "twice"
    return app.run()


def lesson(app: AppTest) -> PhaseLesson:
    return kept(app, "phase_lesson", PhaseLesson)


def measured(app: AppTest, part: str) -> Any:
    """Press a part's button, wait for its job, and return what it found."""
    press(app, f"phase_{part}_run")
    job = lesson(app).jobs[f"phase_{part}"]
    run_until(job, job.progress.n_total + 1)
    app.run()
    assert not app.exception
    assert job.is_done
    return job.found


def begun(app: AppTest, part: str, n_done: int) -> Job[Any]:
    """Press a part's button and let its job do so many passes."""
    with TURNS.slice_of(app, 1.0, is_timed=False):  # what the page would run itself has to wait
        press(app, f"phase_{part}_run")
    job = lesson(app).jobs[f"phase_{part}"]
    run_until(job, n_done)
    return job


def test_c22_c29_both_phases_are_measured_and_then_priced_in_money_and_energy(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = words(app)
    assert "Recorded 20" in said
    assert "An output token costs" in said, "by the recorded times"
    assert "Measured on" not in said
    run = measured(at_the_phases(app), "phases")
    assert {(r.n_in, r.n_out) for r in run.long_in} == {(20, 3)}
    assert "times as long as one that is read" in words(app)
    assert "As many tokens in all, but 20 in and 3 out took" in words(app)
    app.switch_page("pages/roofline.py").run()
    assert "An output token costs" in words(app)
    assert "Recorded 20" not in "".join(c.value for c in app.caption if "output token" in c.value)
    app.number_input(key="phase_price").set_value(0.0).run()
    assert "more than 0" in errors(app)
    app.number_input(key="phase_price").set_value(2.0).run()
    assert not app.error
    app.number_input(key="phase_listed_in").set_value(0.5)
    app.number_input(key="phase_listed_out").set_value(2.0).run()
    assert "**4.0** times" in words(app)
    app.slider(key="phase_budget").set_value(100).run()
    assert "100 output tokens saves" in words(app)
    assert "Energy is not measured here" in words(app)
    monkeypatch.setattr(phase_cost, "energy_meter", lambda _device: partial(next, count(1.0)))
    app.run()
    assert measured(app, "energy").engine == run.engine == MANUAL
    assert f"Measured by NVML, by {MANUAL}" in words(app)


def test_one_thing_is_measured_at_a_time_and_an_answer_that_is_stopped_is_shown(
    app: AppTest,
) -> None:
    streaming = begun(at_the_phases(app), "stream", 5)
    assert begun(app, "phases", 1).is_running
    assert not streaming.is_running
    assert not streaming.is_done
    app.run()
    answer = streaming.found
    assert 0 < answer.n_out < 60
    assert "Streaming makes nothing faster" in words(app)
    assert lesson(app).is_measuring
    app.switch_page("pages/roofline.py").run()  # which draws none of what runs there
    assert not lesson(app).is_measuring
    begun(app, "padding", 1)
    press(app, "phase_padding_run")
    assert lesson(app).jobs["phase_padding"].found is None
    at_the_phases(app)
    app.text_input(key="phase_prompt").set_value("🙂" * 2000)
    press(app, "phase_stream_run")
    assert "shorten the prompt" in errors(app)
    assert lesson(app).found("phase_stream") is answer


def test_c27_c28_the_roofline_says_what_binds_and_batches_are_priced(app: AppTest) -> None:
    measured(app, "roofline")
    assert "Prefill of 16" not in words(app), "asked first"
    app.button_group(key="roof_said").set_value("nearly all").run()
    assert "Prefill of 16" in words(app)
    assert "all in one run" in words(app)
    batches = measured(app, "batches")
    assert [point.n_batch for point in batches.points] == [1, 2]
    assert "batch 2 gives" in words(app)
    app.selectbox(key="phase_recording").set_value(next(iter(RECORDINGS))).run()
    assert not app.exception
    ridges = [caption.value for caption in app.caption if "all in one run" in caption.value]
    assert [ridge.partition(" ")[0] for ridge in ridges] == ["Measured", "Recorded"]


def test_bad_input_is_refused_and_what_was_measured_stays(app: AppTest) -> None:
    for part, widget, refusal in (
        ("padding", "phase_padding_prompts", "two prompts or more"),
        ("scoring", "phase_score_choices", "two different choices"),
    ):
        found = measured(app, part)
        app.text_area(key=widget).set_value("only one")
        press(app, f"phase_{part}_run")
        assert refusal in errors(app)
        assert lesson(app).found(f"phase_{part}") is found


def test_a_shape_says_what_it_takes_and_is_measured_in_the_model_s_place(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    measured(app, "padding")
    app.selectbox(key="phase_shape").set_value("typed").run()
    for key, value in (("phase_layers", 2), ("phase_hidden", 64), ("phase_vocab", 300)):
        app.number_input(key=key).set_value(value)
    app.run()
    assert "million parameters take" in words(app)
    press(app, "phase_make")
    assert "random weights" in lesson(app).lm.name
    assert not lesson(app).jobs, "what was measured was another model's"
    assert "the times are real, the words are not" in words(app)
    press(app, "phase_home")
    assert lesson(app).lm is lesson(app).home
    app.number_input(key="phase_heads").set_value(7).run()
    assert "multiple of 14" in app.error[0].value
    monkeypatch.setattr(shapes, "free_bytes", lambda _: 10**9)
    app.selectbox(key="phase_shape").set_value("Llama-3-8B").run()
    assert "does not fit here" in errors(app)
    assert "Of those listed, GPT-2 would fit." in errors(app)
    assert app.button(key="phase_make").disabled


def test_a_server_with_listed_models_makes_no_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE_TOKEN_MODELS", "storyteller")
    app = open_lesson("pages/roofline.py")
    assert "offers its listed models only" in app.info[0].value


def test_the_clocks_wait_for_a_prediction_and_a_guided_lesson_asks_by_itself() -> None:
    app = open_lesson("pages/prefill_decode.py")
    times = re.compile(r"\*\*\d[\d.]* times as long\*\*")
    assert not times.search(words(app))
    app.session_state["phase_said"] = "as long"
    app.run()
    assert "Not quite: **" in words(app)
    assert times.search(words(app))
    scene = {"lesson": "inference-speed", "scene": "1"}
    for said, is_said in (({}, False), ({"said": "1.2"}, True)):
        guided = open_lesson("pages/prefill_decode.py", **scene, **said)
        assert bool(times.search(words(guided))) == is_said, "it waits for what the scene asks"
        assert "phase_said" not in guided.session_state, "nothing is asked twice"
