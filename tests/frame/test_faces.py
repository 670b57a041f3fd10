"""The two faces of type: served by the app, the same on every machine, there before the words."""

from pathlib import Path

import pytest
from fontTools.ttLib import TTFont
from playwright.sync_api import Browser

from pages.frame import words
from pages.frame.assets import FACES
from tests.driving.harness import Server, visit

LATIN = ("de", "es", "fr")
# how wide a text of our face is, and of the face that stands in its stead; whether it was fetched
MEASURE = """([family, text]) => {
  const context = document.createElement("canvas").getContext("2d");
  const width = (font) => {
    context.font = `20px ${font}`;
    return context.measureText(text).width;
  };
  return [width(`'${family}', monospace`), width("monospace")];
}"""
STATES = """async () => Object.fromEntries([...await document.fonts.ready]
  .map(({ family, status }) => [family.replaceAll('"', ""), status]))"""


@pytest.mark.browser
@pytest.mark.parametrize("address", ["/", "/kv_cache", "/tour"])
def test_a_page_is_set_in_our_faces(browser: Browser, server: Server, address: str) -> None:
    with browser.new_context() as context:
        page = context.new_page()
        visit(page, f"{server.url}{address}")
        states = page.evaluate(STATES)
        assert states["One Token Sans"] == "loaded"
        family = page.locator("h1").first.evaluate("(h) => getComputedStyle(h).fontFamily")
        assert family.startswith('"One Token Sans"')
        ours, instead = page.evaluate(MEASURE, ["One Token Sans", "illicit"])
        assert ours < 0.7 * instead, "letters of one width are not ours"


@pytest.mark.parametrize("role", FACES)
def test_a_face_has_the_letters_of_our_languages(role: str) -> None:
    font = TTFont(str(FACES[role]))
    messages = [words.for_browser(words.languages()[tag])["messages"] for tag in LATIN]
    said = str([list(each.values()) for each in messages])
    letters = {letter for letter in said if letter.isalpha() and ord(letter) < 0x180}
    assert len(letters) > 55
    assert not {letter for letter in letters if ord(letter) not in font.getBestCmap()}


@pytest.mark.parametrize("role", FACES)
def test_digits_are_of_one_width(role: str) -> None:
    font = TTFont(str(FACES[role]))
    widths = {font["hmtx"][font.getBestCmap()[ord(digit)]][0] for digit in "0123456789"}
    assert len(widths) == 1


@pytest.mark.parametrize("role", FACES)
def test_the_name_that_the_licence_reserves_is_not_used(role: str) -> None:
    font = TTFont(str(FACES[role]))
    names = [font["name"].getDebugName(place) for place in (1, 3, 4, 6)]
    assert names[0] == f"One Token {role.title()}"
    assert not [name for name in names if name and "Source" in name]
    assert "SIL OPEN FONT LICENSE" in Path(FACES[role]).with_name("faces.LICENSE").read_text(
        "utf-8"
    )
