"""What a newcomer's first screen holds, and what it leaves to one press."""

import pytest
from playwright.sync_api import Browser, expect

from tests.browser import SCREEN
from tests.driving.harness import by_key
from tests.driving.home_page import Reader

pytestmark = pytest.mark.browser

FEW, ALL = 11, 20  # of what can be pressed or moved beside the picture
HANDS = """(root) => [...root.querySelectorAll(".side :is(button, input, select, a)")]
  .filter((hand) => hand.checkVisibility()).length"""
# parts of the question through which the picture behind them could be seen, or that lie under it
CROSSED = """(root) => [...root.querySelectorAll(".guess > *")]
  .filter((part) => part.checkVisibility())
  .filter((part) => {
    const { x, y, width, height } = part.getBoundingClientRect();
    const top = root.getRootNode().elementFromPoint(x + width / 2, y + height / 2);
    return !getComputedStyle(part).backgroundColor.startsWith("rgb(") || !part.contains(top);
  }).length"""
AT_ONCE = "Write 20 tokens at once"
LABORATORY = ".steps", ".passes"  # the worked table, the figures of the passes


def n_hands(reader: Reader) -> int:
    number: int = reader.live.locator(".ott").evaluate(HANDS)
    return number


def test_a_newcomer_sees_few_controls_and_one_press_brings_the_rest_for_good(
    browser: Browser, url: str
) -> None:
    context = browser.new_context(viewport=SCREEN)
    reader = Reader(context.new_page(), url).open()
    assert n_hands(reader) <= FEW
    for part in LABORATORY:
        expect(reader.live.locator(part)).to_be_hidden()
    assert reader.live.locator(".ott").evaluate(CROSSED) == 0, "the question is crossed by lines"
    reader.open(lesson="how-a-model-writes", scene="6")  # which names what is needed less often
    by_key(reader.page, "tour").get_by_role("radio", name="it gets better").click()
    expect(reader.button(AT_ONCE)).to_be_visible()
    reader.open(embed="1")
    expect(reader.live.locator(".whole")).to_be_visible()
    reader.open()
    expect(reader.button(AT_ONCE)).to_be_hidden()
    reader.button("More").click()
    assert n_hands(reader) >= ALL
    for part in LABORATORY:
        expect(reader.live.locator(part)).to_be_visible()
    reader.open()
    assert n_hands(reader) >= ALL
    context.close()


def test_after_a_press_on_more_the_arrow_writes(browser: Browser, url: str) -> None:
    context = browser.new_context(viewport=SCREEN)
    reader = Reader(context.new_page(), url).open()
    reader.button("More").click()
    n_before = reader.chips.count()
    reader.page.keyboard.press("ArrowRight")
    expect(reader.chips).to_have_count(n_before + 1)
    context.close()


def test_by_a_key_the_focus_goes_on_to_what_it_brings(browser: Browser, url: str) -> None:
    context = browser.new_context(viewport=SCREEN)
    reader = Reader(context.new_page(), url).open()
    reader.button("More").press("Enter")
    expect(reader.live.locator(".speed")).to_be_focused()
    context.close()


def test_who_comes_by_a_link_sees_all_controls(browser: Browser, url: str) -> None:
    context = browser.new_context(viewport=SCREEN)
    reader = Reader(context.new_page(), url).open(prompt="The cat sat on the")
    assert n_hands(reader) >= ALL
    context.close()
