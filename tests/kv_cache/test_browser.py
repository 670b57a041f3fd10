"""The cache lesson in a real browser: a column more for each press, a race that can be stopped."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.driving.harness import by_key, wait_idle
from tests.driving.home_page import PATIENCE_MS
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.by_eye import WORDS

pytestmark = pytest.mark.browser


# Streamlit sends a press from a timer; a tick of the clock that comes before it sends it as well
SEND_LATE = """() => {
  globalThis.soon = window.setTimeout;
  window.setTimeout = (act, ms, ...args) => soon(act, ms || 500, ...args);
}"""


def test_the_grid_grows_and_a_press_that_is_sent_again_pauses_and_stops_once(
    turn_to: Callable[[str], Page],
) -> None:
    page = turn_to("kv_cache")
    page.wait_for_function(f"() => ({WORDS})('pre, code, .stPlotlyChart').length === 0")
    by_key(page, "kv_inside").locator("summary").first.click()
    said = by_key(page, "kv_grid").locator(
        "xpath=following::*[@data-testid='stCaptionContainer'][1]"
    )
    expect(said).to_contain_text("for each of 6 positions", timeout=4 * PATIENCE_MS)
    expect(by_key(page, "kv_step").get_by_role("button")).to_be_disabled()
    by_key(page, "kv_said").locator("button").last.click()
    by_key(page, "kv_step").get_by_role("button").click()
    expect(said).to_contain_text("for each of 7 positions")

    play = by_key(page, "kv_play").get_by_role("button")
    press_twice(page, play, "Play", "Pause", said)
    race = by_key(page, "kv_race_run").get_by_role("button")
    press_twice(page, race, "Start", "Stop", by_key(page, "kv_per_step"))
    expect(by_key(page, "kv_findings")).to_be_visible()
    assert_accessible_to_all(page)


def press_twice(page: Page, button: Locator, name: str, other: str, shown: Locator) -> None:
    """Start what is then shown, and end it by a press that Streamlit sends twice."""
    button.click()
    expect(button).to_have_text(re.compile(other))
    expect(shown).to_be_visible()
    page.evaluate(SEND_LATE)
    button.press("Enter")  # a click would wait for a picture that stands still
    expect(button).to_have_text(re.compile(name))
    page.wait_for_timeout(600)  # by then it is sent again
    wait_idle(page)
    expect(button).to_have_text(re.compile(name))
    page.evaluate("() => { window.setTimeout = soon; }")
