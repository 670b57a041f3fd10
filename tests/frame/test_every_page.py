"""Every page, on a desk and on a phone: nothing moves by itself, and nobody is shut out."""

import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from playwright.sync_api import TimeoutError as StillBusyError

from pages.frame.contents import lesson_at
from tests.browser import SCREEN, watched
from tests.driving.harness import ROOT, Server, Witness, by_key, visit, wait_idle
from tests.driving.home_page import Reader
from tests.frame.accessibility import PHONE, assert_accessible, forget_first_requests
from tests.frame.by_eye import MAX_SHIFT, REST_MS, SHIFTS, moved, shifts
from tests.nightly import by_night

pytestmark = pytest.mark.browser

BEGUN = 3.0  # seconds after which what goes on plays
MAX_SCREENS = 3.0  # that a lesson takes before its laboratory
BEAT = 1000  # milliseconds for which it is looked at
PRIMARY = '.stMain [data-testid="stBaseButton-primary"]:enabled, .is-primary'
ANSWER = """() => {
  const asked = '.stMain [class*="_asked"]:not(:has([aria-checked=true]))';
  const choice = [...document.querySelectorAll(asked)]
    .map((one) => one.querySelector("[role=radio]")).find((one) => one?.checkVisibility());
  choice?.scrollIntoView({ block: "center" }); // what it starts waits until it is in view
  choice?.click();
  return choice !== undefined;
}"""
NAMES = sorted(path.stem for path in (ROOT / "pages").glob("[!_]*.py"))
# what Play is to move; a station of the loop holds lines of words
TEXT_AND_BARS = ".strip, .bars-top, .bars-table, .pointer-sentence, .draw-bar, .loop-station"
N_PLAYED = 12  # tokens
WIDTHS = {"on a desk": SCREEN, "on a phone": PHONE}
OPENED = [(name, where) for name in NAMES for where in WIDTHS]
# home; a lesson whose laboratory comes in a second run; one that answers once it was played; one
# whose button works on a narrow row. A figure that grows: futures' own test
OPENED_BY_DAY = [
    *(one for one in OPENED if one[0] == "generate"),
    ("roofline", "on a desk"),
    ("constraints", "on a phone"),
    ("snowball", "on a phone"),
]


# icons that are wider than their size: the served font does not have them, so their names are seen
SPELLED_OUT = """() =>
  [...document.querySelectorAll('[data-testid="stIconMaterial"]')].filter((icon) => {
  const text = document.createRange();
  text.selectNodeContents(icon);
  const { width, height } = text.getBoundingClientRect();
  return Math.max(width, height) > 1.5 * parseFloat(getComputedStyle(icon).fontSize);
}).map((icon) => icon.textContent)"""


def moved_after_a_press(page: Page) -> float:
    """How much moves once what the page offers first was pressed and has come, or while it plays.

    What the press brings is no shift, however long a slow machine takes for it: the browser excuses
    half a second of it. But what was pressed stays under the hand, where it is still there.
    """
    press = page.locator(PRIMARY).filter(visible=True)
    if press.count() == 0:
        return 0.0
    press.first.scroll_into_view_if_needed()
    place = press.first.bounding_box()
    plays, works = (
        page.get_by_role("button", name=re.compile(f"{name}$")).filter(visible=True)
        for name in ("Pause", "Stop")
    )
    press.first.click()
    with suppress(StillBusyError):
        wait_idle(page, BEGUN)
    page.wait_for_timeout(REST_MS)  # a slow server begins late
    if plays.count() > 0:
        shifts(page)
        seen = moved(page, BEAT)
        press.first.click()
        return seen
    if works.count() > 0:
        press.first.click()
        expect(works).to_have_count(0)
    wait_idle(page)
    page.wait_for_timeout(REST_MS)
    wait_idle(page)
    shifts(page)
    if press.count() > 0:
        now = press.first.bounding_box()
        assert place is not None
        assert now is not None
        assert abs(now["y"] - place["y"]) <= 1
    return moved(page)


def answer_all(page: Page) -> None:
    """Says something wherever the page asks: what was covered is looked at too."""
    while page.evaluate(ANSWER):
        wait_idle(page)
    plays = page.locator("[class*='_until']")  # the picture answers, once it was played
    if plays.count() > 0:
        page.wait_for_timeout(REST_MS)  # nobody presses two things within a run's beginning
        wait_idle(page)
        page.get_by_role("button", name=re.compile("Play$")).filter(visible=True).first.click()
        expect(plays).to_have_count(0)
        wait_idle(page)
    board = by_key(page, "guess_board")
    while board.count() > 0 and page.locator(".remember").is_hidden():
        n, onward = board.locator(".board-word").count(), board.locator(".board-next")
        if onward.is_visible():  # a phone shows what came in the question's place
            onward.click()
        board.locator(".guess-option").first.click()
        board.locator(".board-sure").first.click()
        expect(board.locator(".board-word")).to_have_count(n + 1)
        wait_idle(page)


def n_screens_before_laboratory(page: Page) -> float:
    """Returns how many screens of a desk stand above the end of a lesson; 0 on a page without."""
    scrolled = "document.querySelector('[data-testid=stMain]').scrollTop"
    ends = page.locator(".st-key-summary").evaluate_all(
        f"(all) => all.map((one) => one.getBoundingClientRect().bottom + {scrolled})"
    )
    return max(ends, default=0) / SCREEN["height"] if page.viewport_size == SCREEN else 0.0


def is_looked_at_in_the_dark(name: str) -> bool:
    """Whether the topic's own test asks it, at the end of its walk."""
    tests = (path.read_text("utf-8") for path in (Path(__file__).parents[1] / name).glob("*.py"))
    return any("assert_accessible_to_all(" in text for text in tests)


def is_within(reach: list[list[float]], boxes: list[list[float]]) -> bool:
    """Whether all that moved up or down lies in one of some boxes."""
    return all(any(a >= low - 1 and b <= high + 1 for low, high in boxes) for a, b in reach)


@pytest.mark.parametrize(("name", "where"), by_night(OPENED, OPENED_BY_DAY))
def test_a_page_stays_where_it_is_and_shuts_nobody_out(
    window: BrowserContext, server: Server, witness: Witness, name: str, where: str
) -> None:
    """By night each page on both."""
    is_dark = where == "on a desk"
    with watched(window, server, witness) as page:
        page.set_viewport_size(WIDTHS[where])
        page.emulate_media(color_scheme="dark" if is_dark else "light")
        page.add_init_script(SHIFTS)
        visit(page, f"{server.url}/{'' if lesson_at(f'pages/{name}.py').is_home else name}")
        expect(page.get_by_text("Loading the model…")).to_have_count(0)
        wait_idle(page)
        assert moved(page) <= MAX_SHIFT
        forget_first_requests(witness)
        assert moved_after_a_press(page) <= MAX_SHIFT
        expect(page.get_by_test_id("stAlertContentError")).to_have_count(0)
        answer_all(page)
        expect(page.locator(".remember:visible")).to_have_count(page.locator(".remember").count())
        assert n_screens_before_laboratory(page) <= MAX_SCREENS
        assert page.evaluate(SPELLED_OUT) == []
        if not (is_dark and is_looked_at_in_the_dark(name)):
            assert_accessible(page)


def test_figures_are_painted_anew_for_a_theme_that_is_changed(
    turn_to: Callable[[str], Page],
) -> None:
    page = turn_to("encoder_decoder")
    answer_all(page)
    by_key(page, "gap_inside").locator("summary").first.click()
    by_key(page, "gap_step").get_by_role("button").click()
    expect(by_key(page, "gap_back").get_by_role("button")).to_be_enabled()
    words = by_key(page, "gap_caches").locator(".xtick text").first
    colour = "(words) => getComputedStyle(words).fill"
    in_the_dark = words.evaluate(colour)
    page.emulate_media(color_scheme="light")
    expect(by_key(page, "announcer").locator("[data-theme=light]")).to_be_attached()
    wait_idle(page)
    assert words.evaluate(colour) != in_the_dark
    page.emulate_media(color_scheme="dark")  # as the tests after it expect


def test_what_moves_is_seen(scripts: Page) -> None:
    scripts.evaluate(f"() => {{ {SHIFTS} }}")
    scripts.evaluate(
        """async () => {
          const box = () => Object.assign(document.createElement("div"), { textContent: "words" });
          const [above, below] = [box(), box()];
          below.style.cssText = "height: 400px; background: pink";
          document.body.append(above, below);
          const frame = () => new Promise((next) => setTimeout(next, 100));
          await frame();
          above.style.height = "300px";
          await frame();
        }"""
    )
    scripts.wait_for_timeout(REST_MS)
    assert sum(shift["value"] for shift in shifts(scripts)) > MAX_SHIFT


@pytest.mark.parametrize("where", by_night(list(WIDTHS), ["on a phone"]))
def test_play_moves_nothing_but_text_and_bars(
    window: BrowserContext, server: Server, witness: Witness, where: str
) -> None:
    with watched(window, server, witness) as page:
        page.set_viewport_size(WIDTHS[where])
        page.add_init_script(SHIFTS)
        reader = Reader(page, server.url).open()
        reader.live.get_by_label("Speed").select_option("5")
        reader.live.get_by_role("button", name="Play", exact=True).click()
        n_begun = reader.chips.count()
        expect(reader.chips.nth(n_begun + 3)).to_be_visible()  # a press excuses what moves by it
        shifts(page)
        expect(reader.chips.nth(n_begun + N_PLAYED + 3)).to_be_visible()
        boxes = reader.live.locator(TEXT_AND_BARS).evaluate_all(
            "(all) => all.map((one) => one.getBoundingClientRect()).map((b) => [b.top, b.bottom])"
        )
        assert [one for one in shifts(page) if not is_within(one["reach"], boxes)] == []
        reader.live.get_by_role("button", name="Pause").click()
        reader.settle()
