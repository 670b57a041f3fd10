"""The lesson of the two phases as Streamlit runs it: runs and Stop, bad input, what follows."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from model.fast.engines import BY_HAND, PLAIN
from model.prefill_decode import ceilings, experiments
from model.prefill_decode.batching import BatchExperiment
from model.prefill_decode.cost import energy_passes
from model.prefill_decode.experiments import PhaseExperiment
from model.prefill_decode.recordings import recordings
from model.prefill_decode.roofline import RooflineExperiment
from model.weights import random_weights
from pages.lessons.prefill_decode import cost as phase_cost
from pages.lessons.prefill_decode import run as phase_run
from pages.lessons.prefill_decode.state import PhaseLesson
from tests.frame.driving import kept, open_lesson, press


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The lesson, opened without the first page, its runs short."""
    monkeypatch.setattr(experiments, "SHORT", 3)
    monkeypatch.setattr(experiments, "LONG", 20)
    monkeypatch.setattr(ceilings, "_COPIED", {"cpu": 1 << 20})
    monkeypatch.setattr(ceilings, "_MULTIPLIED", {"cpu": 64})
    monkeypatch.setattr(RooflineExperiment.__init__, "__defaults__", ((16,), (1, 2), 8, 2))
    monkeypatch.setattr(BatchExperiment.__init__, "__defaults__", ((1, 2), 8, 2))
    return open_lesson("pages/prefill_decode.py")


def lesson(app: AppTest) -> PhaseLesson:
    return kept(app, "phase_lesson", PhaseLesson)


def finish(app: AppTest, part: str) -> None:
    press(app, f"phase_{part}_start")
    for _ in range(60):
        if not lesson(app).is_running(part):
            return
        app.run()
        assert not app.exception
    pytest.fail(f"{part} did not end")


def words(app: AppTest) -> str:
    return " ".join(one.value for one in (*app.caption, *app.markdown, *app.info))


def test_both_phases_are_measured_and_then_priced(app: AppTest) -> None:
    assert "press Start there" in words(app)
    finish(app, "phases")
    result = lesson(app).phases
    assert result is not None
    assert {(r.n_in, r.n_out) for r in result.long_in} == {(20, 3)}
    assert "times as long as one that is read" in words(app)
    assert "As many tokens in all, but 20 in and 3 out took" in words(app)
    assert "An output token costs" in words(app)
    app.number_input(key="phase_price").set_value(0.0).run()
    assert "more than 0" in " ".join(error.value for error in app.error)
    app.number_input(key="phase_price").set_value(2.0).run()
    assert not app.error
    app.number_input(key="phase_listed_in").set_value(0.5).run()
    app.number_input(key="phase_listed_out").set_value(2.0).run()
    assert "asks **4.0** times as much" in words(app)
    app.slider(key="phase_budget").set_value(100).run()
    assert "A limit of 100 output tokens saves" in words(app)


def test_a_run_can_be_stopped_and_keeps_what_it_measured(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phase_run, "SLICE_SECONDS", 0.001)
    press(app, "phase_phases_start")
    app.run()
    assert lesson(app).is_running("phases")
    press(app, "phase_phases_stop")
    run = lesson(app).runs["phases"]
    assert run.was_stopped
    assert run.work.n_done > 0
    assert "Stopped: what was measured" in words(app)
    press(app, "phase_phases_start")
    assert lesson(app).runs["phases"] is not run


def test_a_stop_after_any_pass_leaves_a_page_that_can_be_drawn(app: AppTest) -> None:
    lm = lesson(app).lm
    experiment = PhaseExperiment(lm, PLAIN, swap=(3, 6), lengths=(4,))
    lesson(app).begin("phases", experiment)
    lesson(app).runs["phases"].stop()
    seen = []
    while len(seen) < 2 or not all(seen[-2:]):
        experiment.advance()
        app.run()
        assert not app.exception, experiment.doing
        seen.append("times as long as one that is read" in words(app))
    assert seen.count(True) == 2


def test_what_is_written_can_be_stopped_and_shows_what_it_has(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(phase_run, "SLICE_SECONDS", 0.001)
    press(app, "phase_stream_start")
    for _ in range(5):
        app.run()
    assert lesson(app).is_running("stream")
    press(app, "phase_stream_stop")
    playing = lesson(app).playing
    assert playing is not None
    assert 0 < playing.request.n_out < 60
    assert "times slower than it was measured" in words(app)
    press(app, "phase_padding_start")
    assert playing.is_over
    press(app, "phase_padding_stop")
    assert "Stopped before there was a result" in words(app)
    assert lesson(app).padding is None


def test_energy_is_metered_by_the_engine_that_was_timed(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Counting:
        def __init__(self) -> None:
            self.n_looks = 0

        def joules(self) -> float:
            self.n_looks += 1
            return float(self.n_looks)

    finish(app, "phases")
    assert "Energy is not measured here" in words(app)
    monkeypatch.setattr(phase_cost, "energy_meter", lambda _device: Counting())
    monkeypatch.setattr(energy_passes, "__defaults__", (0.01,))
    app.run()
    finish(app, "energy")
    result, energy = lesson(app).phases, lesson(app).energy
    assert result is not None
    assert energy is not None
    assert energy.engine == result.engine == BY_HAND
    assert f"Measured by NVML, by {BY_HAND}" in words(app)


def test_the_roofline_says_what_binds_and_batches_come_after_it(app: AppTest) -> None:
    finish(app, "roofline")
    experiment = lesson(app).roofline
    assert experiment is not None
    assert experiment.result is not None
    assert "Reading 16 tokens is" in words(app)
    assert "the ridge is at" in words(app)
    finish(app, "batches")
    assert "batch 2 gives" in words(app)
    batches = lesson(app).batches
    assert batches is not None
    assert [point.n_batch for point in batches.points] == [1, 2]


def test_padding_is_drawn_and_bad_prompts_keep_it(app: AppTest) -> None:
    finish(app, "padding")
    padding = lesson(app).padding
    assert padding is not None
    assert max(padding.ways[0].gaps) < 1e-4
    assert len(app.dataframe[-1].value) == len(padding.ways)
    app.text_area(key="phase_padding").set_value("only one")
    press(app, "phase_padding_start")
    assert lesson(app).padding is padding
    assert "two prompts or more" in " ".join(error.value for error in app.error)


def test_an_answer_is_streamed_and_a_prompt_beyond_the_context_is_not(app: AppTest) -> None:
    finish(app, "stream")
    playing = lesson(app).playing
    assert playing is not None
    assert len(playing.pieces) == playing.request.n_out
    assert "times slower than it was measured" in words(app)
    playing.started -= 1000
    app.run()
    assert "Streaming makes nothing faster" in words(app)
    app.text_input(key="phase_prompt").set_value("🙂" * 2000)
    press(app, "phase_stream_start")
    assert "shorten the prompt" in " ".join(error.value for error in app.error)
    assert lesson(app).playing is playing


def test_one_pass_scores_the_choices(app: AppTest) -> None:
    finish(app, "scoring")
    scoring = lesson(app).scoring
    assert scoring is not None
    assert scoring.result is not None
    assert len(scoring.result.choices) == 3
    assert "times the scoring pass" in words(app)
    app.text_area(key="phase_score_choices").set_value("one")
    press(app, "phase_scoring_start")
    assert "two different choices" in " ".join(error.value for error in app.error)
    assert lesson(app).scoring is scoring


def test_a_shape_says_what_it_takes_and_is_measured_in_the_model_s_place(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    app.selectbox(key="phase_shape").set_value("typed").run()
    for key, value in (("phase_layers", 2), ("phase_hidden", 64), ("phase_vocab", 300)):
        app.number_input(key=key).set_value(value).run()
    assert "million parameters take" in words(app)
    press(app, "phase_make")
    assert "random weights" in lesson(app).lm.name
    assert "the times are real, the words are not" in words(app)
    press(app, "phase_home")
    assert lesson(app).lm is lesson(app).home
    app.number_input(key="phase_heads").set_value(7).run()
    assert "multiple of 14" in words(app)
    monkeypatch.setattr(random_weights, "free_bytes", lambda _: 10**9)
    app.selectbox(key="phase_shape").set_value("Llama-3-8B").run()
    errors = " ".join(error.value for error in app.error)
    assert "does not fit here" in errors
    assert "Of those listed, GPT-2 would fit." in errors
    assert app.button(key="phase_make").disabled


def test_a_recording_is_shown_as_one(app: AppTest) -> None:
    title = recordings()[0].title
    app.selectbox(key="phase_recording").set_value(title).run()
    assert not app.exception
    figures = [caption.value for caption in app.caption if "the ridge is at" in caption.value]
    assert len(figures) == 1
    assert figures[0].startswith("Recorded 20")
    assert "Measured" not in figures[0]


def test_a_server_with_listed_models_makes_no_shapes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ONE_TOKEN_MODELS", "storyteller")
    app = open_lesson("pages/prefill_decode.py")
    assert "offers its listed models only" in words(app)
