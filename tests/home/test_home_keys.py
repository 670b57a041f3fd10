"""The home page by keyboard and on small screens: keys, focus, names, what one screen holds."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from benchmarks.harness import by_key
from benchmarks.home_page import PATIENCE, Reader
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


def step_events(reader: Reader) -> list[str]:
    kinds = [event["kind"] for event in reader.wire.events]
    return [kind for kind in kinds if kind in ("next", "back")]


def test_the_first_screen_holds_all_and_everything_has_a_name_and_is_reached_by_tab(
    reader: Reader,
) -> None:
    for _ in range(3):
        reader.press("Next")
    for name, selector in {
        "prompt": "textarea.prompt-box",
        "buttons": ".transport .buttons",
        "strip": ".strip-list",
        "loop": ".loop-band",
        "the last bar": ".bars-tail",
        "the coin": ".coin-bar",
    }.items():
        box = reader.live.locator(selector).bounding_box()
        assert box is not None, name
        assert box["y"] >= 0, name
        assert box["y"] + box["height"] <= 800, name
        assert box["x"] + box["width"] <= 1280, name

    places = reader.page.evaluate_handle(INTERACTIVE)
    n_places = reader.page.evaluate("(all) => all.length", places)
    assert n_places > 30
    nameless = reader.page.evaluate(
        """(all) => all.filter((node) => {
          const labelled = node.getAttribute('aria-labelledby');
          const root = node.getRootNode();
          const ids = (labelled ?? '').split(' ').filter(Boolean);
          const by = ids.map((id) => root.getElementById(id));
          const name = node.getAttribute('aria-label') || node.title || node.textContent.trim()
            || by.map((other) => other?.textContent).join('')
            || [...(node.labels ?? [])].map((label) => label.textContent).join('');
          return !name.trim();
        }).map((node) => node.cloneNode().outerHTML)""",
        places,
    )
    assert not nameless

    # one round by Tab, from the top of the page until it comes back there
    reached = reader.page.evaluate("() => { window.__reached = new Set(); return 0; }")
    for _ in range(n_places + 30):
        reader.page.keyboard.press("Tab")
        reached = reader.page.evaluate(
            """() => {
              let node = document.activeElement;
              while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
              if (node && node !== document.body) window.__reached.add(node);
              return window.__reached.size;
            }"""
        )
    left_out = reader.page.evaluate(
        """(all) => all.filter((node) => !window.__reached.has(node) && node.tabIndex >= 0)
          .map((node) => node.cloneNode().outerHTML)""",
        places,
    )
    assert reached > 30
    assert not left_out


def test_right_is_next_left_is_back_and_space_plays_until_it_is_pressed_again(
    reader: Reader,
) -> None:
    n_prompt = len(reader.ids)
    reader.key("ArrowRight", "next")
    reader.key("ArrowRight", "next")
    assert len(reader.ids) == n_prompt + 2
    reader.key("ArrowLeft", "back")
    assert len(reader.ids) == n_prompt + 1

    reader.live.get_by_label("Speed").select_option("10")
    reader.page.evaluate("() => document.activeElement.blur()")
    reader.live.locator("select:focus").evaluate_all("all => all.forEach((node) => node.blur())")
    reader.page.keyboard.press("Space")
    expect(reader.button("Pause")).to_be_visible()
    reader.until(lambda: len(reader.ids) >= n_prompt + 30, "Play waits for ever")
    reader.page.keyboard.press("Space")
    expect(reader.button("Play")).to_be_visible()
    reader.settle()
    n_written = len(reader.ids)
    reader.rest()
    assert len(reader.ids) == n_written, "nothing comes after a pause"


def test_a_mask_that_is_ticked_ends_greedy_and_says_so_once(reader: Reader) -> None:
    reader.live.get_by_label("all strategies").check()
    reader.do(reader.use("greedy").click, "settings")
    expect(reader.use("greedy")).to_be_checked()
    n_before = len(reader.wire.events)
    reader.do(reader.use("top_k").click, "settings")
    assert [event["kind"] for event in reader.wire.events[n_before:]] == ["settings"]
    expect(reader.use("greedy")).not_to_be_checked()
    for name in ("temperature", "top_k", "top_p"):
        expect(reader.use(name)).to_be_checked()
    reader.do(reader.use("top_k").click, "settings")
    reader.live.get_by_label("all strategies").uncheck()


def test_keys_belong_to_what_has_the_focus_and_one_press_is_one(reader: Reader) -> None:
    for key in ("Control+ArrowRight", "Shift+ArrowRight", "Meta+ArrowRight"):
        reader.page.keyboard.press(key)
    reader.key("ArrowRight", "next")
    assert step_events(reader) == ["next"], "a key with a modifier is the browser's"
    for place in (
        "textarea.prompt-box",
        "input.slider[name=temperature]",
        "input[name=use_top_k]",
        ".transport button:has-text('Reset')",
        ".transport select",
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
    by_key(reader.page, "presenter").locator("input").focus()
    reader.page.keyboard.press("ArrowRight")
    reader.page.get_by_role("button", name="Seed").click()
    seed = by_key(reader.page, "seed").locator("input")
    seed.focus()
    for key in ("ArrowRight", "ArrowLeft"):
        reader.page.keyboard.press(key)
    reader.page.keyboard.press("Escape")
    for is_on in (True, False, True, False):
        by_key(reader.page, "presenter").get_by_text("Presenter").click()
        presenting = reader.live.locator(".ott[data-presenter=true]")
        expect(presenting).to_have_count(int(is_on), timeout=PATIENCE)
    reader.page.evaluate("() => document.activeElement.blur()")
    reader.key("ArrowRight", "next")
    assert step_events(reader)[n_before:] == ["next"]


def test_no_page_scrolls_sideways(reader: Reader) -> None:
    reader.page.set_viewport_size({"width": 390, "height": 844})
    reader.write(f"{PROMPT} {'x' * 300} \N{ROCKET}")
    reader.press("Write 20 tokens at once")
    for summary in reader.live.locator("summary").all():
        summary.click()
    reader.choose_at(reader.header["n_prompt"] + 2, "Look at its distribution", "inspect")
    for width in (390, 768):
        reader.page.set_viewport_size({"width": width, "height": 844})
        overhang = "(node) => node.scrollWidth - node.clientWidth"
        assert reader.page.locator("html").evaluate(overhang) == 0
        assert reader.page.get_by_test_id("stMain").evaluate(overhang) == 0
        for name in ("Next", "Back", "Reset"):
            expect(reader.button(name)).to_be_visible()
    reader.page.set_viewport_size({"width": 1280, "height": 800})


def test_the_arrows_walk_the_text_and_escape_leaves_the_past(reader: Reader) -> None:
    n_prompt = len(reader.ids)
    for _ in range(4):
        reader.press("Next")
    reader.chips.last.focus()
    reader.page.keyboard.press("ArrowLeft")
    focused = reader.live.locator(".token:focus")
    expect(focused).to_have_attribute("data-index", str(n_prompt + 2))
    reader.page.keyboard.press("Enter")
    look = reader.live.get_by_role("button", name="Look at its distribution")
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
    compare = reader.live.get_by_role("checkbox", name="all strategies")
    compare.focus()
    reader.page.keyboard.press("Space")
    expect(compare).to_be_checked()
    expect(compare).to_be_focused()
    reader.page.get_by_role("button", name="Model: storyteller").focus()
    reader.page.keyboard.press("Enter")
    dialog = reader.page.get_by_role("dialog")
    expect(dialog).to_be_focused()
    dialog.get_by_role("radio", name="scribbler", exact=True).focus()
    reader.page.keyboard.press("Space")
    way_on = dialog.get_by_role("button", name="Use this model")
    expect(way_on).to_be_focused()
    reader.page.keyboard.press("Enter")
    expect(reader.page.get_by_role("button", name="Model: scribbler")).to_be_focused()
    expect(dialog).to_have_count(0)
