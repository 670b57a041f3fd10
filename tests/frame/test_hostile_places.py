"""Browsers that take something away: each place is one context in which a reader still gets on."""

import json
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Frame, Locator, Page, ViewportSize, expect

from model.loading import LanguageModel
from pages.home.in_page_file import live_page
from tests.browser import SEEN
from tests.driving.harness import by_key, visit
from tests.frame.by_eye import WORDS
from tests.nightly import by_night

pytestmark = pytest.mark.browser

PHONE: ViewportSize = {"width": 360, "height": 740}
MIN_TARGET = 24  # CSS pixels, WCAG 2.5.8

NO_STORAGE = """for (const kind of ["localStorage", "sessionStorage"])
  Object.defineProperty(globalThis, kind, {
    get() { throw new DOMException("refused", "SecurityError"); },
  });"""
NULL_STORAGE = """for (const kind of ["localStorage", "sessionStorage"])
  Object.defineProperty(globalThis, kind, { value: null });"""
FULL_STORAGE = """Storage.prototype.setItem = () => {
  throw new DOMException("full", "QuotaExceededError");
};"""
DEAF_STORAGE = "Storage.prototype.setItem = () => {};"
NO_CLIPBOARD = """Object.defineProperty(navigator, "clipboard", { value: undefined });"""
NO_COPY = NO_CLIPBOARD + "document.execCommand = () => { throw new Error('refused'); };"
HOST = "http://hostile.test/"
SANDBOX = '<iframe src="/file" sandbox="allow-scripts" width="1200" height="900"></iframe>'
SRCDOC = """() => new Promise((done) => {
  const frame = document.createElement("iframe");
  frame.srcdoc = `<script type="module">
    import { pageAddress, replaceAddress } from "/pages/frame/live/page_address.js";
    parent.postMessage([replaceAddress("?seed=3"), pageAddress()], "*");
  </script>`;
  addEventListener("message", ({ data }) => done(data), { once: true });
  document.body.append(frame);
})"""
NO_ADDRESS = (
    """history.replaceState = () => { throw new DOMException("refused", "SecurityError"); };"""
)
# the clock of hardened browsers, in workers too; ten times as coarse, for a machine that is busy
CLOCK = "{const now = performance.now.bind(performance);"
CLOCK += "performance.now = () => Math.floor(now() / 1000) * 1000;}\n"
COARSE_CLOCK = f"""{CLOCK}
const Own = Blob;
globalThis.Blob = class extends Own {{
  constructor(parts, options) {{
    super(options?.type === "text/javascript" ? [{json.dumps(CLOCK)}, ...parts] : parts, options);
  }}
}};"""
PLACES = {
    "no storage": NO_STORAGE + NO_COPY,
    "null storage": NULL_STORAGE + NO_CLIPBOARD,
    "full storage": FULL_STORAGE + NO_CLIPBOARD,
    "storage that forgets": DEAF_STORAGE + NO_ADDRESS,
}
# the others refuse, at a write or a read, what the first refuses at every use
BY_DAY = ("no storage", "storage that forgets")
SMALL = """(least) => {
  const found = [];
  const walk = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) walk(one.shadowRoot);
      if (!one.matches("button, input, select, summary") || !one.checkVisibility()) continue;
      const { width, height } = one.getBoundingClientRect();
      if (one.closest(".spoken") || width < 2 || one.type === "range") continue;
      if (Math.min(width, height) < least - 0.01)
        found.push([Math.round(width), Math.round(height), one.outerHTML.slice(0, 120)]);
    }
  };
  walk(document.querySelector(".st-key-live") ?? document.body);
  return found;
}"""
UNFOLD = """() => {
  const walk = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) walk(one.shadowRoot);
      if (one.matches("details:not(.menu)")) one.open = true;
    }
  };
  walk(document.querySelector(".st-key-live") ?? document.body);
}"""
LIVE_IN_SHADOW = """() => {
  const roles = "[aria-live], [role=status], [role=alert], [role=log]";
  const found = [];
  const walk = (root) => {
    for (const one of root.querySelectorAll("*")) {
      if (one.shadowRoot) walk(one.shadowRoot);
      if (one.matches(roles) && one.getRootNode() instanceof ShadowRoot)
        found.push(one.outerHTML.slice(0, 160));
    }
  };
  walk(document);
  return found;
}"""
KEYDOWN = """(node, init) => {
  const usual = { bubbles: true, composed: true, cancelable: true };
  const event = new KeyboardEvent("keydown", { ...usual, ...init });
  for (const name of ["key", "keyCode"])
    if (name in init) Object.defineProperty(event, name, { value: init[name] ?? undefined });
  return node.dispatchEvent(event);
}"""

Open = Callable[..., Page]


@pytest.fixture
def open_in(browser: Browser) -> Iterator[Open]:
    """Opens a page in a browser that takes something away; no script may meet an error there."""
    contexts, errors = [], list[str]()

    def open_page(script: str = "", **options: Any) -> Page:
        context = browser.new_context(**options)
        contexts.append(context)
        context.add_init_script(script)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []


@pytest.fixture(scope="module")
def file(storyteller: LanguageModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("hostile") / "one-token.html"
    path.write_text(live_page(storyteller), "utf-8")
    return path


@pytest.fixture(scope="module")
def room(browser: Browser, url: str) -> Iterator[tuple[str, str]]:
    """A room's code and its teacher's key."""
    page = browser.new_page()
    visit(page, f"{url}/classroom")
    by_key(page, "classroom_open").get_by_role("button").click()
    link = page.get_by_role("link", name="Open the desk").get_attribute("href") or ""
    page.close()
    code, key = link.split("/")[2], link.partition("#")[2]
    yield code, key
    press(url, code, key, "end")


def press(url: str, code: str, key: str, what: str, **more: Any) -> None:
    desk, headers = f"{url}/room/{code}/desk", {"x-desk": key}
    with urllib.request.urlopen(urllib.request.Request(f"{desk}/state", None, headers)) as answer:
        n_presses = json.loads(answer.read())["n_presses"]
    body = json.dumps({"do": what, "seconds": 0, "n_presses": n_presses} | more).encode()
    with urllib.request.urlopen(urllib.request.Request(f"{desk}/press", body, headers)) as answer:
        answer.read()


def next_once(place: Page | Frame) -> None:
    tokens = place.locator(".token")
    expect(tokens.first).to_be_visible()
    n = tokens.count()
    place.get_by_role("button", name="Next", exact=True).click()
    expect(tokens).to_have_count(n + 1)


def type_key(place: Locator, **init: Any) -> bool:
    """Sends a `keydown`; returns whether it is left to the browser."""
    return bool(place.evaluate(KEYDOWN, init))


def compose(field: Locator, word: str, poll: str) -> None:
    """Writes a word by an input method while the page asks the server twice, then ends it."""
    page = field.page
    method = page.context.new_cdp_session(page)
    field.evaluate("one => one.addEventListener('compositionend', () => one.dataset.ended = 1)")
    field.fill("")
    field.focus()
    method.send("Input.imeSetComposition", {"text": word, "selectionStart": 1, "selectionEnd": 1})
    for _ in range(2):
        with page.expect_response(poll):
            pass
    assert field.input_value() == word
    assert field.get_attribute("data-ended") is None
    method.send("Input.insertText", {"text": word})
    expect(field).to_have_attribute("data-ended", "1")
    assert field.input_value() == word


@pytest.mark.parametrize("place", by_night(list(PLACES), BY_DAY[:1]))
def test_a_class_votes_where_the_browser_keeps_nothing(
    place: str, open_in: Open, url: str, room: tuple[str, str]
) -> None:
    code, key = room
    desk = open_in(PLACES[place])
    desk.goto(f"{url}/room/{code}/desk#{key}")
    expect(desk.locator("#desk")).to_be_visible()
    desk.get_by_text("This room").click()
    desk.locator("#copy").click()
    expect(desk.locator("#copied")).not_to_be_empty()
    field = desk.get_by_label("Text to copy")
    assert field.count() == ("no storage" in place), "only where nothing copies does the text stay"
    if field.count():
        assert field.input_value().endswith(f"/room/{code}/desk#{key}")
    desk.locator("#else summary").click()
    desk.locator("#next").click()
    expect(desk.locator("#presses button").first).to_have_text("Close")
    desk.reload()  # the key is kept, by the address if by nothing else
    expect(desk.locator("#desk")).to_be_visible()

    phone = open_in(PLACES[place], viewport=PHONE, has_touch=True, is_mobile=True)
    phone.goto(f"{url}/room/{code}")
    phone.locator("#join button").click()
    options = phone.locator("#options button")
    expect(options).to_have_count(5)
    options.nth(1).click()
    expect(options.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(phone.locator("#error")).to_be_empty()
    assert phone.evaluate(WORDS, "#text, #options b") == []
    assert phone.evaluate(SMALL, MIN_TARGET) == []
    assert desk.evaluate(WORDS, "#text, #code, #address") == []
    for place_of_ones_own in (desk, phone):
        assert place_of_ones_own.evaluate(LIVE_IN_SHADOW) == []


def test_words_of_an_input_method_are_written_to_their_end(
    open_in: Open, url: str, room: tuple[str, str]
) -> None:
    code, key = room
    press(url, code, key, "next", may_write=True)
    phone, desk = open_in(CLOCK, viewport=PHONE), open_in(CLOCK)
    phone.goto(f"{url}/room/{code}")
    phone.locator("#join button").click()
    expect(phone.locator("#write")).to_be_visible()
    compose(phone.locator("#word"), "猫", "**/state?*")
    phone.keyboard.press("Enter")
    expect(phone.locator("#sent")).not_to_be_empty()
    desk.goto(f"{url}/room/{code}/desk#{key}")
    desk.get_by_text("A question of your own").click()
    compose(desk.locator("#words"), "犬は?", "**/state?*")
    desk.locator("#own button").click()
    expect(desk.locator("#ask")).to_have_text("犬は?")


def test_the_projector_shows_tokens_as_they_are(
    open_in: Open, url: str, room: tuple[str, str]
) -> None:
    code, key = room
    press(url, code, key, "next")
    projector = open_in(NO_STORAGE)
    projector.goto(f"{url}/room/{code}/projector")
    expect(projector.locator("#options li")).to_have_count(5)
    press(url, code, key, "hands", counts=[1, 2, 0, 0, 0], words="")
    expect(projector.locator(".bars .name").first).to_be_visible()
    assert projector.evaluate(WORDS, "#text, #code, #address, #options li, .bars .name") == []
    assert projector.evaluate(LIVE_IN_SHADOW) == []


@pytest.mark.parametrize("place", by_night(list(PLACES), BY_DAY))
def test_home_writes_where_the_browser_keeps_nothing(place: str, open_in: Open, url: str) -> None:
    page = open_in(PLACES[place], viewport=PHONE, has_touch=True, is_mobile=True)
    visit(page, f"{url}/?prompt=Once&seed=3")
    for _ in range(3):
        next_once(page)
    page.get_by_role("button", name="More", exact=True).click()
    page.get_by_role("button", name="copy link").click()
    field = page.get_by_label("Text to copy")
    if "no storage" in place:
        assert field.input_value().startswith(f"{url}/?model=")
    assert page.evaluate(SMALL, MIN_TARGET) == []
    page.get_by_label("side by side").check()
    page.evaluate(UNFOLD)
    expect(page.locator("select[name=order]")).to_be_visible()
    expect(page.locator(".bars-picker select")).to_be_visible()
    assert page.evaluate(SMALL, MIN_TARGET) == []
    assert page.evaluate(LIVE_IN_SHADOW) == []


def test_keys_of_other_keyboards_and_input_methods(open_in: Open, url: str) -> None:
    page = open_in()
    visit(page, f"{url}/?prompt=Once&seed=3")
    tokens, body = page.locator(".token"), page.locator("body")
    type_key(body, key=None, code="")  # a browser that fills in a form
    next_once(page)
    type_key(body, key="z", code="KeyZ", ctrlKey=True, isComposing=True)
    type_key(body, key="w", code="KeyZ", ctrlKey=True)  # another Latin layout has its own Z
    type_key(body, key="я", code="KeyZ", ctrlKey=True)
    expect(tokens).to_have_count(2)
    next_once(page)
    type_key(body, key="z", code="KeyW", ctrlKey=True)
    expect(tokens).to_have_count(2)
    tokens.last.focus()
    arrow = {"key": "ArrowLeft", "code": "ArrowLeft"}
    assert type_key(tokens.last, altKey=True, **arrow), "Alt and an arrow go back a page"
    expect(tokens.last).to_be_focused()
    assert not type_key(tokens.last, **arrow)
    expect(tokens.first).to_be_focused()

    box = page.get_by_role("textbox", name="Prompt")
    box.fill("日本")
    type_key(box, key="Enter", keyCode=229)  # Safari ends a word
    type_key(box, key="Enter", isComposing=True)
    expect(page.get_by_text("Enter starts from this text")).to_be_visible()
    type_key(box, key="Enter", keyCode=13)
    expect(page.get_by_text("Enter starts from this text")).to_be_hidden()


def test_no_browser_translates_tokens_code_or_names(open_in: Open, url: str) -> None:
    page = open_in(NO_STORAGE + NO_COPY)
    visit(page, f"{url}/?prompt=Once&seed=3&side=1")
    next_once(page)
    page.get_by_text("The prompt as its tokens").click()
    page.get_by_role("button", name="show the code that ran").click()
    shown = (
        ".token, .st-key-choose_model p, .bars-label, .named, .piece-label, .piece-id, "
        ".draw-segment span, .code-lines li, .loop-line, .loop-above, "
        ".steps-table td, .example, kbd, code, pre"
    )
    assert page.locator(".code-lines li").count() > 5
    assert page.evaluate(WORDS, shown) == []


@pytest.mark.nightly  # by day home, and kv_cache in test_browser.py
def test_a_lesson_goes_on_where_nothing_is_kept_and_nothing_copied(open_in: Open, url: str) -> None:
    page = open_in(NO_STORAGE + NO_COPY)
    visit(page, f"{url}/kv_cache?lesson=how-a-model-writes&scene=9")
    page.wait_for_function(f"() => ({WORDS})('pre, code, .stPlotlyChart').length === 0")
    by_key(page, "kv_link").get_by_role("button").click()
    expect(page.get_by_role("dialog").locator("code")).to_contain_text(f"{url}/kv_cache?")
    assert page.evaluate(LIVE_IN_SHADOW) == []


def test_the_file_runs_in_a_sandboxed_frame(open_in: Open, file: Path) -> None:
    page = open_in(NO_COPY)
    page.route(f"{HOST}file", lambda route: route.fulfill(path=file, content_type="text/html"))
    page.route(HOST, lambda route: route.fulfill(body=SANDBOX, content_type="text/html"))
    page.goto(HOST)
    frame = page.frames[-1]
    for _ in range(3):
        next_once(frame)
    n_tokens, box = frame.locator(".token").count(), frame.get_by_role("textbox", name="Prompt")
    type_key(frame.locator("body"), key="я", code="KeyZ", ctrlKey=True)
    expect(frame.locator(".token")).to_have_count(n_tokens - 1)
    written = box.input_value()
    box.fill("日本")
    type_key(box, key="Enter", keyCode=229)
    expect(frame.get_by_text("Enter starts from this text")).to_be_visible()
    box.fill(written)
    assert frame.evaluate(WORDS, ".token, .bars-label, .draw-segment span, code") == []
    assert frame.evaluate(LIVE_IN_SHADOW) == []
    frame.get_by_role("button", name="copy link").click()
    assert frame.get_by_label("Text to copy").input_value().startswith(f"{HOST}file?")


def test_no_link_is_made_of_a_srcdoc(scripts: Page) -> None:
    assert scripts.evaluate(SRCDOC) == [False, ""]


def test_a_clock_that_tells_no_short_time_says_less_than(open_in: Open, file: Path) -> None:
    page = open_in(COARSE_CLOCK + FULL_STORAGE)
    page.goto(file.as_uri())
    expect(page.locator(".token").first).to_be_visible()
    for _ in range(4):
        next_once(page)
    expect(page.locator(".steps-table td:last-child")).to_have_count(4)
    times = page.locator(".steps-table td:last-child").all_text_contents()
    assert any("<" in time or "less" in time for time in times), times
    assert not any(time.startswith("0") for time in times), times
    assert "0.0 ms" not in page.locator(".loop").inner_text().replace("\u202f", " ")


def test_another_frame_s_message_harms_no_page_with_the_figure(open_in: Open, file: Path) -> None:
    page = open_in(SEEN + NO_COPY)
    page.goto(file.as_uri())
    next_once(page)
    page.get_by_role("button", name="copy as HTML").click()
    code = page.get_by_label("Text to copy").input_value()
    host = open_in()
    host.goto("about:blank")
    host.set_content(
        code[: code.index("<iframe")] + "<iframe></iframe>" + code[code.index("<script>") :]
    )
    host.evaluate(
        """async () => {
          const messages = [null, undefined, 7, "x", {}, { oneToken: null }, { oneToken: {} }];
          for (const message of messages) postMessage(message, "*");
          await new Promise((done) => setTimeout(done, 50));
        }"""
    )
    assert host.locator("iframe").get_attribute("height") is None
