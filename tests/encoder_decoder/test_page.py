"""The encoder-decoder's page as Streamlit runs it, on a tiny model, and in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from model.loading import load_model
from pages.lessons.encoder_decoder import lesson as gap_lesson
from pages.lessons.encoder_decoder.lesson import GapLesson, word_unseen, words_of
from pages.lessons.encoder_decoder.settings import ENDINGS
from tests.driving.harness import by_key
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import captions, errors, kept, open_lesson, press, words
from tests.tiny_fillers import tiny_gapfiller
from viz.encoder_decoder.endings import UNKNOWN


def test_gaps_are_filled_step_by_step_and_a_text_without_one_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(gap_lesson, "shared_model", lambda *_, **__: tiny_gapfiller())
    monkeypatch.setattr(gap_lesson, "word_unseen", lambda _: "")  # tiny_gapfiller is not causal
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


def test_the_shipped_models_write_another_word_for_who_sees_each_ending_and_who_sees_none() -> None:
    words = words_of(load_model("gapfiller"))
    unseen = word_unseen(load_model("storyteller"))
    assert len(set(words)) == len(ENDINGS)
    assert unseen != words[0], "or nothing is to be seen in the first two rows"
    assert {unseen, *words} == set(gap_lesson.GUESSES)


def test_the_word_of_who_sees_no_ending_is_asked_and_then_all_are_uncovered() -> None:
    app = open_lesson("pages/encoder_decoder.py")
    lesson = kept(app, "gap_lesson", GapLesson)
    first = lesson.words[0]
    assert shown(app) == [UNKNOWN] * (1 + len(ENDINGS))
    app.get_by_key("gap_said").set_value(first).run()
    assert f"Not quite: **{lesson.unseen}**" in words(app)
    assert shown(app) == [lesson.unseen, *lesson.words]
    engine = lesson.stepper.steps.engine
    assert engine.n_done == 0
    while not engine.finished:
        press(app, "gap_step")
        assert engine.finished or not engine.is_at_sentinel, "every press writes a word"
    assert engine.answers[0].strip() == first


def shown(app: AppTest) -> list[str]:
    """What stands in the gaps of the page's rows."""
    (rows,) = (html.value for html in app.get("html") if ENDINGS[1] in html.value)
    return re.findall(r"<span[^>]*text-align:center[^>]*>(.*?)</span>", rows)


@pytest.mark.browser
def test_the_page_shows_both_caches_at_once(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("encoder_decoder")
    by_key(page, "gap_said").get_by_role("radio").first.click()
    by_key(page, "gap_inside").locator("summary").first.click()
    by_key(page, "gap_step").get_by_role("button").click()
    expect(by_key(page, "gap_back").get_by_role("button")).to_be_enabled()
    expect(by_key(page, "gap_caches").locator(".js-plotly-plot")).to_be_visible()
    field = by_key(page, "gap_gaps").locator("input")
    field.fill("no gap")
    field.press("Enter")
    expect(page.locator('[data-testid="stAlert"]')).to_contain_text("underscores")
    assert_accessible_to_all(page)
