"""A figure that a step changes is in sight in every frame, in a real browser."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page

from tests.driving.harness import by_key, wait_idle

pytestmark = pytest.mark.browser

N_STEPS = 3
SLOW = 60_000  # ms
WATCH = """(key) => {
  globalThis.watched = { figures: new Set(), blank: 0 };
  const isSeen = (one) => one.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  const look = () => {
    const drawn = [...document.querySelectorAll(`.st-key-${key} .main-svg`)].filter(isSeen);
    const figures = drawn.map((one) => one.closest(".js-plotly-plot"));
    for (const one of figures) if (one) watched.figures.add(one); // the copy is none
    watched.blank += drawn.length === 0;
    if (document.querySelector(`.st-key-${key}`)) requestAnimationFrame(look);
  };
  look();
}"""


@pytest.mark.parametrize(
    ("lesson", "key", "begins", "answer"),
    [
        ("kv_cache", "kv_squares", "kv", "button"),
        ("beam_search", "beam_tree", "beam", "[role=radio]"),
    ],
)
def test_no_frame_of_play_is_without_its_picture(
    turn_to: Callable[[str], Page], lesson: str, key: str, begins: str, answer: str
) -> None:
    page = turn_to(lesson)
    by_key(page, key).locator(".main-svg").first.wait_for()
    by_key(page, f"{begins}_said").locator(answer).last.click()
    wait_idle(page)
    page.evaluate(WATCH, key)
    play = by_key(page, f"{begins}_play").get_by_role("button")
    play.click()
    page.wait_for_function("n => watched.figures.size > n", arg=N_STEPS, timeout=SLOW)
    assert page.evaluate("watched.blank") == 0
    play.press("Enter")  # it plays no more beside the next test
    wait_idle(page)
    by_key(page, key).locator("[inert]").first.wait_for(state="detached")
