"""The slides of docs/teaching.md: one file, made of pictures that the page itself saves."""

from __future__ import annotations

import re
from html import escape
from pathlib import Path

from playwright.sync_api import Browser

from tests.driving.home_page import Reader

TEMPLATE = Path(__file__).with_name("slides.html")
MARK = "<!-- slides -->"
BEATS = {
    "Read": "How much of the text does the model read?",
    "Score": "How many tokens get a share of the 100 %?",
    "Cut": "What becomes of a token that is cut?",
    "Draw": "What decides which token it is?",
    "Append": "And then?",
}
PANEL, STEP, MARGIN = 500, 544, 40  # of the strip, pages/home/live/figures/picture_rows.js
SIGNED = 100  # of its height: margins, and where it is from
PROMPTS = {"0.2": "A low temperature: what happens to the bars?", "2": "A high one: and now?"}
LAST = (
    "One step, again and again",
    "The model gives shares, a pointer draws, the token joins the text.",
)


def slides(browser: Browser, url: str) -> str:
    """Returns the slides as one HTML file, which needs no network and can be printed."""
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, color_scheme="light", accept_downloads=True
    )
    reader = Reader(context.new_page(), url)
    told = list[str]()
    for temperature, question in PROMPTS.items():
        reader.open(hold="1", side="0", use="temperature", temperature=temperature)
        told.append(_slide(question, saved(reader, "this picture")))
    reader.open(hold="1", side="0", use="top_p", top_p="0.5", temperature="0.8")
    told.append(_slide("Top-p 0.5: which words are out?", saved(reader, "this picture")))
    reader.open(hold="1", side="0", temperature="0.8", top_p="0.9")
    text = reader.live.locator(".strip .spoken").inner_text()
    reader.button("Next").click()
    reader.until(lambda: reader.header["finished"] or _is_answered(reader), "no answer")
    strip = saved(reader, "the five beats")
    for _ in range(2):
        reader.press("Write 20 tokens at once")
    story = saved(reader, "the story")
    context.close()
    first = f'<p class="text">{escape(text)} <span class="gap"></span></p>'
    told = [
        _section("<h1>How a model writes</h1>", "<p>One token at a time</p>"),
        _section("<h2>What comes next?</h2>", first, "<p>Everyone writes one word.</p>"),
        *(slide for n, word in enumerate(BEATS, 1) for slide in _beat(n, word, strip)),
        _slide("One step in five beats", strip),
        *told,
        _slide("The story, and where the pointers fell", story),
        _section(f"<h2>{LAST[0]}</h2>", f"<p>{LAST[1]}</p>"),
    ]
    return TEMPLATE.read_text("utf-8").replace(MARK, "\n".join(told))


def _is_answered(reader: Reader) -> bool:
    return len(reader.ids) > reader.header["n_prompt"] and not reader.wire.n_open


def saved(reader: Reader, name: str) -> str:
    """Returns a picture that the page saves, as SVG that scales to its place."""
    if not reader.live.get_by_role("dialog", name="Save a picture").is_visible():
        reader.button("Save picture").click()
    with reader.page.expect_download() as waited:
        reader.button(f"Save {name} as SVG").click()
    reader.page.keyboard.press("Escape")  # closes the menu
    svg = Path(waited.value.path()).read_text("utf-8")
    return re.sub(r'(<svg[^>]*?) width="[\d.]+" height="[\d.]+"', r"\1", svg, count=1)


def panel(strip: str, n: int) -> str:
    """Returns one beat of a strip, the first is 1."""
    found = re.search(r'viewBox="0 0 [\d.]+ ([\d.]+)"', strip)
    assert found, "a picture of the page has a view box"
    left, high = MARGIN + (n - 1) * STEP, float(found[1]) - SIGNED
    box = f'viewBox="{left} {MARGIN} {PANEL} {high:g}" style="aspect-ratio: {PANEL} / {high:g}"'
    return strip.replace(found[0], box, 1)


def _beat(n: int, word: str, strip: str) -> tuple[str, str]:
    """Returns the slide that asks, and the one that shows."""
    asked = f"<h2>{n}. {word}</h2>", f'<p class="text">{escape(BEATS[word])}</p>'
    told = f"<h2>{escape(BEATS[word])}</h2>{panel(strip, n)}"
    return _section(*asked), f'<section class="beat">{told}</section>'


def _slide(question: str, picture: str) -> str:
    return _section(f"<h2>{escape(question)}</h2>", picture)


def _section(*parts: str) -> str:
    return f"<section>{''.join(parts)}</section>"
