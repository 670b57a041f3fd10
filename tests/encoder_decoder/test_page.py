"""The encoder-decoder's page as Streamlit runs it, on a tiny model, and in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pages.lessons.encoder_decoder import lesson as gap_lesson
from pages.lessons.encoder_decoder.lesson import GapLesson
from tests.driving.harness import by_key
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import captions, errors, kept, open_lesson, press, words
from tests.tiny_fillers import tiny_gapfiller


def test_gaps_are_filled_step_by_step_and_a_text_without_one_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gap_lesson, "shared_model", lambda *_, **__: tiny_gapfiller())
    app = open_lesson("pages/encoder_decoder.py", gaps="The ___ ran to the ___.")
    lesson = kept(app, "gap_lesson", GapLesson)
    stepper = lesson.stepper
    assert stepper.steps.engine.n_done == 0, "what was written ahead is taken back"
    press(app, "gap_step")
    once = stepper.steps.engine.n_done
    press(app, "gap_step")
    assert stepper.steps.engine.n_done > once > 0
    assert "the encoder ran once" in captions(app)
    press(app, "gap_back")
    assert stepper.steps.engine.n_done == once
    press(app, "gap_back")
    assert stepper.steps.engine.n_done == 0
    app.text_input(key="gap_gaps").set_value("no gap").run()
    assert "underscores" in errors(app)
    assert lesson.stepper is stepper
    app.text_input(key="gap_gaps").set_value("a ___ b").run()
    assert not app.error
    assert lesson.stepper is not stepper


def test_the_first_gap_is_asked_before_a_token_is_written() -> None:
    app = open_lesson("pages/encoder_decoder.py")
    engine = kept(app, "gap_lesson", GapLesson).stepper.steps.engine
    assert engine.n_done == 0
    assert app.button(key="gap_step").disabled
    said, right = gap_lesson.GUESSES[:2]
    app.get_by_key("gap_said").set_value(said).run()
    assert f"right is **{right}**" in words(app)
    while not engine.finished:
        press(app, "gap_step")
        assert engine.finished or not engine.is_at_sentinel, "every press writes a word"
        if engine.n_done == 2:
            assert engine.answers[0].strip() == right, "the sentinel comes with its word"
    assert engine.answers[0].strip() == right
    app.text_input(key="gap_gaps").set_value("The ___ ran to the ___.").run()
    with pytest.raises(KeyError):
        app.get_by_key("gap_said")
    press(app, "gap_step")


@pytest.mark.browser
def test_the_page_shows_both_caches_at_once(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("encoder_decoder")
    by_key(page, "gap_said").get_by_role("radio").first.click()
    by_key(page, "gap_step").get_by_role("button").click()
    expect(by_key(page, "gap_back").get_by_role("button")).to_be_enabled()
    by_key(page, "gap_inside").locator("summary").first.click()
    expect(by_key(page, "gap_caches").locator(".js-plotly-plot")).to_be_visible()
    field = by_key(page, "gap_gaps").locator("input")
    field.fill("no gap")
    field.press("Enter")
    expect(page.locator('[data-testid="stAlert"]')).to_contain_text("underscores")
    assert_accessible_to_all(page)
