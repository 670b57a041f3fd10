"""What a reader needs who sees, hears, points or moves otherwise: each held to a number."""

from collections.abc import Iterator
from functools import partial
from itertools import pairwise

import pytest
from playwright.sync_api import Browser, expect

from pages.frame.terms import BY_NAME
from tests.charts.test_palette import contrast, linear
from tests.driving.home_page import Reader
from tests.frame.accessibility import violations
from tests.home.conftest import PROMPT

pytestmark = pytest.mark.browser

VISIBLE, READABLE, TARGET = 3.0, 4.5, 24  # WCAG 2.2: 1.4.11, 1.4.3, 2.5.8 in CSS pixels
PROJECTED = 28  # CSS pixels of a number that the back row reads
# a link stands so many pixels under the upper edge of the buttons
SCROLLED_UNDER = """(root, nPixels) => {
  const [link, button] = [".bars-foot summary", ".thumb .button"]
    .map((name) => root.querySelector(name).getBoundingClientRect());
  root.getRootNode().host.closest(".stMain").scrollTop += link.bottom - button.top - nPixels;
}"""
RGB = """(node, [pseudo, property]) => {
  const probe = new OffscreenCanvas(1, 1).getContext("2d");
  probe.fillStyle = getComputedStyle(node, pseudo)[property];
  probe.fillRect(0, 0, 1, 1);
  return [...probe.getImageData(0, 0, 1, 1).data].slice(0, 3);
}"""


def colour_of(reader: Reader, place: str, name: str = "backgroundColor", pseudo: str = "") -> str:
    """The colour of the first such part that is painted, as a hex code."""
    rgb = reader.live.locator(place).first.evaluate(RGB, [pseudo or None, name])
    return "#{:02x}{:02x}{:02x}".format(*rgb)


@pytest.fixture(scope="module")
def phone(browser: Browser, url: str) -> Iterator[Reader]:
    """One phone for all that is only looked at or scrolled."""
    context = browser.new_context(
        viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True
    )
    yield Reader(context.new_page(), url).open(prompt=PROMPT, run="2")
    context.close()


def ratio(one: str, other: str) -> float:
    return contrast(linear(one), linear(other))


def test_it_opens_in_the_system_s_theme_legible_in_both_and_forced_colours_leave_every_mark(
    newcomer: Reader,
) -> None:
    page = newcomer.page
    page.emulate_media(color_scheme="dark")
    reader = newcomer.open(prompt=PROMPT, run="4")
    for theme, ground in (("dark", "rgb(21, 24, 30)"), ("light", "rgb(255, 255, 255)")):
        page.emulate_media(color_scheme=theme)  # type: ignore[arg-type]  # one of two words
        expect(page.get_by_test_id("stApp")).to_have_css("background-color", ground)
        bar = colour_of(reader, "[data-state=kept] .bar")
        assert colour_of(reader, ".draw-segment") == bar, "one material"
        for part in (":nth-child(1)", ":nth-child(2)"):
            words = colour_of(reader, f".draw-segment{part}", "color")
            assert ratio(words, colour_of(reader, f".draw-segment{part}")) >= READABLE, theme
    page.emulate_media(forced_colors="active", color_scheme="dark")
    ground = colour_of(reader, ".prompt-box")
    for place, name, pseudo in (
        ("[data-state=kept] .bar", "backgroundColor", ""),
        (".bar-pointer", "backgroundColor", ""),
        (".draw-segment", "borderLeftColor", ""),
        (".pointer-marker", "borderLeftColor", ""),
        (".loop-columns.is-prompt", "backgroundColor", ""),
        (".token.of-model", "borderBottomColor", ""),
    ):
        assert ratio(colour_of(reader, place, name, pseudo), ground) >= VISIBLE, place


def test_every_settled_event_is_said(reader: Reader) -> None:
    spoken = reader.live.locator(".spoken[aria-live]:not([aria-atomic])")
    for press, words in (
        ("Next", "6 tokens"),
        ("Write 20 tokens at once", "26 tokens"),
        ("Back", "25 tokens"),
        ("Reset", "5 tokens"),
    ):
        reader.press(press)
        expect(spoken).to_contain_text(words)
    reader.do(reader.row(3).locator("button").click, "force")
    label = reader.live.locator(".token").last.text_content() or ""
    expect(spoken).to_contain_text(label.replace("␣", ""))
    expect(spoken).to_contain_text("6 tokens")
    reader.choose_at(5, "Look at its bars", "inspect")
    expect(spoken).to_contain_text("Position 5")
    assert reader.live.locator("output").count() == 0  # a slider says its value itself


def test_a_tip_stays_under_the_pointer_and_focus_is_seen(reader: Reader) -> None:
    page = reader.page
    reader.press("Next")
    page.get_by_role("button", name="1 Write").focus()
    page.keyboard.press("Tab")  # to another button of Streamlit's own
    width = page.evaluate("parseFloat(getComputedStyle(document.activeElement).outlineWidth)")
    assert width >= 2
    tip = reader.live.locator(".tip")
    reader.chips.last.hover()
    expect(tip).to_be_visible()
    box = tip.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2, steps=4)
    page.wait_for_timeout(400)
    expect(tip).to_be_visible()
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()
    reader.chips.last.hover()
    expect(tip).to_be_visible()
    page.mouse.move(5, 700)
    expect(tip).to_be_hidden()


def test_a_token_s_card_closes_when_play_writes_on(reader: Reader) -> None:
    reader.press("Next")
    tip = reader.live.locator(".tip")
    reader.chips.last.hover()
    expect(tip).to_be_visible()
    reader.page.keyboard.press("Space")
    expect(reader.live.get_by_role("button", name="Pause")).to_be_visible()
    expect(tip).to_be_hidden()


def test_a_token_s_menu_says_what_surprise_is(reader: Reader) -> None:
    reader.press("Next")
    reader.chips.last.click()
    menu = reader.live.get_by_role("dialog", name="This token")
    note = menu.get_by_text(BY_NAME["surprise"].says)
    expect(menu.get_by_role("button", name="Look at its bars")).to_be_focused()
    menu.get_by_role("button", name="surprise").click()
    expect(note).to_be_visible()
    menu.get_by_role("button", name="surprise").click()
    expect(note).to_be_hidden()
    reader.page.keyboard.press("Escape")
    expect(menu).to_be_hidden()


CARDS = ({}, (1280, 800)), ({}, (390, 844)), ({}, (360, 640)), ({"present": "1"}, (1280, 720))


@pytest.mark.parametrize(("more", "size"), CARDS)
def test_a_token_s_card_covers_no_bar_and_says_first_what_the_bar_says(
    newcomer: Reader, more: dict[str, str], size: tuple[int, int]
) -> None:
    newcomer.page.set_viewport_size({"width": size[0], "height": size[1]})
    reader = newcomer.open(prompt="The bird sat on the", run="1", side="0", **more)
    reader.page.evaluate("scrollTo(0, 0)")
    reader.chips.last.click()
    menu = reader.live.get_by_role("dialog", name="This token")
    card, plot = menu.bounding_box(), reader.live.locator(".plot").bounding_box()
    assert card is not None
    assert plot is not None
    is_beside = card["x"] >= plot["x"] + plot["width"]
    assert is_beside or card["y"] + card["height"] <= plot["y"]
    first = menu.locator(".facts dd").first
    shares = reader.header["steps"]
    assert shares["chosen_prob"][-1] != pytest.approx(shares["prob"][-1], rel=0.01)
    assert first.text_content() == f"{100 * shares['chosen_prob'][-1]:.1f}\u202f%"


def test_on_a_phone_a_finger_finds_room_and_the_buttons_stay_at_the_thumb(phone: Reader) -> None:
    for place in (".bars-row:visible .bars-label", ".example", ".foot .quiet", ".menu summary"):
        for part in phone.live.locator(place).all()[:3]:
            box = part.bounding_box()
            assert box is None or box["height"] >= TARGET, place
    for place in (".strip", ".pointer", ".loop"):
        phone.live.locator(place).scroll_into_view_if_needed()
        expect(phone.button("Next")).to_be_in_viewport(ratio=1)
    expect(phone.live.locator(".below ~ .transport")).to_be_visible()  # the keyboard meets it last


def test_what_the_buttons_of_a_phone_cut_is_a_target_wherever_the_page_stands(
    phone: Reader,
) -> None:
    root, bar = phone.live.locator(".ott"), phone.live.locator(".thumb")

    def cut(n_pixels: int) -> list[str]:
        """Scrolls a link so far under the buttons; returns the targets that are too small."""
        root.evaluate(SCROLLED_UNDER, n_pixels)
        return violations(phone.page, "target-size", patience=0)

    for n_pixels in (1, 8, 16, 40, 70):
        assert cut(n_pixels) == [], n_pixels
    bar.evaluate("(bar) => bar.style.cssText = 'border: 0; padding: 8px 0; bottom: 0'")
    assert cut(9) != [], "without room around the buttons"
    bar.evaluate("(bar) => bar.removeAttribute('style')")
    cut(8)
    code = phone.live.locator(".loop-code")
    code.evaluate("(code) => code.focus()")
    low, high = code.bounding_box(), bar.bounding_box()
    assert low is not None
    assert high is not None
    assert low["y"] + low["height"] <= high["y"], "what the keyboard comes to stands above them"


def test_the_keyboard_meets_the_parts_in_the_order_in_which_they_are_seen(phone: Reader) -> None:
    parts = ".strip-scroll .bars-top .bars-table .pointer .loop .more .strip-sums"
    read = """(root, parts) => [...root.querySelectorAll(parts.replaceAll(" ", ","))]
      .filter((node) => node.getClientRects().length > 0)
      .map((node) => [node.classList[0], node.getBoundingClientRect().top])"""

    def is_in_order(first: str, then: str) -> bool:
        tops = dict(phone.live.locator(".ott").evaluate(read, parts))
        is_seen = all(low >= high - TARGET for high, low in pairwise(tops.values()))
        return is_seen and list(tops).index(first) < list(tops).index(then)

    for width, *two in (
        (720, "bars-table", "pointer"),
        (1280, "pointer", "loop"),
        (390, "bars-table", "pointer"),
    ):
        phone.page.set_viewport_size({"width": width, "height": 844})
        phone.until(partial(is_in_order, *two), f"another order at {width} pixels")


def test_a_projector_shows_the_text_and_the_bars_on_one_screen(newcomer: Reader) -> None:
    newcomer.page.set_viewport_size({"width": 1024, "height": 768})
    reader = newcomer.open(prompt="The cat sat on the", run="2", present="1", side="0")
    for place in (".strip .token >> nth=-1", ".draw-bar", ".bars-row:visible >> nth=-1"):
        expect(reader.live.locator(place)).to_be_in_viewport(ratio=1)
    number = reader.live.locator("[data-col=active] .bar-number").first
    size = number.evaluate("(node) => parseFloat(getComputedStyle(node).fontSize)")
    assert size >= PROJECTED
    reader.live.locator(".rest-toggle").click()
    reader.live.get_by_label("side by side").check()
    expect(reader.live.locator(".bars-picker select")).to_be_visible()


def test_a_swipe_that_begins_on_a_slider_scrolls_and_moves_nothing(phone: Reader) -> None:
    slider = phone.slider("temperature")
    slider.evaluate("(node) => node.scrollIntoView({ block: 'center' })")
    before, box = slider.input_value(), slider.bounding_box()
    assert box is not None
    x, y = box["x"] + 0.9 * box["width"], box["y"] + box["height"] / 2
    client = phone.page.context.new_cdp_session(phone.page)

    def touch(kind: str, *points: dict[str, float]) -> None:
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    touch("touchStart", {"x": x, "y": y})
    for moved in range(10, 160, 10):
        touch("touchMove", {"x": x, "y": y - moved})
    touch("touchEnd")
    after = slider.bounding_box()
    assert after is not None
    assert after["y"] < box["y"] - 50
    expect(slider).to_have_value(before)


def test_less_motion_means_one_light_and_no_flashes(reader: Reader) -> None:
    page = reader.page
    reader.live.locator(".ott").evaluate(
        """root => {
          globalThis.stages = [];
          new MutationObserver(() => stages.push(root.dataset.stage))
            .observe(root, { attributeFilter: ["data-stage"] });
        }"""
    )
    reader.press("Next")
    page.wait_for_timeout(400)
    page.wait_for_function("() => stages.at(-1) !== 'read'")
    assert page.evaluate("stages") in (["read", "idle"], [])


LINES = """(live) => [...live.querySelectorAll(".token")].map((node) =>
  [node.textContent.includes("⏎"), Math.round(node.getBoundingClientRect().bottom)])"""


def test_line_breaks_stay_on_the_line_that_they_end(newcomer: Reader) -> None:
    reader = newcomer.open(prompt="The end.\n\nThe king\n")
    tokens = reader.live.locator(".ott").evaluate(LINES)
    breaks = [is_break for is_break, _ in tokens]
    assert sum(breaks) >= 2
    lines = [bottom for _, bottom in tokens]
    for i, (before, after) in enumerate(pairwise(lines)):
        ends = breaks[i] and not breaks[i + 1]
        assert (after - before > 20) == ends, tokens
    slot = reader.live.locator(".slot").bounding_box()
    assert slot is not None
    assert abs(slot["y"] + slot["height"] - lines[-1]) < 12, "a break alone begins no line"
