"""The lesson on the mask as Streamlit runs it, and in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from model.job import Job
from model.loading import LanguageModel
from model.tokenizing import text_of
from pages.lessons.causal_mask.lesson import EXAMPLES
from pages.lessons.causal_mask.state import MaskLesson, MeasuredText
from tests.driving.harness import by_key
from tests.driving.home_page import PATIENCE_MS
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import captions, errors, kept, open_home, open_lesson, press
from tests.home.home_text import write
from tests.tiny_models import tiny

RUN_FOR = Job.run_for
SLOW = 3 * PATIENCE_MS  # eight figures and a dozen passes at a visit


@pytest.fixture
def app() -> AppTest:
    """The lesson, opened without the first page."""
    return open_lesson("pages/causal_mask.py")


def lesson(app: AppTest) -> MaskLesson:
    return kept(app, "mask_lesson", MaskLesson)


def test_it_opens_measured_and_a_typed_word_stands_in_a_token_s_place(app: AppTest) -> None:
    assert not app.error
    assert "`␣boy` replaced by `␣girl` at position 10" in captions(app)
    assert "before it: exactly 0; " in captions(app)
    assert "most at `␣ball`" in captions(app)
    app.selectbox(key="mask_layer").set_value(2).run()
    app.selectbox(key="mask_head").set_value(0).run()
    assert "layer 3, the mean of all heads" in captions(app)
    app.text_input(key="mask_instead").set_value("dog").run()
    assert "`␣boy` replaced by `␣dog` at position 10" in captions(app)
    bad = {"boy": "write another", "xq zz kj ww vv qq jj kk pp yy": "write between 1 and 8"}
    for typed, words in bad.items():
        app.text_input(key="mask_instead").set_value(typed).run()
        assert not app.exception
        assert words in errors(app)
        assert "`␣boy` replaced by `␣girl`" in captions(app)


def test_a_text_is_taken_and_a_bad_one_leaves_it(app: AppTest) -> None:
    press(app, "mask_example_2")
    assert lesson(app).text.labels[-1] == "."
    kept = lesson(app).text
    for text, words in (("word " * 400, "shorten it"), ("", "write"), ("a", "too short")):
        app.text_area(key="mask_text").set_value(text).run()
        assert not app.exception
        assert words in errors(app)
        assert lesson(app).text is kept
    app.text_area(key="mask_text").set_value("The dog ran. " * 16).run()
    assert not app.error
    assert "".join(lesson(app).text.labels[1:4]) == "The␣dog␣ran"
    assert "first 48 tokens" in captions(app)


def test_the_loop_and_the_training_run_and_can_be_stopped(
    app: AppTest, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Job, "run_for", lambda *_: None)
    press(app, "mask_loop_run")
    press(app, "mask_loop_run")
    assert "Stopped after 0 of 32" in captions(app)
    monkeypatch.setattr(Job, "run_for", lambda job, _: RUN_FOR(job, 60.0))
    press(app, "mask_loop_run")
    assert lesson(app).jobs["mask_loop"].is_done
    assert "32 tokens on either side" in captions(app)
    monkeypatch.setattr(Job, "run_for", lambda job, _: RUN_FOR(job, 0.001))
    press(app, "mask_training_run")
    job = lesson(app).jobs["mask_training"]
    while job.found is None:
        app.run()
    press(app, "mask_training_run")
    assert not job.is_running
    assert f"after {job.found[-1].n_steps} step" in captions(app)
    press(app, "mask_example_1")
    assert not lesson(app).jobs


def test_the_first_page_s_text_can_be_read_and_stays_as_it_is() -> None:
    app = open_home()
    home = write(app.session_state["reader"], "Once upon a time", 3)
    app.switch_page("pages/causal_mask.py").run()
    press(app, "mask_home")
    assert lesson(app).text.ids == home
    assert app.session_state["reader"].generation.ids == home


def test_any_model_is_shown_and_what_it_cannot_do_is_said(app: AppTest) -> None:
    for architecture in ("gpt2", "bloom", "mamba"):
        lm = tiny(architecture)
        app.session_state["mask_lesson"] = MaskLesson(lm, MeasuredText(lm, list(range(5, 25))))
        app.run()
        assert not app.exception
        said = " ".join(info.value for info in app.info)
        assert ("built into its layers" in said) == (architecture != "gpt2")
        assert ("no attention weights" in said) == (architecture == "mamba")
        assert "Largest change of any logit before it" in captions(app)


def test_every_example_fits(storyteller: LanguageModel) -> None:
    state = MaskLesson(storyteller, MeasuredText(storyteller, [0]))
    for text in EXAMPLES.values():
        state.read(text)
        assert state.problem is None
        assert text_of(storyteller.tokenizer, state.text.ids) == text


@pytest.mark.browser
def test_a_head_is_pressed_the_mask_taken_off_and_a_token_changed(
    turn_to: Callable[[str], Page],
) -> None:
    page = turn_to("causal_mask")
    main = page.locator("[data-testid=stMain]")
    expect(main).to_contain_text("in all layers and heads: 0", timeout=SLOW)
    expect(by_key(page, "mask_loss_numbers")).to_be_visible(timeout=SLOW)

    heads = by_key(page, "mask_heads").locator(".js-plotly-plot")
    expect(heads.locator(".scatterlayer .point").first).to_be_attached(timeout=SLOW)
    heads.locator(".scatterlayer .point").nth(9).scroll_into_view_if_needed()
    spot = heads.locator(".scatterlayer .point").nth(9).bounding_box()
    assert spot is not None
    page.mouse.move(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
    page.mouse.click(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
    expect(main).to_contain_text("layer 2, head 2", timeout=SLOW)

    by_key(page, "mask_mask").get_by_text("off", exact=True).click()
    expect(main).to_contain_text("goes to later positions", timeout=SLOW)

    by_key(page, "mask_late").get_by_role("button").click()
    expect(main).not_to_contain_text("at position 10", timeout=SLOW)
    expect(main).to_contain_text("before it: exactly 0", timeout=SLOW)
    assert_accessible_to_all(page)
