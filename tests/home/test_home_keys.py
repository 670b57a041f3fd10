"""The home page by keyboard and on small screens: keys, focus, names, what one screen holds."""

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import expect

from pages.home.model_in_words import SHIPPED_IN_WORDS
from tests.driving.harness import by_key
from tests.driving.home_page import PATIENCE_MS, Reader
from tests.home.conftest import PROMPT

pytestmark = pytest.mark.browser

# every element that takes the focus, in the page and in the component's shadow root
INTERACTIVE = """() => {
  const selector = 'a[href], button, input, select, textarea, summary, [tabindex="0"]';
  const all = [];
  const collect = (root) => {
    for (const node of root.querySelectorAll('*')) {
      if (node.shadowRoot) collect(node.shadowRoot);
      const isSeen = node.checkVisibility({ visibilityProperty: true });
      if (isSeen && node.matches(selector)) all.push(node);
    }
  };
  collect(document);
  return all;
}"""
# those that have no name, as their markup
NAMELESS = """(all) => all.filter((node) => {
  const root = node.getRootNode();
  const ids = (node.getAttribute('aria-labelledby') ?? '').split(' ').filter(Boolean);
  const name = node.getAttribute('aria-label') || node.title || node.textContent.trim()
    || ids.map((id) => root.getElementById(id)?.textContent).join('')
    || [...(node.labels ?? [])].map((label) => label.textContent).join('');
  return !name.trim();
}).map((node) => node.cloneNode().outerHTML)"""
NOTE_FOCUS = """() => {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  if (node && node !== document.body) (globalThis.reached ??= new Set()).add(node);
}"""
LEFT_OUT = """(all) => all.filter((node) => !reached.has(node) && node.tabIndex >= 0)
  .map((node) => node.cloneNode().outerHTML)"""
PAUSE_BETWEEN_BEATS = """(root, wanted) => new Promise((resolve) => {
  const look = () => {
    const isRunning = root.querySelector(".token.is-pending") !== null;
    if (isRunning || root.querySelectorAll(".token").length < wanted)
      return requestAnimationFrame(look);
    document.dispatchEvent(new KeyboardEvent("keydown", { key: " " }));
    resolve();
  };
  look();
})"""
OVERHANG = "(node) => node.scrollWidth - node.clientWidth"


def step_events(reader: Reader) -> list[str]:
    kinds = [event["kind"] for event in reader.events]
    return [kind for kind in kinds if kind in ("next", "back")]


def test_the_first_screen_holds_all_and_everything_has_a_name_and_is_reached_by_tab(
    reader: Reader,
) -> None:
    for _ in range(3):
        reader.press("Next")
    reader.page.get_by_test_id("stMain").evaluate("(node) => node.scrollTo(0, 0)")
    for selector in (
        "textarea.prompt-box",
        ".transport .buttons",
        ".strip-list",
        ".loop-band",
        ".bars-tail >> nth=0",
        ".draw-bar",
    ):
        expect(reader.live.locator(selector)).to_be_in_viewport(ratio=1)

    # one round by Tab, from the top of the page until it comes back there
    places = reader.page.evaluate_handle(INTERACTIVE)
    n_places = reader.page.evaluate("(all) => all.length", places)
    assert n_places > 30
    assert reader.page.evaluate(NAMELESS, places) == []
    for _ in range(n_places + 30):
        reader.page.keyboard.press("Tab")
        reader.page.evaluate(NOTE_FOCUS)
    assert reader.page.evaluate(LEFT_OUT, places) == []


def test_right_is_next_left_is_back_and_space_plays_until_it_is_pressed_again(
    reader: Reader,
) -> None:
    n_prompt = len(reader.ids)
    for key, kind, n in (("Right", "next", 1), ("Right", "next", 2), ("Left", "back", 1)):
        reader.key(f"Arrow{key}", kind)
        assert len(reader.ids) == n_prompt + n

    reader.live.get_by_label("Speed").select_option("10")
    reader.live.locator("select:focus").evaluate_all("all => all.forEach((node) => node.blur())")
    reader.page.keyboard.press("Space")
    expect(reader.button("Pause")).to_be_visible()
    reader.live.locator(".ott").evaluate(PAUSE_BETWEEN_BEATS, n_prompt + 20)
    expect(reader.button("Play")).to_be_visible()
    reader.settle()
    n_written = len(reader.ids)
    reader.rest()
    assert len(reader.ids) == n_written, "nothing comes after a pause"
    expect(reader.live.locator(".ott")).to_have_attribute("data-stage", "idle")


def test_a_mask_that_is_ticked_ends_greedy_and_says_so_once(reader: Reader) -> None:
    reader.live.get_by_label("side by side").check()
    reader.do(reader.use("greedy").click, "settings")
    expect(reader.live.locator(".pointer-sentence")).to_contain_text("nothing to decide")
    expect(reader.live.locator(".is-append")).to_contain_text(f"id {reader.header['next_id']}")
    n_before = len(reader.events)
    reader.do(reader.use("top_k").click, "settings")
    assert [event["kind"] for event in reader.events[n_before:]] == ["settings"]
    expect(reader.use("greedy")).not_to_be_checked()
    for name in ("temperature", "top_k", "top_p"):
        expect(reader.use(name)).to_be_checked()
    reader.do(reader.use("top_k").click, "settings")
    reader.live.get_by_label("side by side").uncheck()


def test_keys_belong_to_what_has_the_focus_and_one_press_is_one(reader: Reader) -> None:
    for key in ("Control+ArrowRight", "Alt+ArrowRight", "Meta+ArrowRight"):
        reader.page.keyboard.press(key)
    reader.key("ArrowRight", "next")
    assert step_events(reader) == ["next"], "a key with a modifier is the browser's"
    for place in (
        "textarea.prompt-box",
        "input.slider[name=temperature]",
        "input[name=use_top_k]",
        ".transport button:has-text('Reset')",
        ".transport select.speed",
        ".token >> nth=-1",
        ".bars-row button >> nth=0",
        "summary >> nth=0",
    ):
        n_before = len(step_events(reader))
        target = reader.live.locator(place)
        target.focus()
        for key in ("ArrowRight", "ArrowLeft"):
            reader.page.keyboard.press(key)
        target.evaluate("(node) => node.getRootNode().activeElement?.blur()")
        reader.key("ArrowRight", "next")
        assert step_events(reader)[n_before:] == ["next"], place

    # Streamlit's own fields and links, and many reruns, whose listeners must not pile up
    n_before = len(step_events(reader))
    reader.page.get_by_role("button", name="Seed").click()
    by_key(reader.page, "seed").locator("input").focus()
    for key in ("ArrowRight", "ArrowLeft"):
        reader.page.keyboard.press(key)
    reader.page.keyboard.press("Escape")
    for is_on in (True, False, True, False):
        by_key(reader.page, "presenter").get_by_text("Large type").click()
        presenting = reader.live.locator(".ott[data-presenter=true]")
        expect(presenting).to_have_count(int(is_on), timeout=PATIENCE_MS)
    reader.page.keyboard.press("ArrowRight")  # the switch has the focus
    reader.page.evaluate("() => document.activeElement.blur()")
    reader.key("ArrowRight", "next")
    assert step_events(reader)[n_before:] == ["next"]


def test_ctrl_z_takes_back_press_after_press_whatever_they_were(reader: Reader) -> None:
    """A reset too, with its forced token and the settings of each draw."""
    n_prompt = len(reader.ids)
    slider = reader.slider("temperature")

    def shown() -> tuple[object, ...]:
        header = reader.header
        return header["ids"], header["controls"], header["steps"]["how"], header["branch"]

    before = [shown()]

    def note(kind: str, act: Callable[[], object]) -> None:
        reader.do(act, kind)
        before.append(shown())

    note("next", reader.button("Next").click)
    note("force", reader.row(3).locator("button").click)
    note("settings", lambda: slider.press("ArrowRight"))
    slider.blur()
    note("next", reader.button("Next").click)
    note("finish", reader.button("Write 20 tokens at once").click)
    note("back", reader.button("Back").click)
    note("reset", reader.button("Reset").click)
    note("next", reader.button("Next").click)
    kinds = ["back", "again", "again", "rewind", "back", "settings", "back", "back"]
    before.pop()
    for kind in kinds:
        reader.key("Control+z", kind)
        assert shown() == before.pop(), kind
    assert len(reader.ids) == n_prompt
    n_sent = len(reader.events)
    box = reader.live.get_by_role("textbox", name="Prompt")
    box.press("x")
    box.press("Control+z")  # the field's own
    expect(box).not_to_have_value(re.compile("x"))
    box.fill(PROMPT)
    box.blur()
    reader.settle()
    assert {event["kind"] for event in reader.events[n_sent:]} <= {"tokenise"}


def test_the_focus_never_falls_to_the_body(reader: Reader) -> None:
    reader.press("Next")
    reader.chips.last.focus()
    reader.page.keyboard.press("Enter")
    look = reader.live.get_by_role("button", name="Look at its bars")
    expect(look).to_be_focused()
    reader.page.keyboard.press("Escape")
    expect(reader.chips.last).to_be_focused()
    reader.page.keyboard.press("Enter")
    reader.do(lambda: reader.page.keyboard.press("Enter"), "inspect")
    back = reader.live.get_by_role("button", name="Back to now")
    back.focus()
    reader.do(lambda: reader.page.keyboard.press("Enter"), "inspect")
    expect(back).to_be_hidden()
    expect(reader.button("Next")).to_be_focused()  # the way on: what was pressed is gone
    reader.button("Next").blur()


def test_no_page_scrolls_sideways(reader: Reader) -> None:
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.write(f"{PROMPT} {'x' * 300} \N{ROCKET}")
    reader.press("Write 20 tokens at once")
    for summary in reader.live.locator("summary").all():
        summary.click()
    reader.choose_at(reader.header["n_prompt"] + 2, "Look at its bars", "inspect")
    for width in (390, 768):
        reader.page.set_viewport_size({"width": width, "height": 844})
        assert reader.page.locator("html").evaluate(OVERHANG) == 0
        assert reader.page.get_by_test_id("stMain").evaluate(OVERHANG) == 0
        for name in ("Next", "Back", "Reset"):
            expect(reader.button(name)).to_be_visible()
    for summary in reader.live.locator("summary").all():
        summary.click()


def test_the_arrows_walk_the_text_and_escape_leaves_the_past(newcomer: Reader) -> None:
    reader = newcomer.open(prompt=PROMPT, run="4")
    n_prompt = reader.header["n_prompt"]
    reader.chips.last.focus()
    reader.page.keyboard.press("ArrowLeft")
    focused = reader.live.locator(".token:focus")
    expect(focused).to_have_attribute("data-index", str(n_prompt + 2))
    reader.page.keyboard.press("Enter")
    look = reader.live.get_by_role("button", name="Look at its bars")
    expect(look).to_be_focused()
    reader.do(lambda: reader.page.keyboard.press("Enter"), "inspect")
    banner = reader.live.get_by_text(f"You look at position {n_prompt + 2}")
    expect(banner).to_be_visible()
    reader.page.keyboard.press("Escape")
    expect(banner).to_be_hidden()
    assert len(reader.ids) == n_prompt + 4
    reader.chips.last.focus()
    for key in ("Enter", "Tab", "Tab", "Tab"):  # through the menu and on
        reader.page.keyboard.press(key)
    expect(look).to_be_hidden()

    # strategies are compared, and another model is chosen, without a pointer
    compare = reader.live.get_by_role("checkbox", name="side by side")
    compare.uncheck()  # whatever the window's last reader preferred
    compare.focus()
    reader.page.keyboard.press("Space")
    expect(compare).to_be_checked()
    expect(compare).to_be_focused()
    reader.page.get_by_role("button", name="Model: storyteller").focus()
    reader.page.keyboard.press("Enter")
    dialog = reader.page.get_by_role("dialog")
    expect(dialog).to_be_focused()
    dialog.get_by_role("radio", name=SHIPPED_IN_WORDS["scribbler"]).focus()
    reader.page.keyboard.press("Space")
    way_on = dialog.get_by_role("button", name="Use this model")
    expect(way_on).to_be_focused()
    reader.page.keyboard.press("Enter")
    expect(reader.page.get_by_role("button", name="Model: scribbler")).to_be_focused()
    expect(dialog).to_have_count(0)
