"""Python's word is final: where the page draws another token, and where it cannot draw at all."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.home_page import PATIENCE, Reader
from model.loading import LanguageModel
from model.tokenizing import label
from pages.frame.component import MAX_EXACT
from tests.tiny_models import bare_model, save

pytestmark = pytest.mark.browser

PROMPT = "Once upon a time"
LARGE_VOCABULARY = 100_000  # of which the page holds two thirds one by one
N_FAST = 20

# what Python says of the coin reaches the page as another coin, at the far end of the bar
FALSIFY_THE_COIN = """
const parse = JSON.parse;
JSON.parse = (text, ...more) => {
  const read = parse(text, ...more);
  if (read?.protocol !== undefined && read.coin !== undefined) read.coin = 0.9999999;
  return read;
};
"""
CLICK_FAST = "(button, times) => { for (let i = 0; i < times; i += 1) button.click(); }"
# every text that a token of the strip has ever borne, from now on
WATCH_THE_STRIP = """(list) => {
  globalThis.borne = [];
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes)
      for (const node of addedNodes)
        if (node.classList?.contains("token")) globalThis.borne.push(node.textContent);
  }).observe(list, { childList: true });
}"""


@pytest.fixture
def reader(page: Page, url: str) -> Reader:
    return Reader(page, url)


@pytest.fixture
def misled(reader: Reader) -> Reader:
    """A reader whose page tosses another coin than Python, onto the least likely tokens."""
    reader.page.add_init_script(FALSIFY_THE_COIN)
    return reader.open(prompt=PROMPT, temperature="1.5", use="temperature")


@pytest.fixture(scope="module")
def wide_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model of a vocabulary so large that the page is told but a part of its logits."""
    model = bare_model("llama", vocab_size=LARGE_VOCABULARY)
    return save(tmp_path_factory.mktemp("models") / "wide", model)


def drawn_by_page(reader: Reader) -> list[int | None]:
    """What the page drew at each press of Next; None where it left it to Python."""
    presses = [event for event in reader.wire.events if event["kind"] == "next"]
    return list({event["n"]: event["token_id"] for event in presses}.values())  # late ones repeat


def sentences(reader: Reader) -> Locator:
    """Every sentence that stands above the strip, whoever says it."""
    return reader.live.locator(".notice:visible > span")


def difference(lm: LanguageModel, page_id: int | None, python_id: int) -> str:
    """The one sentence on a token that the two drew differently."""
    assert page_id is not None
    page, python = (label(lm.tokenizer, i, lm.vocab_size) for i in (page_id, python_id))
    return f"The page drew “{page}”, Python drew “{python}”: Python’s stands."


def test_where_the_two_differ_pythons_token_stands_and_one_sentence_says_so(
    misled: Reader, storyteller: LanguageModel
) -> None:
    n_prompt = len(misled.ids)
    misled.press("Next")
    (page_id,) = drawn_by_page(misled)
    python_id = misled.ids[-1]
    assert page_id != python_id, "the page was misled in vain"
    assert len(misled.ids) == n_prompt + 1
    assert misled.tokens()[-1] == label(storyteller.tokenizer, python_id, storyteller.vocab_size)
    expect(misled.chips.last).to_have_class("token of-model")

    sentence = misled.live.get_by_role("status").filter(has_text="The page drew")
    expect(sentence.locator("span")).to_have_text(difference(storyteller, page_id, python_id))
    expect(misled.notice).to_be_hidden()
    assert misled.header["notice"] is None
    expect(sentences(misled)).to_have_text([difference(storyteller, page_id, python_id)])

    # it is put away by hand, or by whatever is done next
    sentence.get_by_role("button", name="Dismiss").click()
    expect(sentence).to_be_hidden()
    misled.press("Next")
    expect(sentence).to_be_visible()
    misled.press("Back")
    expect(sentence).to_be_hidden()
    expect(sentences(misled)).to_have_count(0)


def test_a_differing_page_loses_no_press_and_its_text_is_pythons(misled: Reader, url: str) -> None:
    n_prompt = len(misled.ids)
    misled.button("Next").evaluate(CLICK_FAST, N_FAST)
    expect(misled.chips).to_have_count(n_prompt + N_FAST, timeout=4 * PATIENCE)
    misled.settle()
    drawn = misled.ids[n_prompt:]
    assert len(drawn) == N_FAST == len(drawn_by_page(misled))
    assert drawn != drawn_by_page(misled)
    expect(sentences(misled)).to_have_count(1)
    assert misled.header["notice"] is None

    link = misled.rest()
    tokens = misled.tokens()
    follower = Reader(misled.page.context.new_page(), url).open_link(f"/{link}")  # not misled
    assert follower.ids == misled.ids
    assert follower.tokens() == tokens


def test_what_the_page_does_not_hold_it_leaves_to_python(reader: Reader, wide_model: Path) -> None:
    masks = {"use": "temperature,top_k", "temperature": "2", "top_k": "50"}
    reader.open(model=str(wide_model), prompt="the the", **masks)
    assert reader.header["model"]["vocab_size"] == LARGE_VOCABULARY
    assert reader.header["distribution"] == {"n_vocab": LARGE_VOCABULARY, "exact": False}
    n_prompt = len(reader.ids)

    # a mask that keeps what the page holds: it draws at once, and as Python does
    reader.press("Next")
    assert drawn_by_page(reader) == reader.ids[n_prompt:]

    # without it the coin may fall on any token of the vocabulary
    reader.do(reader.use("top_k").click, "settings")
    reader.live.locator(".strip-list").evaluate(WATCH_THE_STRIP)
    for _ in range(3):
        n_before = len(reader.ids)
        reader.press("Next")
        assert drawn_by_page(reader)[-1] is None
        assert len(reader.ids) == n_before + 1
    expect(sentences(reader)).to_have_count(0)
    # no token was shown but a place kept free, and then Python's own
    borne = reader.page.evaluate("globalThis.borne")
    assert borne == [text for token in reader.tokens()[-3:] for text in ("…", token)]


def test_twenty_fast_presses_are_twenty_tokens_of_pythons(reader: Reader, wide_model: Path) -> None:
    params = {"model": str(wide_model), "prompt": "the the", "temperature": "2"}
    reader.open(**params, use="temperature", seed="4")
    n_prompt = len(reader.ids)
    reader.button("Next").evaluate(CLICK_FAST, N_FAST)
    expect(reader.chips).to_have_count(n_prompt + N_FAST, timeout=4 * PATIENCE)
    reader.settle()
    assert drawn_by_page(reader) == [None] * N_FAST
    assert len(reader.ids) == n_prompt + N_FAST

    # each answer brought one token more, and took none back
    texts = [header["ids"] for header in reader.wire.headers]
    for before, after in pairwise(texts):
        assert after[: len(before)] == before
        assert len(after) - len(before) in (0, 1)
    ranks = reader.header["steps"]["rank"]
    assert max(ranks) >= MAX_EXACT, "the coin fell on a token that the page does not hold"
    expect(sentences(reader)).to_have_count(0)

    # the strip shows just these, and Python draws them again by the same coins
    ids, tokens = reader.ids, reader.tokens()
    link = reader.rest()
    reader.open_link(f"/{link}")
    assert reader.ids == ids
    assert reader.tokens() == tokens
