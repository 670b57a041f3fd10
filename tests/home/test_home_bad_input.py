"""Whatever is typed or pressed at the home page: one sentence or the right behaviour.

No traceback anywhere (the fixtures read the server's log and the browser's console), and nothing of
the text that was there is lost. What needs no browser is in tests/attack.
"""

from functools import partial
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import expect

from tests.driving.home_page import PATIENCE_MS, Reader
from tests.nightly import by_night

pytestmark = pytest.mark.browser

TYPE_UNITS_AND_ENTER = """(box, units) => {
  box.value = units.map((unit) => String.fromCharCode(unit)).join('');
  box.dispatchEvent(new Event('input', { bubbles: true }));
  box.dispatchEvent(new KeyboardEvent('keydown', { key: 'Enter', bubbles: true }));
}"""
DRAFT_WAIT = 120  # milliseconds after which what is typed is asked for as a draft
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
HALF = "a \ud83d lone half of a pair"
SCRIPTS = (
    "a \N{FAMILY} \U0001f469\u200d\U0001f680 \U0001f1eb\U0001f1f7 \u4f60\u597d\u4e16\u754c"
    " \u0645\u0631\u062d\u0628\u0627 \u202eabc",
    "e\u0301 n\u0303 \u0e01\u0e34 Z\u0351\u036b\u0343 x\N{ZERO WIDTH JOINER}y\N{BYTE ORDER MARK}"
    " one\ntwo\n\n\tthree  four a\0b \x1b[31mred\x07",
    "   ",
)


def everything_shown(reader: Reader) -> str:
    """All text of the page, that of the component and of every token's label included."""
    return reader.page.locator("body").inner_text() + reader.live.inner_text()


@pytest.mark.parametrize(
    "prompt",
    by_night(["a" * 100_000, "cat " * 2_100, HALF], [HALF]),
    ids=["letters", "words", "half"],
)
def test_a_prompt_that_cannot_be_read_is_refused_and_stays_to_be_mended(
    reader: Reader, prompt: str
) -> None:
    reader.press("Next")
    before = reader.ids
    box = reader.live.locator("textarea.prompt-box")
    # Playwright's own typing cannot say a lone surrogate: name its code units
    units = [ord(unit) for unit in prompt]
    reader.do(partial(box.evaluate, TYPE_UNITS_AND_ENTER, units), "prompt")
    # a draft's answer would take the sentence away
    reader.page.wait_for_timeout(2 * DRAFT_WAIT)
    assert reader.events[-1]["kind"] == "prompt"
    assert reader.header["notice"]["kind"] == "error"
    assert reader.said().endswith(".")
    assert reader.ids == before, "the text stays"
    typed = "(box) => [...Array(box.value.length).keys()].map((i) => box.value.charCodeAt(i))"
    assert box.evaluate(typed) == units
    # one that can be read, but is too long for a link, leaves no other link in the address bar
    reader.write("word " * 900)
    expect(reader.notice).to_be_hidden()
    reader.press("Next")
    reader.page.wait_for_function("() => location.search === ''", timeout=PATIENCE_MS)
    assert reader.header["address"] == ""


def test_every_script_is_shown_as_its_bytes_or_characters(reader: Reader) -> None:
    summary = reader.live.get_by_text("The prompt as its tokens")
    summary.click()
    for prompt in SCRIPTS:
        reader.write(prompt)
        assert reader.header["prompt"] == prompt
        assert reader.live.locator("textarea.prompt-box").input_value() == prompt
        pieces = [piece for piece in reader.header["pieces"] if not piece["special"]]
        assert bytes.fromhex("".join(piece["bytes"] for piece in pieces)).decode() == prompt
        assert "".join(piece["joined"] for piece in pieces) == prompt
        shown = reader.live.locator(".piece:not(.own-language *)")
        expect(shown).to_have_count(len(reader.header["pieces"]))
        for index, character in reader.header["joined"].items():
            group = reader.chips.nth(int(index)).locator("xpath=..")
            expect(group).to_have_attribute("data-joined", character)
        reader.press("Next")
        assert REPLACEMENT not in everything_shown(reader), ascii(prompt)
        link = reader.rest()
        assert dict(parse_qsl(link[1:], keep_blank_values=True))["prompt"] == prompt
        reader.press("Reset")
    summary.click()
