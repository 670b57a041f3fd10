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


PHONES = (360, 640), (390, 844)
SHEET = 0.45  # of a phone's height, the buttons with it
WANDERS = """(root) => root.getAnimations({ subtree: true })
  .filter(({ effect }) => effect.target.matches(".draw-waiting")).length"""
# what stands above the sheet, whole: from the first row to the draw bar, under the page's own head
ABOVE = """(root) => {
  const box = (name) => root.querySelector(name).getBoundingClientRect();
  return [box(".bars-row").top, box(".draw-bar").bottom, box(".thumb").top];
}"""
HEAD = 60  # pixels


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
    seed = by_key(reader.page, "toolbar").get_by_role("button", name="Seed")
    expect(seed).to_be_hidden()
    reader.button("More").click()
    assert n_hands(reader) >= ALL
    expect(seed).to_be_visible()
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


@pytest.mark.parametrize("size", PHONES)
def test_on_a_phone_the_sliders_are_moved_with_the_whole_picture_in_sight(
    browser: Browser, url: str, size: tuple[int, int]
) -> None:
    width, height = size
    context = browser.new_context(
        viewport={"width": width, "height": height}, reduced_motion="reduce"
    )
    reader = Reader(context.new_page(), url).open()
    reader.button("Just reveal").click()
    root, sheet = reader.live.locator(".ott"), reader.live.locator(".sheet")
    for is_open in (True, False):
        reader.button("More").click()
        expect(sheet).to_be_visible(visible=is_open)
        expect(sheet.locator(".settings, .extras")).to_have_count(2 * is_open)
        if is_open:
            reader.until(lambda: root.evaluate(ABOVE)[0] >= HEAD, "a row under the head")
            first, low, high = root.evaluate(ABOVE)
            assert HEAD <= first < low <= high
            assert high >= (1 - SHEET) * height
            for name in ("temperature", "top_p"):
                expect(reader.slider(name)).to_be_in_viewport(ratio=1)
    expect(reader.live.locator(".bars .settings")).to_be_visible()
    context.close()


def test_a_pointer_wanders_until_the_first_press_and_never_where_less_motion_is_asked_for(
    browser: Browser, url: str
) -> None:
    for is_still in (False, True):
        context = browser.new_context(
            viewport=SCREEN, reduced_motion="reduce" if is_still else "no-preference"
        )
        reader = Reader(context.new_page(), url).open()
        root = reader.live.locator(".ott")
        expect(reader.live.locator(".guess")).to_be_visible()
        assert root.evaluate(WANDERS) == (not is_still)
        reader.page.mouse.click(5, 700)
        assert root.evaluate(WANDERS) == 0
        context.close()


def test_next_is_no_larger_than_a_word_to_guess_and_grows_without_moving_anything(
    browser: Browser, url: str
) -> None:
    context = browser.new_context(viewport=SCREEN)
    reader = Reader(context.new_page(), url).open()
    play = reader.button("Play")

    def heights() -> list[float]:
        parts = reader.button("Next"), reader.live.locator(".guess-option").first, play
        return [(part.bounding_box() or {}).get("height", 0) for part in parts]

    top = play.bounding_box()
    next_one, word, _ = heights()
    assert next_one <= word
    reader.button("Just reveal").click()
    expect(reader.live.locator(".guess")).to_be_hidden()
    grown, _, plain = heights()
    assert grown > 1.4 * plain
    assert play.bounding_box() == top
    context.close()
