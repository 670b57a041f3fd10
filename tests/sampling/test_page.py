"""The sampling lesson as Streamlit runs it, and under the hand in a real browser."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect
from streamlit.testing.v1 import AppTest

from pages.lessons.sampling.state import Lab
from tests.driving.harness import by_key
from tests.driving.home_page import PATIENCE_MS
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import errors, kept, open_home, open_lesson, words
from tests.home.home_text import write


@pytest.fixture
def app() -> AppTest:
    """The lesson, opened without the first page."""
    return open_lesson("pages/sampling.py")


def lab(app: AppTest) -> Lab:
    return kept(app, "sampling_lab", Lab)


def choose(app: AppTest, source: str) -> AppTest:
    app.get_by_key("lab_source").set_value(source).run()
    assert not app.exception
    return app


def test_it_opens_on_the_text_of_the_first_page_and_leaves_it_alone() -> None:
    app = open_home()
    reader = app.session_state["reader"]
    before = write(reader, "Once upon a time", 3)
    app.switch_page("pages/sampling.py").run()
    assert (lab(app).given.logits == reader.generation.logits).all()
    choose(app, "heavy")
    app.switch_page("pages/generate.py").run()
    assert app.session_state["reader"].generation.ids == before


def test_what_is_typed_badly_gets_a_sentence_and_nothing_is_lost(app: AppTest) -> None:
    choose(app, "typed")
    known = lab(app).given
    app.get_by_key("lab_typed").set_value("mat: 0.5\nsofa: *lots*").run()
    assert r"Line 2 ends in “\*lots\*”" in app.error[0].value, "as it was typed, not as Markdown"
    assert lab(app).given is known
    app.get_by_key("lab_typed").set_value("mat: 0.5\nsofa: 1").run()
    assert not app.error
    assert "sum to 1.5" in app.info[0].value
    choose(app, "prompt")
    app.get_by_key("lab_prompt").set_value("word " * 3_900).run()
    assert "shorten" in errors(app)
    assert not app.exception


def test_draws_are_tested_from_what_the_other_page_chose(app: AppTest) -> None:
    choose(app, "textbook")
    app.switch_page("pages/engines.py").run()
    app.get_by_key("lab_draw_from").set_value("alone:top_k").run()
    assert "4 degrees of freedom, **p = " in words(app)
    app.get_by_key("lab_draw_from").set_value("alone:greedy").run()
    assert "nothing to test" in words(app)


def test_votes_and_loops_are_shown_with_their_numbers(app: AppTest) -> None:
    assert "1 distinct text of 20" in words(app), "at T = 0, recorded"
    texts, rule = (html.proto.body for html in app.get("html") if "<table" in html.proto.body)
    assert texts.count("<tr>") == 1 + 20
    cells = re.findall(r"<td[^>]*>(-?[0-9.]+)</td>", rule)
    logits, after = map(float, cells[::3]), map(float, cells[1::3])
    assert [b <= a for a, b in zip(logits, after, strict=True)] == [True] * (len(cells) // 3)
    assert cells


def head(page: Page, mask: str) -> Locator:
    return page.locator(f".lab-masks th:has(input.slider[name={mask}])")


def on_the_textbook(page: Page) -> Page:
    expect(page.locator(".lab-masks .lab-row").first).to_be_visible(timeout=PATIENCE_MS)
    textbook = page.get_by_text("Textbook", exact=True)
    if not textbook.is_visible():  # folded, as other pages have what they begin with
        by_key(page, "lab_sources").locator("summary").click()
    textbook.click()
    first = page.locator(".lab-masks .lab-row").first
    expect(first).to_contain_text("mat", timeout=PATIENCE_MS)
    set_top_p(page, 0.5, 2)  # one reader has both pages: the other's test may have moved it
    return page


def set_top_p(page: Page, value: float, n_kept: int) -> None:
    """Drags the slider, to which the page alone answers, and releases it, to which Python does."""
    slider = head(page, "top_p").locator("input.slider")
    slider.evaluate("(n, to) => { n.value = to; n.dispatchEvent(new Event('input')); }", value)
    expect(head(page, "top_p")).to_contain_text(f"keeps {n_kept}")
    slider.evaluate("(n) => n.dispatchEvent(new Event('change'))")


@pytest.mark.browser
def test_engines_part_and_the_figures_below_follow_a_slider_that_is_released(
    turn_to: Callable[[str], Page],
) -> None:
    shown = on_the_textbook(turn_to("engines"))
    verdict = shown.locator(".lab-verdict")
    lit = shown.locator(".lab-orders tr[data-parted]")
    expect(verdict).to_contain_text("They part over")
    assert lit.count() >= 1
    head(shown, "temperature").locator("input[type=checkbox]").uncheck()
    expect(verdict).to_contain_text("All four keep the same tokens")
    expect(lit).to_have_count(0)
    set_top_p(shown, 0.9, 8)
    expect(shown.get_by_text("7 degrees of freedom")).to_be_visible(timeout=PATIENCE_MS)


def assert_the_pointer_is_on_its_bar(picture: Locator) -> None:
    hit = picture.locator(".lab-line[data-hit]")
    expect(hit).to_have_count(1)
    bar, pointer = (
        hit.locator(".bar").bounding_box(),
        picture.locator(".lab-pointer").bounding_box(),
    )
    assert bar is not None
    assert pointer is not None
    assert bar["x"] - 1 <= pointer["x"] <= bar["x"] + bar["width"] + 1


@pytest.mark.browser
def test_a_question_that_waits_hides_nothing_of_another_page(
    turn_to: Callable[[str], Page],
) -> None:
    waiting = turn_to("sampling").locator(":root[data-lab-waits]")
    expect(waiting).to_have_count(1, timeout=PATIENCE_MS)
    turn_to("futures")
    expect(waiting).to_have_count(0)


@pytest.mark.browser
def test_a_run_stops_and_a_dragged_slider_moves_its_column_at_once(
    turn_to: Callable[[str], Page],
) -> None:
    shown = turn_to("sampling")
    shown.locator("details:has(> .lab-masks) > summary").click()  # they wait in a fold
    on_the_textbook(shown)
    run = shown.locator(".st-key-vote_run button")
    run.click()
    expect(run).to_have_text(re.compile("Stop"), timeout=PATIENCE_MS)
    run.click()
    expect(run).to_have_text(re.compile("Generate"), timeout=PATIENCE_MS)
    shown.get_by_label("Prompt", exact=True).fill("🍓" * 900)
    run.click()
    expect(shown.get_by_text("shorten the prompt")).to_be_visible(timeout=PATIENCE_MS)

    # one picture above all, whose sliders wait until the reader has said what they will do
    picture = shown.locator(".lab > .lab-picture:first-child")
    slider = picture.locator("input[name=temperature]")
    expect(slider).to_be_disabled()
    by_key(shown, "lab_said_asked").get_by_role("radio").first.click()
    verdict = by_key(shown, "lab_said_verdict").get_by_text("Not quite").last
    expect(slider).to_be_enabled(timeout=PATIENCE_MS)
    expect(verdict).to_be_visible(timeout=PATIENCE_MS)
    expect(picture.locator("[name=top_p]")).to_have_value("0.5")  # the picture answered before
    # then top-p goes down once, as it was asked, and is the reader's
    kept_lines, top_p = (
        picture.locator(".lab-line[data-state=kept]"),
        picture.locator("[name=top_p]"),
    )
    expect(kept_lines).to_have_count(2, timeout=PATIENCE_MS)  # mat and sofa
    expect(top_p).to_have_value("0.5")
    top_p.evaluate("(n) => { n.value = 1; n.dispatchEvent(new Event('input')); }")
    expect(kept_lines).to_have_count(6)  # none is out
    top_p.evaluate("(n) => { n.value = 0.5; n.dispatchEvent(new Event('input')); }")
    top_p.dispatch_event("change")
    by_key(shown, "lab_link").get_by_role("button").click()
    expect(shown.get_by_test_id("stDialog").locator("code")).to_contain_text("bar_top_p=0.5")
    shown.keyboard.press("Escape")
    assert_the_pointer_is_on_its_bar(picture)
    set_top_p(shown, 0.9, 8)
    expect(head(shown, "top_p")).to_contain_text("cuts 7.0")
    reason = shown.locator(".lab-reasons li[data-mask=top_p]")
    expect(reason.locator(".named").first).to_have_text("chair")
    expect(head(shown, "top_k")).to_contain_text("keeps 5")  # no other column moves
    # the map is the last figure; columns follow its point before it is released
    shown.locator(".lab > [data-lazy=slider_map]:last-child > summary").click()
    figure = shown.locator(".lab > [data-lazy=slider_map][open] .map-stage")
    figure.scroll_into_view_if_needed()
    box = figure.bounding_box()
    assert box is not None
    shown.mouse.move(box["x"] + 0.5 * box["width"], box["y"] + 0.5 * box["height"])
    shown.mouse.down()
    shown.mouse.move(box["x"] + 0.05 * box["width"], box["y"] + 0.9 * box["height"])
    expect(head(shown, "temperature").locator("input.slider")).to_have_value("0.1")
    expect(head(shown, "top_p")).to_contain_text("keeps 1")
    shown.mouse.up()
    expect(shown.locator(".slider-map[data-ms]:not([data-stale])")).to_be_visible()
    assert_accessible_to_all(shown)
    expect(head(shown, "top_k")).to_be_visible()
