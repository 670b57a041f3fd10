"""A chat model at the home page: its template around the prompt, on and off, in text and link."""

from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import expect

from benchmarks.harness import by_key, wait_idle
from benchmarks.home_page import Reader
from pages.home.session import Session
from tests.frame.driving import kept, open_home
from tests.home.conftest import do
from tests.tiny_models import END, TURN, USER, bare_model, save, tokenizer

PROMPT = "the cat"
TEMPLATE = (
    "{% for message in messages %}"
    f"{USER}{{{{ message['content'] }}}}{TURN}"
    "{% endfor %}"
    f"{{% if add_generation_prompt %}}{END}{{% endif %}}"
)
WORDS = tokenizer(chat_template=TEMPLATE)


def bare(prompt: str) -> list[int]:
    ids: list[int] = WORDS(prompt)["input_ids"]
    return ids


def wrapped(prompt: str) -> list[int]:
    ids: list[int] = WORDS(f"{USER}{prompt}{TURN}{END}", add_special_tokens=False)["input_ids"]
    return ids


@pytest.fixture(scope="module")
def chat_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny model whose tokenizer has a chat template."""
    return str(save(tmp_path_factory.mktemp("models") / "chatty", bare_model("llama"), WORDS))


@pytest.mark.browser
def test_the_switch_and_the_link_of_each_branch_are_its_own(
    newcomer: Reader, chat_model: str
) -> None:
    reader = newcomer.open(model=chat_model, prompt=PROMPT, chat="0")
    assert reader.ids == bare(PROMPT)
    reader.press("Next")
    reader.page.get_by_role("button", name="seed").click()
    by_key(reader.page, "chat").get_by_text("Chat template around the prompt").click()
    reader.until(lambda: reader.ids == wrapped(PROMPT), "the prompt was not read anew")
    wait_idle(reader.page)
    reader.page.keyboard.press("Escape")
    assert reader.live.locator("textarea.prompt-box").input_value() == PROMPT
    for index, token in ((0, USER), (-2, TURN), (-1, END)):
        expect(reader.chips.nth(index)).to_have_text(token)
        expect(reader.chips.nth(index)).to_have_class("token of-prompt is-special")
    reader.press("Next")

    # each text goes on with its own, and its link says so
    other = reader.live.locator(".branch").filter(has_text="go on with it")
    for is_wrapped in (False, True):
        reader.do(other.click, "switch")
        in_link = dict(parse_qsl(reader.rest()[1:])).get("chat")
        assert in_link == ("1" if is_wrapped else "0")
        begins_with = "Chat template" if is_wrapped else "Plain text"
        expect(reader.page.get_by_role("button", name=begins_with)).to_be_visible()


def test_a_prompt_that_is_begun_on_a_branch_is_read_as_its_own_was(chat_model: str) -> None:
    app = open_home(model=chat_model, prompt=PROMPT, chat="0")
    do(kept(app, "reader", Session), "next")
    app.toggle(key="chat_0").set_value(True).run()
    session = kept(app, "reader", Session)
    assert session.generation.ids == wrapped(PROMPT)
    do(session, "prompt", text="the dog")
    assert session.generation.ids == wrapped("the dog")

    # also before the toolbar has followed: the browser still sends the other branch's switch
    do(session, "next")
    do(session, "switch", id=0)
    app.toggle(key="chat_1").set_value(False).run()
    assert not app.exception
    assert session.generation.ids[: len(bare(PROMPT))] == bare(PROMPT)
    assert [branch.chat for branch in session.branches] == [False, True]
    do(session, "prompt", text="the dog")
    assert session.generation.ids == bare("the dog")
