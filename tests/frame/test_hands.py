"""Where the hand and the keyboard are: the focus, the way back, a finger on a slider."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, CDPSession, Locator, Page, expect

from tests.browser import SCREEN
from tests.driving.harness import EXPERT, by_key, visit, wait_idle
from tests.frame.accessibility import PHONE

pytestmark = pytest.mark.browser

ACTIVE = """() => {
  let node = document.activeElement;
  while (node?.shadowRoot?.activeElement) node = node.shadowRoot.activeElement;
  return node === document.body ? "" : `${node.tagName} ${node.textContent.trim().slice(0, 40)}`;
}"""


# a page's parts as Streamlit draws them; what is done to what has the focus; what has it then
LOSSES = {
    "drawn anew": ("a.replaceWith(made('a', 'Ask'))", "Ask"),
    "gone, beside the way on": ("a.querySelector('button').remove()", "Go on"),
    "switched off": ("a.querySelector('button').disabled = true", "Go on"),
    "hidden": ("a.hidden = true", "Go on"),
    "let go": ("document.activeElement.blur()", ""),
}
DRAW = """async () => {
  globalThis.made = (key, words, kind = "secondary") => {
    const place = Object.assign(document.createElement("div"), { className: `st-key-${key}` });
    const button = Object.assign(document.createElement("button"), { textContent: words });
    button.dataset.testid = `stBaseButton-${kind}`;
    place.append(button);
    return place;
  };
  const row = Object.assign(document.createElement("div"), { className: "st-key-row" });
  row.append(made("first", "First"), made("a", "Ask"), made("b", "Go on", "primary"));
  document.body.append(row);
  globalThis.a = row.querySelector(".st-key-a");
  (await import("/pages/frame/live/focus.js")).keepFocus();
}"""


@pytest.mark.parametrize("loss", LOSSES)
def test_the_focus_goes_on_where_what_had_it_is_gone(scripts: Page, loss: str) -> None:
    scripts.evaluate(DRAW)
    scripts.locator(".st-key-first button").focus()
    scripts.locator(".st-key-a button").focus()
    done, words = LOSSES[loss]
    scripts.evaluate(f"() => {{ {done}; }}")
    has_it = f"BUTTON {words}" if words else ""
    scripts.wait_for_function(f"(words) => ({ACTIVE})() === words", arg=has_it)
    scripts.wait_for_timeout(400)
    assert scripts.evaluate(ACTIVE) == has_it, "and keeps it"


def test_a_dialog_that_closes_hands_the_focus_back_to_what_opened_it(scripts: Page) -> None:
    scripts.evaluate(DRAW)
    scripts.locator(".st-key-a button").focus()
    scripts.evaluate(
        """() => {
          globalThis.dialog = document.createElement("section");
          dialog.setAttribute("role", "dialog");
          dialog.append(made("within", "Use it"));
          document.body.append(dialog);
        }"""
    )
    scripts.get_by_text("Use it").focus()
    scripts.evaluate("() => { a.replaceWith(made('a', 'Ask anew')); dialog.remove(); }")
    scripts.wait_for_function(f"() => ({ACTIVE})() === 'BUTTON Ask anew'")


def test_a_page_that_is_turned_to_begins_at_its_title(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("guess")
    by_key(page, "neighbours").get_by_role("link").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_function(f"() => ({ACTIVE})().startsWith('H1')")
    wait_idle(page)
    assert page.evaluate(ACTIVE).startswith("H1"), "and keeps it"


def test_so_does_one_whose_address_comes_late(scripts: Page) -> None:
    """What was pressed is gone before the address is another: the focus waits nowhere else."""
    scripts.evaluate(DRAW)
    scripts.locator(".st-key-a button").focus()
    scripts.evaluate("() => a.querySelector('button').remove()")
    scripts.wait_for_function(f"() => ({ACTIVE})() === 'BUTTON Go on'")
    scripts.evaluate(
        """() => {
          document.body.prepend(Object.assign(document.createElement("h1"), { textContent: "T" }));
          history.pushState(null, "", "/another");
        }"""
    )
    scripts.wait_for_function(f"() => ({ACTIVE})() === 'H1 T'")


def test_back_and_forward_go_where_one_was(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("speculative")
    expect(by_key(page, "rest")).to_be_attached()  # drawn in a second run, it moves the link
    wait_idle(page)
    link = by_key(page, "neighbours").get_by_role("link", name="Glossary")
    link.scroll_into_view_if_needed()
    page.wait_for_timeout(100)  # the browser tells of it in its next frame
    top = page.get_by_test_id("stMain").evaluate("(node) => node.scrollTop")
    assert top > SCREEN["height"]
    link.click()
    expect(page).to_have_title(re.compile("Glossary"))
    wait_idle(page)
    page.go_back()
    expect(page).to_have_title(re.compile("Speculative"))
    # but for what has grown above it meanwhile
    is_there = "(top) => Math.abs(document.querySelector('.stMain').scrollTop - top) < 200"
    page.wait_for_function(is_there, arg=top)
    page.go_forward()
    expect(page).to_have_title(re.compile("Glossary"))
    page.go_back()  # where the next test believes this page to be
    expect(page).to_have_title(re.compile("Speculative"))
    wait_idle(page)


def test_back_waits_for_a_server_that_is_slow(scripts: Page) -> None:
    """The page that is left stays on show until the other is drawn, bit by bit; it just began."""
    top = scripts.evaluate(
        """async () => {
          const rest = (ms) => new Promise((done) => setTimeout(done, ms));
          const app = Object.assign(document.createElement("div"), { className: "stApp" });
          const main = Object.assign(document.createElement("div"), { className: "stMain" });
          const draw = (height) => {
            const drawn = document.createElement("div");
            drawn.style.height = `${height}px`;
            main.replaceChildren(drawn);
          };
          app.dataset.testScriptState = "notRunning";
          main.style.cssText = "height: 200px; overflow: auto";
          app.append(main);
          document.body.append(app);
          (await import("/pages/frame/live/scroll.js")).keepScroll();
          draw(3000);
          history.replaceState(null, "", "/left");
          main.scrollTop = 2000;
          await new Promise((told) => main.addEventListener("scroll", told, { once: true }));
          const link = Object.assign(document.createElement("a"), { href: "/on" });
          link.addEventListener("click", (event) => event.preventDefault());
          main.append(link);
          link.click();
          history.pushState(null, "", "/on");
          await rest(200); // the page that is gone to begins at its top
          history.back();
          await rest(1500); // nothing of the other page has come
          app.dataset.testScriptState = "running";
          draw(300);
          await rest(1500); // nor all of it
          draw(3000);
          app.dataset.testScriptState = "notRunning";
          for (let n = 0; n < 300 && main.scrollTop !== 2000; n += 1) await rest(100);
          return main.scrollTop;
        }"""
    )
    assert top == 2000


def test_a_page_that_a_link_leads_to_begins_at_its_top(scripts: Page) -> None:
    """Also where the one before it was as high when it was left, and nothing scrolled."""
    scripts.evaluate(
        """async () => {
          const main = Object.assign(document.createElement("div"), { className: "stMain" });
          main.style.cssText = "height: 200px; overflow: auto";
          const long = Object.assign(document.createElement("div"), { textContent: "words" });
          long.style.height = "3000px";
          const words = { href: "/next", textContent: "on" };
          const link = Object.assign(document.createElement("a"), words);
          link.addEventListener("click", (event) => {
            event.preventDefault();
            setTimeout(() => history.pushState(null, "", "/next"), 200);
          });
          main.append(long, link);
          document.body.append(main);
          (await import("/pages/frame/live/scroll.js")).keepScroll();
          main.scrollTop = 2000;
        }"""
    )
    scripts.get_by_text("on", exact=True).click()
    scripts.wait_for_function("() => document.querySelector('.stMain').scrollTop === 0")
    scripts.evaluate("() => history.pushState(null, '', '/')")


@pytest.fixture(scope="module")
def phone(browser: Browser) -> Iterator[Page]:
    context = browser.new_context(viewport=PHONE, has_touch=True, is_mobile=True)
    context.add_init_script(EXPERT)
    yield context.new_page()
    context.close()


def drag(page: Page, place: Locator, across: float, down: float) -> None:
    """Draw a finger over something, from its middle."""
    box = place.bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    client: CDPSession = page.context.new_cdp_session(page)

    def touch(kind: str, *points: dict[str, Any]) -> None:
        client.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": list(points)})

    touch("touchStart", {"x": x, "y": y})
    for n in range(1, 11):
        touch("touchMove", {"x": x + across * n / 10, "y": y + down * n / 10})
    touch("touchEnd")


@pytest.mark.parametrize(
    ("path", "slider"),
    [
        ("", ".st-key-live input[name=temperature]"),
        ("diffusion", ".stSlider div:has(> div > [type=range])"),
    ],
)
def test_a_finger_moves_a_slider_and_not_the_page(
    phone: Page, url: str, path: str, slider: str
) -> None:
    visit(phone, f"{url}/{path}")
    if path:  # the slider comes with the answer, in a fold
        by_key(phone, "diffusion_said").locator("button").first.click()
        wait_idle(phone)
        phone.locator("summary", has_text="Passes, other texts").click()
        wait_idle(phone)
    place = phone.locator(slider).first
    tell = "(node) => (node.querySelector('input') ?? node).value"
    where = "(node) => node.getBoundingClientRect().top"
    moved, top = True, 0.0
    while moved:  # a fold takes a moment to open
        place.evaluate("(node) => node.scrollIntoView({ block: 'center' })")
        phone.wait_for_timeout(300)
        moved, top = place.evaluate(where) != top, place.evaluate(where)
    before = place.evaluate(tell)
    drag(phone, place, 60, 12)
    wait_idle(phone)
    assert place.evaluate(where) == pytest.approx(top, abs=1)
    assert place.evaluate(tell) != before
