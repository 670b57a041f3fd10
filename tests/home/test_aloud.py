"""The home page by ear: what is said, when, and what each thing is called."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.driving.home_page import Reader

pytestmark = pytest.mark.browser

SPOKEN = "async (labels) => labels.map((await import('/pages/frame/live/aloud.js')).spoken)"
REST_MS = 4000  # between two sentences while Play writes
# notes down all that the places say that are read out by themselves
LISTEN = """root => {
  globalThis.heard = [];
  globalThis.listensSince = performance.now();
  for (const place of root.querySelectorAll("[aria-live], [role=status], [role=alert]"))
    new MutationObserver(() => heard.push(place.textContent))
      .observe(place, { childList: true, characterData: true, subtree: true });
}"""


def whole(reader: Reader, n_skipped: int = 0) -> str:
    """The text as the strip shows it, without marks, from a token on."""
    labels = [label for label in reader.tokens() if label != "start"][n_skipped:]
    return re.sub(r"\s+", " ", "".join(labels).replace("␣", " ").replace("⏎", "\n")).strip()


def test_signs_whitespace_and_special_tokens_have_names(scripts: Page) -> None:
    cases = {
        "␣the": "space the",
        ".": "full stop",
        "␣“": "space opening quotation mark",
        ".”": "full stop closing quotation mark",
        "⏎⏎": "new line new line",
        "<|endoftext|>": "end of text",
        "<0xE2>": "byte E2",
        "don't": "don't",
        "…": "ellipsis",
    }
    assert scripts.evaluate(SPOKEN, list(cases)) == list(cases.values())


def test_the_new_words_are_said_and_the_text_is_one_paragraph(reader: Reader) -> None:
    spoken = reader.live.locator(".spoken[aria-live]:not([aria-atomic])")
    paragraph = reader.live.locator(".strip p.spoken")
    n_before = len(reader.tokens()) - 1
    reader.press("Write 20 tokens at once")
    words = spoken.inner_text()
    assert whole(reader, n_before) in re.sub(r"\s+", " ", words)
    assert words.endswith("25 tokens")
    assert re.sub(r"\s+", " ", paragraph.inner_text()) == whole(reader)
    reader.press("Next")
    last = reader.tokens()[-1].replace("␣", "")
    assert last in spoken.inner_text() or "." in last
    assert "26 tokens" in spoken.inner_text()
    reader.press("Back")
    assert "25 tokens" in spoken.inner_text()
    assert re.sub(r"\s+", " ", paragraph.inner_text()) == whole(reader)


def test_play_says_what_can_be_heard_and_pause_the_rest_once(reader: Reader) -> None:
    reader.live.get_by_label("Speed").select_option("10")
    n_before = len(reader.tokens()) - 1
    reader.live.evaluate(LISTEN)
    reader.live.get_by_role("button", name="Play", exact=True).click()
    expect(reader.chips.nth(n_before + 15)).to_be_visible()
    reader.live.get_by_role("button", name="Pause").click()
    reader.settle()
    reader.page.wait_for_function(
        "(n) => heard.at(-1).includes(`${n} tokens`)", arg=len(reader.tokens())
    )
    heard, took = reader.page.evaluate("() => [heard, performance.now() - listensSince]")
    assert len(heard) <= 2 + took / REST_MS, heard  # the first word, some on the way, the rest
    said = re.sub(r"\s+", " ", re.sub(r" … \d+ tokens", "", " ".join(heard)))
    rest, last = whole(reader, n_before + 8).rsplit(" ", 1)  # a single token is said by its name
    assert rest[-40:] in said
    assert last.strip(".,") in heard[-1]
    assert f"{len(reader.tokens())} tokens" in heard[-1]


def test_a_slider_says_what_it_does_and_rows_are_headed_by_their_tokens(reader: Reader) -> None:
    reader.live.get_by_label("side by side").check()
    for name in ("top_k", "top_p"):
        count = reader.live.locator(f".bars-head[data-col={name}] .bars-count").inner_text()
        text = reader.slider(name).get_attribute("aria-valuetext") or ""
        assert re.sub(r"(?<=\d)\u202f(?=\d{3})", ",", count) in text
        assert re.search(r"keeps (all|\d[\d,]* of) 4,096$", text)
    assert "nats" in (reader.slider("temperature").get_attribute("aria-valuetext") or "")
    row = reader.live.locator(".bars-row", has_text=re.compile("␣[a-z]+")).first
    token = (row.locator(".bars-label").text_content() or "").replace("␣", "space ")
    head = row.get_by_role("rowheader")
    assert head.get_by_role("button").get_attribute("aria-label") == token
    expect(head).to_have_accessible_name(re.compile(f"^{re.escape(token)}"))
    heads = reader.live.locator(".bars-head:visible")
    names = [head.get_attribute("aria-label") for head in heads.all()]
    assert names == ["Model", "Temperature", "Top-k", "Top-p", "Min-p", "Greedy", "Active"]
    reader.live.get_by_label("side by side").uncheck()
