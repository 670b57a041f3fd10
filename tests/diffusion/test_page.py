"""The diffusion lesson as Streamlit runs it, on tiny models: passes, bad wishes, Stop."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from model.loading import LoadError
from model.timing import one_at_a_time
from pages.frame import lesson_state
from pages.lessons.diffusion import gaps as diffusion_gaps
from pages.lessons.diffusion import lesson as diffusion_lesson
from pages.lessons.diffusion import race as diffusion_race
from pages.lessons.diffusion import sweep as diffusion_sweep
from pages.lessons.diffusion.state import DiffusionLesson
from tests.frame.driving import captions, errors, kept, open_lesson, press
from tests.tiny_fillers import tiny_gapfiller, tiny_unmasker
from tests.tiny_models import tiny

MODELS = {"unmasker": tiny_unmasker, "gapfiller": tiny_gapfiller}


def tiny_model(name: str, **_: object) -> object:
    """The tiny model that stands for a shipped one; a causal one for the judge."""
    if name == "missing":
        raise LoadError("missing is not on this machine: choose another.")
    return MODELS[name]() if name in MODELS else tiny("llama")


@pytest.fixture
def app(monkeypatch: pytest.MonkeyPatch) -> AppTest:
    """The lesson, opened without the first page, on tiny models with a context of 96 bytes."""
    for module in (lesson_state, diffusion_lesson, diffusion_gaps):
        monkeypatch.setattr(module, "shared_model", tiny_model)
    for module in (diffusion_sweep, diffusion_race):
        monkeypatch.setattr(module, "SLICE_SECONDS", 0.01)
    texts = {"beginning": "The cat", "ending": "the end", "gaps": "The ___ ran to the ___."}
    return open_lesson("pages/diffusion.py", positions="16", **texts)


def lesson(app: AppTest) -> DiffusionLesson:
    return kept(app, "diffusion_lesson", DiffusionLesson)


def test_step_runs_a_pass_and_back_takes_it_away(app: AppTest) -> None:
    assert "After 0 passes of 8: 0 of 16 positions filled" in captions(app)
    press(app, "diffusion_step")
    press(app, "diffusion_step")
    assert "After 2 passes of 8: 4 of 16 positions filled, 12 still masked" in captions(app)
    ids = list(lesson(app).run.page.ids)
    press(app, "diffusion_back")
    assert "After 1 pass of 8: 2 of 16" in captions(app)
    press(app, "diffusion_step")
    assert lesson(app).run.page.ids == ids
    assert app.get_by_key("diffusion_history") is not None


def test_play_runs_on_until_pause(app: AppTest) -> None:
    press(app, "diffusion_play")
    assert lesson(app).run.mode == "play"
    n_before = len(lesson(app).run.page.passes)
    app.run()
    assert len(lesson(app).run.page.passes) > n_before
    press(app, "diffusion_play")
    assert lesson(app).run.mode == "still"


def test_a_filled_page_is_looked_at_again(app: AppTest) -> None:
    press(app, "diffusion_fill")
    while lesson(app).run.mode != "still":
        app.run()
    assert lesson(app).run.page.finished
    assert app.button(key="diffusion_step").disabled
    press(app, "diffusion_look")
    while lesson(app).run.mode != "still":
        app.run()
    assert "On a second look" in captions(app)
    press(app, "diffusion_back")
    assert "On a second look" not in captions(app), "the page has changed"


def test_every_setting_lays_the_page_out_anew(app: AppTest) -> None:
    press(app, "diffusion_step")
    app.slider(key="diffusion_passes").set_value(4).run()
    assert "After 0 passes of 4" in captions(app)
    app.slider(key="diffusion_positions").set_value(20).run()
    assert lesson(app).run.page.length == 20
    app.slider(key="diffusion_temperature").set_value(0.7).run()
    assert lesson(app).run.page.temperature == 0.7
    app.number_input(key="diffusion_seed").set_value(5).run()
    assert lesson(app).run.page.seed == 5
    app.segmented_control(key="diffusion_order").set_value("random").run()
    assert lesson(app).run.page.order == "random"
    app.segmented_control(key="diffusion_blocks").set_value(8).run()
    assert [one.start for one in lesson(app).run.page.plan] == [0, 0, 8, 16]
    app.text_input(key="diffusion_ending").set_value("").run()
    assert lesson(app).run.page.text == "The cat"
    assert not app.exception
    assert not app.error


def test_the_seed_can_be_set_where_coins_fall(app: AppTest) -> None:
    assert not app.number_input(key="diffusion_seed").disabled
    app.slider(key="diffusion_temperature").set_value(0.0).run()
    assert app.number_input(key="diffusion_seed").disabled
    app.segmented_control(key="diffusion_order").set_value("random").run()
    assert not app.number_input(key="diffusion_seed").disabled


def test_an_empty_page_is_one_of_the_pages(app: AppTest) -> None:
    app.selectbox(key="diffusion_page").set_value("An empty page").run()
    assert not app.exception
    assert app.text_input(key="diffusion_beginning").value == ""
    page = lesson(app).run.page
    assert len(page.ids) == page.length == 16


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("diffusion_passes", 17, "choose from 1 to 16"),
        ("diffusion_positions", 90, "shorten"),
    ],
)
def test_a_wish_that_cannot_be_had_keeps_the_page(
    app: AppTest, key: str, value: int, said: str
) -> None:
    press(app, "diffusion_step")
    before = lesson(app).run
    app.slider(key=key).set_value(value).run()
    assert not app.exception
    assert said in errors(app)
    assert lesson(app).run is before
    assert len(before.page.passes) == 1


def test_a_text_past_the_context_keeps_the_page(app: AppTest) -> None:
    before = lesson(app).run
    app.text_input(key="diffusion_beginning").set_value("x" * 200).run()
    assert "shorten" in errors(app)
    assert lesson(app).run is before


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("llama", "choose a masked one"),
        ("gapfiller", "choose a masked one"),
        ("missing", "machine"),
    ],
)
def test_a_model_of_another_kind_is_refused_and_the_one_in_use_stays(
    app: AppTest, name: str, said: str
) -> None:
    before = lesson(app)
    app.text_input(key="diffusion_model").set_value(name).run()
    assert not app.exception
    assert said in errors(app)
    assert lesson(app) is before
    app.text_input(key="diffusion_model").set_value("unmasker").run()
    assert not app.error


def test_without_the_model_the_page_says_so_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for module in (lesson_state, diffusion_lesson):
        monkeypatch.setattr(module, "shared_model", tiny_model)
    monkeypatch.setattr(diffusion_lesson, "FILLER", "missing")
    app = open_lesson("pages/diffusion.py")
    assert errors(app) == "missing is not on this machine: choose another."


def test_a_sweep_runs_in_slices_stops_and_keeps_what_it_measured(app: AppTest) -> None:
    app.selectbox(key="diffusion_sweep_length").set_value(16).run()
    press(app, "diffusion_sweep_run")
    run = lesson(app).sweep
    assert run is not None
    while len(run.work.fills) < 3:
        app.run()
    press(app, "diffusion_sweep_stop")
    assert not run.is_running
    assert "Stopped after" in captions(app)
    assert app.get_by_key("diffusion_sweep_clashes") is not None
    assert len(app.dataframe[0].value) == len(run.work.fills) + 1
    n_measured = len(run.work.fills)
    app.run()
    assert len(run.work.fills) == n_measured


def test_two_measurements_never_run_at_once(app: AppTest) -> None:
    press(app, "diffusion_sweep_run")
    sweep = lesson(app).sweep
    assert sweep is not None
    assert sweep.is_running
    press(app, "diffusion_race_run")
    assert not sweep.is_running
    ways = lesson(app).ways
    assert ways is not None
    press(app, "diffusion_sweep_run")
    assert not ways.is_running


def test_three_ways_are_shown_beside_each_other(app: AppTest) -> None:
    press(app, "diffusion_race_run")
    run = lesson(app).ways
    assert run is not None
    while run.is_running:
        app.run()
    assert not app.exception
    shown = [one.value for one in app.markdown if one.value[:1].isdigit()]
    assert [one.partition(" passes, ")[0] for one in shown] == ["16", "16", "8"]


def test_a_timed_run_waits_while_another_reader_measures(app: AppTest) -> None:
    with one_at_a_time() as has_turn:
        assert has_turn
        press(app, "diffusion_sweep_run")
        sweep = lesson(app).sweep
        assert sweep is not None
        assert sweep.is_waiting
        assert sweep.work.loop is None
        press(app, "diffusion_race_run")
        ways = lesson(app).ways
        assert ways is not None
        assert ways.is_waiting
        app.run()
        assert "Waiting for another reader’s measurement: the loop" in captions(app)
    while ways.is_running:
        app.run()
    assert not ways.is_waiting
    assert len(ways.work.done) == 3


def test_the_bar_of_a_cell_is_explained(app: AppTest) -> None:
    assert "cell’s foot" not in captions(app)
    press(app, "diffusion_step")
    assert "The bar at a cell’s foot is how sure the model is" in captions(app)


def test_gaps_are_filled_step_by_step_and_a_text_without_one_is_refused(app: AppTest) -> None:
    press(app, "diffusion_gap_step")
    press(app, "diffusion_gap_step")
    run = lesson(app).gaps
    assert run is not None
    assert len(run.text.written_ids) == 2
    assert "the encoder ran once" in captions(app)
    press(app, "diffusion_gap_back")
    assert len(run.text.written_ids) == 1
    app.text_input(key="diffusion_gaps").set_value("no gap").run()
    assert "mark one or more by three underscores" in errors(app)
    assert lesson(app).gaps is run
    app.text_input(key="diffusion_gaps").set_value("a ___ b").run()
    assert not app.error
    assert lesson(app).gaps is not run


def test_the_judge_is_the_first_page_s_model(app: AppTest) -> None:
    class Reader:
        lm = tiny("gpt2")

    app.session_state["reader"] = Reader()
    before = lesson(app).run
    app.run()
    assert not app.exception
    assert lesson(app).judge is tiny("gpt2")
    assert lesson(app).run is before


def test_settings_and_the_page_survive_a_look_at_another_lesson(app: AppTest) -> None:
    app.slider(key="diffusion_passes").set_value(4).run()
    app.text_input(key="diffusion_ending").set_value("he end").run()
    press(app, "diffusion_step")
    ids = list(lesson(app).run.page.ids)
    app.session_state["reader"] = None
    app.switch_page("pages/kv_cache.py").run()
    app.switch_page("pages/diffusion.py").run()
    assert not app.exception
    assert app.slider(key="diffusion_passes").value == 4
    assert app.text_input(key="diffusion_ending").value == "he end"
    assert lesson(app).run.page.ids == ids
    press(app, "diffusion_step")
    assert "After 2 passes of 4" in captions(app)
