"""Pages whose words are longer, or set as WCAG 1.4.12 lets a reader set them: nothing is cut."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, Page, ViewportSize, expect

from tests.browser import SCREEN
from tests.driving.harness import Witness, by_key, visit
from tests.driving.home_page import PATIENCE_MS
from tests.frame.accessibility import NARROW, PHONE, assert_fits, forget_first_requests
from tests.frame.by_eye import CROSSED, CUT, LENGTHEN, LONGER, RESTYLE, SPACED, UNSTYLE, cut
from tests.nightly import nightly

pytestmark = pytest.mark.browser

REDRAWN_MS = 1000  # after which figures have a window's width
LOOK_EVERY = 200  # milliseconds between two looks at what is still cut
WIDTHS = (SCREEN, PHONE, NARROW)
PROJECTOR: ViewportSize = {"width": 1920, "height": 1080}
BACK_ROW = 24  # pixels on it, at least, of what is said and asked


@contextmanager
def spaced(page: Page) -> Iterator[None]:
    """The page under a reader's own style sheet."""
    page.evaluate(RESTYLE, SPACED)
    yield
    page.evaluate(UNSTYLE)


def assert_nothing_is_cut(page: Page, widths: Sequence[ViewportSize] = WIDTHS) -> None:
    for width in widths:
        assert_fits(page, width)
        for _ in range(PATIENCE_MS // LOOK_EVERY):  # the bar of sections measures itself
            if not cut(page):
                break
            page.wait_for_timeout(LOOK_EVERY)
        assert cut(page) == [], width


@pytest.mark.parametrize(
    ("lesson", "widths"),
    [
        ("generate", WIDTHS),
        *(nightly((lesson, WIDTHS)) for lesson in ("kv_cache", "sampling", "prefill_decode")),
    ],
)
def test_a_page_has_room_for_spaced_letters_and_for_longer_words(
    turn_to: Callable[[str], Page], lesson: str, widths: Sequence[ViewportSize]
) -> None:
    page = turn_to(lesson)
    if lesson == "generate":
        press = by_key(page, "live").get_by_role("button", name="Next")
        expect(press).to_be_visible()
        press.click()
    assert cut(page) == []
    with spaced(page):
        assert_nothing_is_cut(page, widths)
    page.evaluate(LENGTHEN, LONGER)
    assert_nothing_is_cut(page, widths)


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("roofline", ("phase_roof_rec", "phase_throughput_rec")),
        nightly(("prefill_decode", ("phase_streamed",))),
    ],
)
def test_words_in_figures_lie_on_no_line_on_a_phone(
    turn_to: Callable[[str], Page], name: str, keys: Sequence[str]
) -> None:
    page = turn_to(name)
    for width in (PHONE, NARROW):
        assert_fits(page, width)
        page.wait_for_timeout(REDRAWN_MS)
        for key in keys:
            assert by_key(page, key).locator(".js-line").count() > 0
            assert page.evaluate(CROSSED, key) == [], (key, width)


def test_a_projector_is_read_from_the_back_row(page: Page, url: str, witness: Witness) -> None:
    page.set_viewport_size(PROJECTOR)
    visit(page, f"{url}/constraints?present=1")
    forget_first_requests(witness)
    said = by_key(page, "constraint_said_asked")
    for words in (page.locator(".stMarkdown p").first, said.locator("p").first):
        size = words.evaluate("(node) => parseFloat(getComputedStyle(node).fontSize)")
        assert size >= BACK_ROW
    assert said.get_by_role("radio").first.bounding_box()["height"] >= 1.5 * BACK_ROW
    assert cut(page) == []


def test_a_phone_has_room_too(browser: Browser, url: str) -> None:
    context = browser.new_context(viewport=PHONE)
    page = context.new_page()
    page.goto(f"{url}/room")
    with spaced(page):
        assert cut(page) == []
    page.evaluate(LENGTHEN, LONGER)
    assert cut(page) == []
    context.close()


@pytest.mark.nightly  # by day test_browser.py of the classroom asks it where the answers are given
def test_a_phone_in_a_room_has_room_too(browser: Browser, url: str) -> None:
    """Before a question, while it is asked, answered, and closed."""
    context = browser.new_context(viewport=SCREEN)
    page, desk, phone = (context.new_page() for _ in range(3))
    visit(page, f"{url}/classroom")
    page.get_by_role("button", name="Open a room").click()
    link = page.get_by_role("link", name="Open the desk").get_attribute("href") or ""
    desk.goto(f"{url}/{link.removeprefix('./')}")
    phone.goto(f"{url}/{link.removeprefix('./').partition('/desk')[0]}")
    phone.locator("#name").fill("Ada")
    phone.locator("#join button").click()
    expect(phone.locator("#text")).to_be_visible()
    desk.locator("#else summary").click()
    press = desk.get_by_role("button", name="What comes next?", exact=True).first
    options = phone.locator("#options button")
    for act, shown in (
        (lambda: None, phone.locator("#text")),
        (press.click, options.nth(4)),
        (options.nth(1).click, phone.locator("#sure")),
        (desk.get_by_role("button", name="Close", exact=True).first.click, phone.locator(".bars")),
    ):
        act()
        expect(shown).to_be_visible()
        with spaced(phone):
            for width in (PHONE, NARROW):
                phone.set_viewport_size(width)
                assert cut(phone) == [], (shown, width)
        phone.evaluate(LENGTHEN, LONGER)
        for width in (PHONE, NARROW):
            phone.set_viewport_size(width)
            assert cut(phone) == [], (shown, width)
    context.close()


def test_what_is_cut_is_found(scripts: Page) -> None:
    """Clipped, with dots, out of its box; not what scrolls, nor what is for the ear."""
    words = "a sentence that is far too long for its place"
    page = scripts
    page.evaluate(
        """([words, styles]) => document.body.append(...styles.map((css) => {
          const box = Object.assign(document.createElement("div"), { textContent: words });
          box.style.cssText = `width: 90px; white-space: nowrap; ${css}`;
          return box;
        }))""",
        [
            words,
            [
                "overflow: hidden",
                "overflow: hidden; text-overflow: ellipsis",
                "border: 1px solid",
                "white-space: normal; height: 1em; background: pink",
                "overflow: auto",
                "white-space: normal; border: 1px solid",
                "width: 1px; overflow: hidden",
            ],
        ],
    )
    assert page.evaluate("() => document.body.children.length") == 7
    found = [
        page.evaluate(
            f"""(shown) => {{
              [...document.body.children].forEach((box, i) => box.hidden = i !== shown);
              return ({CUT})(".none");
            }}""",
            i,
        )
        for i in range(7)
    ]
    assert [bool(one) for one in found] == [True, True, True, True, False, False, False]
