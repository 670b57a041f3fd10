"""The encoder-decoder's page as Streamlit runs it, on a tiny model, and in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from pages.lessons.encoder_decoder import lesson as gap_lesson
from pages.lessons.encoder_decoder.lesson import GapLesson
from tests.driving.harness import by_key
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import captions, errors, kept, open_lesson, press
from tests.tiny_fillers import tiny_gapfiller


def test_gaps_are_filled_step_by_step_and_a_text_without_one_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gap_lesson, "shared_model", lambda *_, **__: tiny_gapfiller())
    monkeypatch.setattr(gap_lesson, "N_BEGUN", 1)
    app = open_lesson("pages/encoder_decoder.py", gaps="The ___ ran to the ___.")
    lesson = kept(app, "gap_lesson", GapLesson)
    stepper = lesson.stepper
    assert stepper.steps.engine.n_done == 1, "it opens on a picture"
    press(app, "gap_step")
    assert stepper.steps.engine.n_done == 2
    assert "the encoder ran once" in captions(app)
    press(app, "gap_back")
    assert stepper.steps.engine.n_done == 1
    app.text_input(key="gap_gaps").set_value("no gap").run()
    assert "underscores" in errors(app)
    assert lesson.stepper is stepper
    app.text_input(key="gap_gaps").set_value("a ___ b").run()
    assert not app.error
    assert lesson.stepper is not stepper


@pytest.mark.browser
def test_the_page_shows_both_caches_at_once(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("encoder_decoder")
    by_key(page, "gap_inside").locator("summary").first.click()
    expect(by_key(page, "gap_caches").locator(".js-plotly-plot")).to_be_visible()
    by_key(page, "gap_step").get_by_role("button").click()
    expect(by_key(page, "gap_back").get_by_role("button")).to_be_enabled()
    field = by_key(page, "gap_gaps").locator("input")
    field.fill("no gap")
    field.press("Enter")
    expect(page.locator('[data-testid="stAlert"]')).to_contain_text("underscores")
    assert_accessible_to_all(page)
