"""Whatever is typed, linked or pressed at the home page: one sentence or the right behaviour.

No traceback anywhere (the `page` fixture reads the server's log and the browser's console), and
nothing of the text that was there is lost.
"""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import expect

from benchmarks.home_page import PATIENCE, Reader
from tests.tiny_models import CONTEXT, bare_model, save, tokenizer

pytestmark = pytest.mark.browser

MARKUP = ("<script>", "<b>", "$x$", "**b**", ":smile:", "`x`", "[a](b)", "&amp;")
MARKUP_NAME = "$x$ _so_ [a] `b`"  # of a folder; what Windows allows in one
TYPE_UNITS = """(box, units) => {
  box.value = units.map((unit) => String.fromCharCode(unit)).join('');
  box.dispatchEvent(new Event('input', { bubbles: true }));
}"""
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"


@pytest.fixture(scope="module")
def markup_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A tiny model whose favourite tokens are markup; the server tries it once, for all tests."""
    words = tokenizer()
    words.add_tokens(list(MARKUP))
    model = bare_model("phi")
    for token_id in words.convert_tokens_to_ids(list(MARKUP)):
        model.lm_head.bias.data[token_id] = 30.0
    return save(tmp_path_factory.mktemp("models") / MARKUP_NAME, model, words)


def is_one_sentence(text: str) -> bool:
    return 0 < len(text) < 300 and text.endswith(".") and "Traceback" not in text


def is_refused(reader: Reader) -> bool:
    notice = reader.header["notice"]
    return notice is not None and notice["kind"] == "error"


def everything_shown(reader: Reader) -> str:
    """All text of the page, that of the component and of every token's label included."""
    return reader.page.locator("body").inner_text() + reader.live.inner_text()


def test_an_empty_prompt_is_no_error(reader: Reader) -> None:
    reader.press("Next")
    for prompt in ("", "   ", "\n\n", "\t"):
        reader.write(prompt)
        if is_refused(reader):
            assert is_one_sentence(reader.said())
            continue
        assert reader.header["prompt"] == prompt
        n_before = len(reader.ids)
        reader.press("Next")
        assert len(reader.ids) == n_before + 1, repr(prompt)
    assert not is_refused(reader), "the model has a start token: it can begin from nothing"


def test_a_prompt_that_is_too_long_is_refused_in_one_sentence(reader: Reader) -> None:
    reader.press("Next")
    before = list(reader.ids)
    for prompt in (
        "a" * 100_000,
        "the cat sat on the mat " * 4_400,
        "\N{ROCKET}" * 50_000,
        "cat " * 2_100,
    ):
        reader.write(prompt)
        assert is_one_sentence(reader.said()), prompt[:20]
        assert reader.ids == before, "the text stays"
        typed = reader.live.locator("textarea.prompt-box").input_value()
        assert typed == prompt, "what was typed stays, too, so that it can be mended"
    # one that can be read, but is too long for a link, leaves no other link in the address bar
    reader.write("word " * 900)
    expect(reader.notice).to_be_hidden()
    reader.press("Next")
    reader.page.wait_for_function("() => location.search === ''", timeout=PATIENCE)
    assert reader.header["link"] == ""


def test_characters_that_are_none_are_refused_or_shown_as_what_they_are(reader: Reader) -> None:
    reader.press("Next")
    box = reader.live.locator("textarea.prompt-box")
    for prompt in (
        "a \ud83d lone half of a pair",
        "\udc00",
        "a\0b",
        "\0",
        "x\N{ZERO WIDTH JOINER}y\N{BYTE ORDER MARK}",
        "\x1b[31mred\x07",
    ):
        before = list(reader.ids)
        # Playwright's own typing cannot say a lone surrogate: name its code units
        units = [ord(unit) for unit in prompt]
        box.evaluate(TYPE_UNITS, units)
        reader.do(lambda: box.press("Enter"), "prompt")
        if is_refused(reader):
            assert is_one_sentence(reader.said())
            assert reader.ids == before, "the text stays"
            continue
        n_before = len(reader.ids)
        reader.press("Next")
        assert len(reader.ids) == n_before + 1, ascii(prompt)
        assert REPLACEMENT not in everything_shown(reader), ascii(prompt)


def test_every_script_is_shown_as_its_bytes_or_characters(reader: Reader) -> None:
    reader.live.get_by_text("The prompt as its tokens").click()
    for prompt in (
        "a \N{FAMILY} \U0001f469\u200d\U0001f680 \U0001f1eb\U0001f1f7 b",
        "\u4f60\u597d\u4e16\u754c",
        "\u0645\u0631\u062d\u0628\u0627 \u202eabc",
        "e\u0301 n\u0303 \u0e01\u0e34 Z\u0351\u036b\u0343",
        "one\ntwo\n\n\tthree  four",
    ):
        reader.write(prompt)
        assert reader.header["prompt"] == prompt
        assert reader.live.locator("textarea.prompt-box").input_value() == prompt
        pieces = [piece for piece in reader.header["pieces"] if not piece["special"]]
        assert bytes.fromhex("".join(piece["bytes"] for piece in pieces)).decode() == prompt
        assert "".join(piece["joined"] for piece in pieces) == prompt
        expect(reader.live.locator(".piece")).to_have_count(len(reader.header["pieces"]))
        reader.press("Next")
        assert REPLACEMENT not in everything_shown(reader), ascii(prompt)
        for index, character in reader.header["joined"].items():
            group = reader.chips.nth(int(index)).locator("xpath=..")
            expect(group).to_have_attribute("data-joined", character)
        link = reader.rest()
        assert dict(parse_qsl(link[1:], keep_blank_values=True))["prompt"] == prompt
    ids = list(reader.ids)
    reader.open_link(f"/{link}")
    assert reader.ids == ids


def test_tokens_that_are_markup_show_as_their_characters(
    newcomer: Reader, markup_model: Path
) -> None:
    prompt = " and ".join(MARKUP)
    reader = newcomer.open(model=str(markup_model), prompt=prompt, temperature="0.5")
    for _ in range(4):
        reader.press("Next")
    reader.do(reader.row(2).locator("button").click, "force")
    shown = set(reader.tokens())
    assert set(MARKUP) <= shown
    bars = reader.live.locator(".bars-row button").all_text_contents()
    assert set(bars[: len(MARKUP)]) == set(MARKUP)
    reader.live.get_by_text("The prompt as its tokens").click()
    assert set(MARKUP) <= set(reader.live.locator(".piece-label").all_text_contents())
    written = reader.live.locator(".steps-table").text_content() or ""
    assert any(token in written for token in MARKUP)
    alive = "script, b > b, a[href], img"
    assert reader.live.locator(".strip-list, .steps-table td, .piece").locator(alive).count() == 0
    # a branch and Streamlit's own part of the page, after a rest
    expect(reader.page.get_by_role("button", name=f"Model: {MARKUP_NAME}")).to_be_visible()
    reader.choose_at(reader.header["n_prompt"] + 1, "Branch here, keep this text", "branch")
    branch = reader.live.locator(".branch").first.inner_text()
    assert any(token in branch for token in MARKUP)
    reader.rest()


def test_bytes_in_a_link_that_are_no_text_open_the_page(reader: Reader) -> None:
    reader.open_link("/?prompt=a%ED%A0%80%FF%00b&seed=1")
    reader.press("Next")
    assert "Traceback" not in everything_shown(reader)


def test_a_model_that_is_not_there_by_the_box_leaves_the_one_in_use(reader: Reader) -> None:
    reader.press("Next")
    before = list(reader.ids)
    reader.page.get_by_role("button", name="Model: storyteller").click()
    box = reader.page.get_by_label("Name of a model")
    box.fill("no-such-model")
    box.press("Enter")
    expect(reader.page.get_by_role("dialog").get_by_role("alert")).to_contain_text("not on this")
    reader.page.keyboard.press("Escape")
    expect(reader.page.get_by_role("dialog")).to_be_hidden()
    assert reader.ids == before
    reader.press("Next")
    assert len(reader.ids) == len(before) + 1


def test_fast_presses_stop_at_the_end_and_next_after_it_says_why_and_loses_nothing(
    newcomer: Reader, markup_model: Path
) -> None:
    reader = newcomer.open(model=str(markup_model), prompt="the " * 30, greedy="1")
    for _ in range(80):
        reader.page.keyboard.press("ArrowRight")
    reader.until(lambda: reader.header["finished"] is not None, "it does not end")
    reader.settle()
    assert len(reader.ids) <= CONTEXT
    assert reader.header["notice"] is None
    whole = list(reader.ids)
    n_events = len(reader.wire.events)
    expect(reader.button("Next")).to_have_attribute("aria-disabled", "true")
    expect(reader.live.locator(".reason")).not_to_be_empty()
    reader.button("Next").click(force=True)
    for key in ("ArrowRight", "Space", "ArrowRight"):
        reader.page.keyboard.press(key)
    reader.rest()
    assert reader.ids == whole
    assert "next" not in {event["kind"] for event in reader.wire.events[n_events:]}
    reader.press("Back")
    assert reader.header["finished"] is None
    assert reader.ids == whole[:-1]
    reader.press("Next")
    assert reader.ids == whole


def test_a_model_whose_folder_is_removed_while_in_use_goes_on(
    newcomer: Reader, markup_model: Path, tmp_path: Path
) -> None:
    reader = newcomer.open(model=str(markup_model), prompt="the the")
    assert reader.header["notice"] is None
    reader.press("Next")
    gone = markup_model.rename(tmp_path / "gone")
    n_before = len(reader.ids)
    reader.press("Next")
    reader.press("Back")
    reader.choose_at(n_before - 1, "Branch here, keep this text", "branch")
    reader.press("Next")
    assert len(reader.ids) == n_before
    reader.write("another text")
    assert reader.header["notice"] is None
    # another reader who follows the link finds it in memory, or is told that it is gone
    link = reader.rest()
    reader.open_link(f"/{link}")
    if reader.header["notice"]:
        assert is_one_sentence(reader.said())
    reader.press("Next")
    gone.rename(markup_model)
