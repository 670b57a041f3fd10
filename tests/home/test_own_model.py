"""A model of one's own at the home page: tokens that are markup, and a chat template."""

from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import expect

from model.loading import load_model
from tests.driving.harness import by_key, wait_idle
from tests.driving.home_page import Reader
from tests.driving.in_page import InPage
from tests.home.page_session import PageSession
from tests.tiny_models import CONTEXT, END, TURN, USER, bare_model, save, tokenizer

PROMPT = "the cat"
TEMPLATE = (
    "{% for message in messages %}"
    f"{USER}{{{{ message['content'] }}}}{TURN}"
    "{% endfor %}"
    f"{{% if add_generation_prompt %}}{END}{{% endif %}}"
)
WORDS = tokenizer(chat_template=TEMPLATE)
MARKUP = ("<script>", "<b>", "$x$", "**b**", ":smile:", "`x`", "[a](b)", "&amp;")
MARKUP_NAME = "$x$ _so_ [a] `b`"  # of a folder; what Windows allows in one
ALIVE = "script, b > b, a[href], img"  # what markup would make
WORDS.add_tokens(list(MARKUP))


def bare(prompt: str) -> list[int]:
    ids: list[int] = WORDS(prompt)["input_ids"]
    return ids


def wrapped(prompt: str) -> list[int]:
    ids: list[int] = WORDS(f"{USER}{prompt}{TURN}{END}", add_special_tokens=False)["input_ids"]
    return ids


@pytest.fixture(scope="module")
def own_model(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A tiny model whose tokenizer has a chat template, and whose favourite tokens are markup."""
    model = bare_model("phi")
    for token_id in WORDS.convert_tokens_to_ids(list(MARKUP)):
        model.lm_head.bias.data[token_id] = 30.0
    return str(save(tmp_path_factory.mktemp("models") / MARKUP_NAME, model, WORDS))


@pytest.mark.browser
def test_tokens_that_are_markup_show_as_their_characters_and_fast_presses_stop_at_the_end(
    newcomer: Reader, own_model: str
) -> None:
    prompt = " and ".join(MARKUP) + 25 * " the"  # to the end of the context it is not far
    reader = newcomer.open(model=own_model, chat="0", prompt=prompt, temperature="0.5")
    expect(reader.page.get_by_role("button", name=f"Model: {MARKUP_NAME}")).to_be_visible()
    for _ in range(3):
        reader.press("Next")
    reader.do(reader.row(2).locator("button").click, "force")
    assert set(MARKUP) <= set(reader.tokens())
    bars = reader.live.locator(".bars-row button").all_text_contents()
    assert set(bars[: len(MARKUP)]) == set(MARKUP)
    reader.live.get_by_text("The prompt as its tokens").click()
    assert set(MARKUP) <= set(reader.live.locator(".piece-label").all_text_contents())
    reader.choose_at(reader.header["n_prompt"] + 1, "Branch here, keep this text", "branch")
    for place in (".steps-table", ".branch >> nth=0"):
        shown = reader.live.locator(place).text_content() or ""
        assert any(token in shown for token in MARKUP)
    places = reader.live.locator(".strip-list, .steps-table td, .piece, .branch")
    assert places.locator(ALIVE).count() == 0

    # fast presses stop at the end of the context; Next then says why, and loses nothing
    for _ in range(40):
        reader.page.keyboard.press("ArrowRight")
    reader.until(lambda: reader.header["finished"] is not None, "it does not end")
    reader.settle()
    assert len(reader.ids) <= CONTEXT
    assert reader.header["notice"] is None
    whole, n_events = reader.ids, len(reader.events)
    expect(reader.button("Next")).to_have_attribute("aria-disabled", "true")
    expect(reader.live.locator(".reason")).not_to_be_empty()
    reader.button("Next").click(force=True)
    for key in ("ArrowRight", "Space", "ArrowRight"):
        reader.page.keyboard.press(key)
    reader.rest()
    assert reader.ids == whole
    assert "next" not in {event["kind"] for event in reader.events[n_events:]}
    reader.press("Back")
    assert reader.header["finished"] is None
    reader.press("Next")
    assert reader.ids == whole


@pytest.mark.nightly  # by day the branches below, without a browser
@pytest.mark.browser
def test_the_switch_and_the_link_of_each_branch_are_its_own(
    newcomer: Reader, own_model: str
) -> None:
    reader = newcomer.open(model=own_model, prompt=PROMPT, chat="0")
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


def test_a_prompt_that_is_begun_on_a_branch_is_read_as_its_own_was(
    in_page: InPage, own_model: str
) -> None:
    session = PageSession(in_page, load_model(own_model, "cpu"), PROMPT, chat="0").do("next")
    session.do("chat", chat=True)
    assert session.ids == wrapped(PROMPT)
    assert session.do("prompt", text="the dog").ids == wrapped("the dog")
    assert dict(parse_qsl(session.header["query"]))["chat"] == "1"
    session.do("next").do("switch", id=0)
    assert dict(parse_qsl(session.header["address"]))["chat"] == "0"
    assert session.ids[: len(bare(PROMPT))] == bare(PROMPT)
    assert session.do("prompt", text="the dog").ids == bare("the dog")
