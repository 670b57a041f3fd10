"""A chat model at the home page: its template around the prompt, on and off, in text and link."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.harness import by_key, wait_idle
from benchmarks.home_page import Reader
from tests.tiny_models import END, TURN, USER, bare_model, save, tokenizer

pytestmark = pytest.mark.browser

PROMPT = "the cat"
TEMPLATE = (
    "{% for message in messages %}"
    f"{USER}{{{{ message['content'] }}}}{TURN}"
    "{% endfor %}"
    f"{{% if add_generation_prompt %}}{END}{{% endif %}}"
)
WRAPPED = f"{USER}{PROMPT}{TURN}{END}"
# once it is armed, lets the next payload of the live component pass and keeps what comes behind it
HOLD_BEHIND_ANSWER = """(() => {
  const listen = WebSocket.prototype.addEventListener;
  const held = [];
  let isHolding = false;
  WebSocket.prototype.addEventListener = function (kind, handle, ...more) {
    if (kind !== "message") return listen.call(this, kind, handle, ...more);
    return listen.call(this, kind, (event) => {
      if (isHolding) return void held.push(() => handle.call(this, event));
      const isAnswer = new TextDecoder().decode(event.data).includes('"ack":');
      isHolding = Boolean(globalThis.holdsBehindAnswer) && isAnswer;
      handle.call(this, event);
    }, ...more);
  };
  globalThis.releaseAnswers = () => {
    isHolding = globalThis.holdsBehindAnswer = false;
    for (const give of held.splice(0)) give();
  };
})();"""


@pytest.fixture
def reader(page: Page, url: str) -> Reader:
    page.add_init_script(HOLD_BEHIND_ANSWER)
    return Reader(page, url)


@pytest.fixture(scope="module")
def chat_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model whose tokenizer has a chat template."""
    folder = tmp_path_factory.mktemp("models") / "chatty"
    return save(folder, bare_model("llama"), tokenizer(chat_template=TEMPLATE))


def switch(reader: Reader) -> Locator:
    """The switch of the chat template, in the popover that is opened for it if it is closed."""
    toggle = by_key(reader.page, "chat")
    if not toggle.is_visible():
        reader.page.get_by_role("button", name="seed").click()
    expect(toggle).to_be_visible()
    return toggle.get_by_role("switch")


def turn(reader: Reader, *, on: bool) -> None:
    """Moves the switch to the other side, and waits until the prompt is read anew."""
    expect(switch(reader)).to_be_checked(checked=not on)
    n_before = len(reader.wire.headers)
    by_key(reader.page, "chat").get_by_text("Chat template around the prompt").click()
    reader.until(lambda: len(reader.wire.headers) > n_before, "the prompt was not read anew")
    wait_idle(reader.page)
    reader.settle()
    expect(switch(reader)).to_be_checked(checked=on)
    reader.page.keyboard.press("Escape")
    expect(by_key(reader.page, "chat")).to_be_hidden()


def chat_in(link: str) -> str | None:
    """What a link says of the template."""
    return dict(parse_qsl(link[1:])).get("chat")


def test_the_template_around_the_prompt_shows_its_special_tokens(
    reader: Reader, chat_model: Path
) -> None:
    words = tokenizer(chat_template=TEMPLATE)
    reader.open(model=str(chat_model), prompt=PROMPT, chat="0")
    bare = words(PROMPT)["input_ids"]
    assert reader.ids == bare
    turn(reader, on=True)
    wrapped = words(WRAPPED, add_special_tokens=False)["input_ids"]
    assert reader.ids == wrapped
    assert reader.header["n_prompt"] == len(wrapped)
    assert reader.header["prompt"] == PROMPT, "the field shows what was typed"
    assert reader.live.locator("textarea.prompt-box").input_value() == PROMPT
    for index, token in ((0, USER), (-2, TURN), (-1, END)):
        chip = reader.chips.nth(index)
        expect(chip).to_have_text(token)
        expect(chip).to_have_class("token of-prompt is-special")

    # another prompt goes into the template, too
    reader.write("the dog")
    again = words(WRAPPED.replace(PROMPT, "the dog"), add_special_tokens=False)["input_ids"]
    assert reader.ids == again
    turn(reader, on=False)
    assert reader.ids == words("the dog")["input_ids"]
    expect(reader.live.locator(".token.is-special")).to_have_count(0)


@pytest.fixture
def two_texts(reader: Reader, chat_model: Path) -> tuple[list[int], list[int]]:
    """A text without the template and one in it, which is on the page; the ids of both."""
    reader.open(model=str(chat_model), prompt=PROMPT, seed="3", chat="0")
    for _ in range(2):
        reader.press("Next")
    bare = reader.ids
    turn(reader, on=True)
    for _ in range(3):
        reader.press("Next")
    return bare, reader.ids


def go_to_other(reader: Reader) -> str:
    """Goes on with the text that is not on the page; returns its link."""
    other = reader.live.locator(".branch").filter(has_text="go on with it")
    reader.do(other.click, "switch")
    return reader.rest()


def test_the_switch_and_the_link_of_each_branch_are_its_own(
    reader: Reader, two_texts: tuple[list[int], list[int]]
) -> None:
    bare, wrapped = two_texts
    links = []
    for ids, is_wrapped in ((bare, False), (wrapped, True)):
        links.append(go_to_other(reader))
        assert reader.ids == ids
        expect(switch(reader)).to_be_checked(checked=is_wrapped)
        reader.page.keyboard.press("Escape")
        expect(by_key(reader.page, "chat")).to_be_hidden()
    bare_link, wrapped_link = links
    reader.choose_at(len(wrapped) - 1, "Branch here, keep this text", "branch")
    assert chat_in(reader.header["link"]) == chat_in(wrapped_link) == "1"

    for link, ids, is_wrapped in ((bare_link, bare, False), (wrapped_link, wrapped, True)):
        reader.open_link(f"/{link}")
        assert reader.header["notice"] is None
        assert reader.ids == ids
        expect(switch(reader)).to_be_checked(checked=is_wrapped)


WRITE_AT_ONCE = """(box, text) => {
  box.value = text;
  box.dispatchEvent(new Event("input", { bubbles: true }));
  const enter = { key: "Enter", bubbles: true, cancelable: true };
  box.dispatchEvent(new KeyboardEvent("keydown", enter));
}"""


def test_a_prompt_written_on_a_branch_is_read_as_its_own_was(
    reader: Reader, two_texts: tuple[list[int], list[int]]
) -> None:
    """Also before the toolbar has followed: the browser still sends the other branch's switch."""
    del two_texts  # they are on the page
    reader.page.evaluate("() => { globalThis.holdsBehindAnswer = true; }")
    reader.do(reader.live.locator(".branch").filter(has_text="go on with it").click, "switch")
    box = reader.live.get_by_role("textbox", name="Prompt")
    box.evaluate(WRITE_AT_ONCE, "the dog")  # no time to ask for its tokens: no answer would come
    reader.until(lambda: reader.wire.events[-1]["kind"] == "prompt", "the prompt was not sent")
    reader.page.wait_for_timeout(500)  # the server has read it while the toolbar stays as it was
    reader.page.evaluate("() => globalThis.releaseAnswers()")
    reader.settle()
    assert reader.ids == tokenizer()("the dog")["input_ids"]
    assert [piece["special"] for piece in reader.header["pieces"]] == [False] * len(reader.ids)
