"""The diffusion lesson as Streamlit runs it, on tiny models, and in a real browser."""

from collections.abc import Callable

import numpy as np
import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from model.diffusion.denoising import Diffusion
from model.loading import LoadError
from pages.frame import lesson_state
from pages.lessons.diffusion import lesson as diffusion_lesson
from pages.lessons.diffusion import state
from pages.lessons.diffusion.experiments import FewPassesOrMany
from pages.lessons.diffusion.fill import ANSWERS
from pages.lessons.diffusion.state import DiffusionLesson
from tests.driving.harness import by_key
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import errors, kept, open_lesson, press, show_model, words
from tests.tiny_fillers import tiny_gapfiller, tiny_unmasker
from tests.tiny_models import tiny

MODELS = {"unmasker": tiny_unmasker, "gapfiller": tiny_gapfiller}


def tiny_model(name: str, **_: object) -> object:
    """The tiny model that stands for a shipped one; a causal one for the judge."""
    if name == "missing":
        raise LoadError("missing is not on this machine: choose another.")
    return MODELS[name]() if name in MODELS else tiny("llama")


@pytest.fixture(autouse=True)
def _tiny(monkeypatch: pytest.MonkeyPatch) -> None:
    """All models are tiny, with a context of 96 bytes."""
    for module in (lesson_state, diffusion_lesson):
        monkeypatch.setattr(module, "shared_model", tiny_model)


@pytest.fixture
def app() -> AppTest:
    """The lesson by an old link, from the time when gaps were filled here too."""
    texts = {"beginning": "The cat", "ending": "the end", "gaps": "a ___ b"}
    return answer(open_lesson("pages/diffusion.py", positions="16", **texts))


def answer(app: AppTest) -> AppTest:
    """Say what one expects: the passes come with it."""
    return app.get_by_key("diffusion_said").set_value(ANSWERS[0]).run()


def lesson(app: AppTest) -> DiffusionLesson:
    return kept(app, "diffusion_lesson", DiffusionLesson)


def page(app: AppTest) -> Diffusion:
    return lesson(app).page


def heard(app: AppTest) -> str:
    """Returns the sheets as they are drawn, with what is heard of them."""
    return " ".join(one.proto.body for one in app.get("html") if "sheet" in one.proto.body)


def test_step_runs_a_pass_and_back_takes_it_away(app: AppTest) -> None:
    assert "0 of 16 positions" in heard(app)
    (link,) = [one for one in app.get("page_link") if "gaps" in one.proto.query_string]
    assert link.proto.page.endswith("encoder_decoder")
    press(app, "diffusion_step")
    press(app, "diffusion_step")
    assert "After 2 passes of 8: 4 of 16 positions filled, 12 still masked" in heard(app)
    assert app.get_by_key("diffusion_history") is not None
    press(app, "diffusion_back")
    assert page(app).n_done == 1
    press(app, "diffusion_reset")
    assert (page(app).n_done, int(page(app).is_open.sum())) == (0, 16)


def test_what_it_costs_is_asked_before_a_pass_runs_where_a_pass_fills_several() -> None:
    texts = {"beginning": "The cat", "ending": "the end", "positions": "16"}
    app = open_lesson("pages/diffusion.py", **texts)
    assert page(app).n_done == 0
    assert app.button(key="diffusion_step").disabled
    assert "Not quite" not in words(answer(app)), "the page answers first"
    while not page(app).finished:
        press(app, "diffusion_step")
    assert f"Not quite: **{ANSWERS[1]}**" in words(app.run())
    app.slider(key="diffusion_passes").set_value(16).run()
    assert not app.button(key="diffusion_step").disabled
    one_by_one = open_lesson("pages/diffusion.py", **texts, passes="16")
    assert not one_by_one.button(key="diffusion_step").disabled, "nothing is asked"


def test_a_full_page_marks_what_does_not_fit_unless_that_takes_long(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    press(app, "diffusion_step")
    assert lesson(app).sheet().n_clashes is None
    while not page(app).finished:
        press(app, "diffusion_step")
    checked = lesson(app).sheet().leave_one_out
    assert checked is not None
    assert np.isfinite(checked).sum() == 16
    (key,) = [one.proto.body for one in app.get("html") if "sheet-key" in one.proto.body[-200:]]
    assert f"{lesson(app).sheet().n_clashes} of 16 clash" in key
    monkeypatch.setattr(state, "MAX_WORK", 1)
    assert lesson(app).sheet().n_clashes is None


def test_both_sides_are_filled_to_their_end_and_go_back(app: AppTest) -> None:
    stepper = lesson(app).stepper
    stepper.play()
    while stepper.is_playing:
        stepper.step()
        app.run()  # which finds out how long the other text is
    steps = stepper.steps
    assert page(app).finished
    n_loop = steps.n_loop
    assert n_loop >= steps.n_beside > page(app).n_done, "Play ends where both sides are full"
    assert app.button(key="diffusion_step").disabled
    assert app.button(key="diffusion_play").disabled
    press(app, "diffusion_back")
    assert steps.n_loop == n_loop - 1
    press(app, "diffusion_step")
    assert app.button(key="diffusion_step").disabled


def test_every_setting_lays_the_page_out_anew(app: AppTest) -> None:
    press(app, "diffusion_step")
    app.slider(key="diffusion_passes").set_value(4)
    app.slider(key="diffusion_temperature").set_value(0.0).run()
    assert (page(app).n_done, page(app).temperature) == (0, 0)
    assert app.number_input(key="diffusion_seed").disabled, "no pointer falls"
    app.segmented_control(key="diffusion_order").set_value("random").run()
    app.number_input(key="diffusion_seed").set_value(5)
    app.segmented_control(key="diffusion_blocks").set_value(8).run()
    now = page(app)
    assert (now.order, now.seed, [one.start for one in now.plan]) == ("random", 5, [0, 0, 8, 8])
    app.selectbox(key="diffusion_page").set_value("Nothing").run()
    assert app.text_input(key="diffusion_beginning").value == ""
    assert len(page(app).ids) == page(app).length == 16
    assert not app.error


def test_settings_that_cannot_be_had_keep_the_page(app: AppTest) -> None:
    before = page(app)
    for key, value, said in (("passes", 17, "from 1 to 16"), ("positions", 90, "shorten")):
        app.slider(key=f"diffusion_{key}").set_value(value).run()
        assert said in errors(app)
        assert page(app) is before
    app.slider(key="diffusion_positions").set_value(20).run()
    assert not app.error


def test_a_model_of_another_kind_is_refused_and_the_one_in_use_stays(app: AppTest) -> None:
    before = lesson(app)
    for name, said in (
        ("llama", "masked one"),
        ("gapfiller", "masked one"),
        ("missing", "machine"),
    ):
        app.text_input(key="diffusion_model").set_value(name).run()
        assert not app.exception
        assert said in errors(app)
        assert lesson(app) is before
    app.text_input(key="diffusion_model").set_value("unmasker").run()
    assert not app.error


def test_without_the_model_the_page_says_so_in_one_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(diffusion_lesson, "FILLER", "missing")
    app = open_lesson("pages/diffusion.py")
    assert "missing is not on this machine" in errors(app)


def test_a_sweep_stops_and_keeps_what_it_measured(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(FewPassesOrMany, "seconds", 0.05)  # far less than it takes
    app.selectbox(key="diffusion_sweep_length").set_value(16).run()
    press(app, "diffusion_sweep_run")
    job = lesson(app).jobs["diffusion_sweep"]
    while job.found is None:
        app.run()
    press(app, "diffusion_sweep_run")
    assert not job.is_running
    assert app.get_by_key("diffusion_sweep_clashes") is not None
    assert len(app.dataframe[0].value) == len(job.found.fills) + 1


def test_three_ways_are_shown_beside_each_other(app: AppTest) -> None:
    press(app, "diffusion_race_run")
    while lesson(app).jobs["diffusion_race"].is_running:
        app.run()
    assert not app.exception
    shown = [one.value for one in app.markdown if one.value[:1].isdigit()]
    assert [one.partition(" passes, ")[0] for one in shown] == ["16", "16", "8"]


def test_the_page_survives_a_look_at_another_lesson_and_another_judge(app: AppTest) -> None:
    app.slider(key="diffusion_passes").set_value(4).run()
    app.text_input(key="diffusion_ending").set_value("he end").run()
    press(app, "diffusion_step")
    ids = list(page(app).ids)
    app.switch_page("pages/kv_cache.py").run()
    show_model(app.switch_page("pages/diffusion.py"), tiny("gpt2"))
    assert lesson(app).judge is tiny("gpt2")
    assert app.slider(key="diffusion_passes").value == 4
    assert app.text_input(key="diffusion_ending").value == "he end"
    assert page(app).ids == ids


@pytest.mark.nightly  # by day the AppTests above, and beam search takes a step in a browser
@pytest.mark.browser
def test_a_page_settles_pass_by_pass(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("diffusion")
    by_key(page, "diffusion_said").get_by_role("radio").first.click()
    sheet = by_key(page, "diffusion_page_sheet").locator(".sheet")
    loop = by_key(page, "diffusion_loop").locator(".sheet")
    n_open = 24
    expect(sheet.locator("span.open")).to_have_count(n_open)
    by_key(page, "diffusion_step").get_by_role("button").click()
    by_key(page, "diffusion_every_pass").locator("summary").first.click()
    expect(by_key(page, "diffusion_history").locator(".js-plotly-plot")).to_be_visible()
    expect(sheet.locator("span.new").first).to_be_visible()
    assert sheet.locator("span.open").count() < n_open
    expect(loop.locator("span.set")).to_have_count(1)  # one token a pass
    by_key(page, "diffusion_play").get_by_role("button").click()
    expect(sheet.locator("span.open")).to_have_count(0)
    expect(loop.locator("span.set").nth(7)).to_be_visible()  # and it may end there
    expect(by_key(page, "diffusion_page_sheet").locator(".sheet-key .clash")).to_be_visible()
    assert_accessible_to_all(page)
