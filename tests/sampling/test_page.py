"""The sampling lesson as Streamlit runs it, and under the hand in a real browser."""

from __future__ import annotations

import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect
from streamlit.testing.v1 import AppTest

from benchmarks.home_page import PATIENCE
from model.generation import Generation
from model.job import Job, Work
from model.passes import PassError
from model.records import Step
from model.sampling import Settings
from model.sampling.experiments import write_votes, write_with_penalties
from pages.home.session import Session
from pages.lessons.sampling.state import Lab
from tests.frame.driving import errors, kept, open_home, press, words


@pytest.fixture
def app() -> AppTest:
    app = open_home()
    app.switch_page("pages/sampling.py").run()
    assert not app.exception
    return app


def lab(app: AppTest) -> Lab:
    return kept(app, "sampling_lab", Lab)


def choose(app: AppTest, source: str) -> AppTest:
    app.get_by_key("lab_source").set_value(source).run()
    assert not app.exception
    return app


def test_it_opens_on_the_text_of_the_first_page_and_leaves_it_alone(app: AppTest) -> None:
    reader = app.session_state["reader"]
    assert isinstance(reader, Session)
    assert (lab(app).given.logits == reader.generation.logits).all()
    assert lab(app).given.labels is None
    before = list(reader.generation.ids)
    choose(app, "heavy")
    app.switch_page("pages/generate.py").run()
    assert app.session_state["reader"].generation.ids == before


def test_what_is_typed_badly_gets_a_sentence_and_nothing_is_lost(app: AppTest) -> None:
    choose(app, "typed")
    known = lab(app).given
    app.get_by_key("lab_typed").set_value("mat: 0.5\nsofa: lots").run()
    assert not app.exception
    assert "Line 2 ends in “lots”" in app.error[0].value
    assert lab(app).given is known
    app.get_by_key("lab_typed").set_value("mat: 0.5\nsofa: 1").run()
    assert not app.error
    assert "sum to 1.5" in app.info[0].value


def test_a_prompt_that_cannot_be_read_gets_a_sentence(app: AppTest) -> None:
    choose(app, "prompt")
    app.get_by_key("lab_prompt").set_value("word " * 3_900).run()
    assert not app.exception
    assert "shorten" in app.error[0].value


def test_draws_name_statistic_degrees_and_p(app: AppTest) -> None:
    choose(app, "textbook")
    app.get_by_key("lab_draw_from").set_value("alone:top_k").run()
    words = next(text.value for text in app.markdown if "χ²" in text.value)
    assert "4 degrees of freedom" in words
    assert "p = " in words
    app.get_by_key("lab_draw_from").set_value("alone:greedy").run()
    assert any("nothing to test" in text.value for text in app.markdown)


def test_votes_that_are_counted_are_shown(app: AppTest) -> None:
    lab(app).jobs["vote"] = done(write_votes(lab(app).lm, "The cat", n_texts=2, n_tokens=2))
    app.run()
    assert not app.exception
    assert "1 distinct text of 2" in words(app)


def done(work: Work[Any]) -> Job[Any]:
    job = Job(work)
    while job.is_running:
        job.run_for(1)
    return job


@pytest.mark.parametrize("key", ["vote", "loop"])
def test_a_run_that_fails_on_the_way_says_so_and_keeps_what_it_wrote(
    app: AppTest, monkeypatch: pytest.MonkeyPatch, key: str
) -> None:
    sentence = "The memory of cuda ran out: choose a smaller model."
    step, n_steps = Generation.step, 0

    def step_or_fail(text: Generation, settings: Settings) -> Step:
        nonlocal n_steps
        n_steps += 1
        if n_steps > 20:
            raise PassError(sentence)
        return step(text, settings)

    monkeypatch.setattr(Generation, "step", step_or_fail)
    press(app, f"{key}_run")
    job = lab(app).jobs[key]
    for _ in range(30):
        if not job.is_running:
            break
        app.run()
    assert not app.exception
    assert errors(app) == sentence
    assert 0 < job.fraction < 1
    assert job.found is not None


def test_a_loop_is_shown_with_the_rule_of_the_sign(app: AppTest) -> None:
    lab(app).jobs["loop"] = done(write_with_penalties(lab(app).lm, "The cat", n_tokens=2))
    app.run()
    assert not app.exception
    table = next(frame.value for frame in app.dataframe if "rule" in frame.value)
    assert (table["after"] <= table["logit"]).all()
    assert len(table) >= 1


@pytest.fixture
def shown(page: Page, url: str) -> Page:
    page.goto(url)
    page.get_by_role("link", name="Next: Sampling strategies").click(timeout=PATIENCE)
    expect(page.locator(".lab-masks .lab-row").first).to_be_visible(timeout=PATIENCE)
    page.get_by_text("Textbook", exact=True).click()
    expect(head(page, "top_p")).to_contain_text("keeps 2", timeout=PATIENCE)
    return page


def head(page: Page, mask: str) -> Locator:
    return page.locator(f".lab-masks th:has(input.slider[name={mask}])")


def reason(page: Page, mask: str) -> Locator:
    return page.locator(f".lab-reasons li[data-mask={mask}]")


@pytest.mark.browser
def test_a_dragged_slider_moves_its_column_at_once_and_python_when_released(shown: Page) -> None:
    slider = head(shown, "top_p").locator("input.slider")
    # an "input" event is a drag: the page alone answers
    slider.evaluate("(n) => { n.value = 0.9; n.dispatchEvent(new Event('input')); }")
    expect(head(shown, "top_p")).to_contain_text("keeps 8")
    expect(head(shown, "top_p")).to_contain_text("cuts 7.0")
    expect(reason(shown, "top_p")).to_contain_text("“chair”")
    expect(head(shown, "top_k")).to_contain_text("keeps 5")  # no other column moves
    # a "change" event is the release: the figures below are Python's
    slider.evaluate("(n) => n.dispatchEvent(new Event('change'))")
    expect(shown.get_by_text("7 degrees of freedom")).to_be_visible(timeout=PATIENCE)
    shown.set_viewport_size({"width": 390, "height": 844})
    expect(head(shown, "top_k")).to_be_visible()
    assert shown.evaluate("() => document.documentElement.scrollWidth") <= 390


@pytest.mark.browser
def test_engines_part_where_it_is_lit_and_a_run_can_be_stopped(shown: Page) -> None:
    verdict = shown.locator(".lab-verdict")
    lit = shown.locator(".lab-orders tr[data-parted]")
    expect(verdict).to_contain_text("They part over")
    assert lit.count() >= 1
    head(shown, "temperature").locator("input[type=checkbox]").uncheck()
    expect(verdict).to_contain_text("All four keep the same tokens")
    expect(lit).to_have_count(0)
    run = shown.locator(".st-key-vote_run button")
    run.click()
    expect(run).to_have_text(re.compile("Stop"), timeout=PATIENCE)
    run.click()
    expect(run).to_have_text(re.compile("Generate"), timeout=PATIENCE)
    shown.get_by_label("Prompt", exact=True).fill("🍓" * 900)
    run.click()
    expect(shown.get_by_text("shorten the prompt")).to_be_visible(timeout=PATIENCE)
