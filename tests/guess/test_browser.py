"""The guessing game in a real browser: played by keyboard alone, pasted markup, a narrow screen."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Witness, by_key
from benchmarks.home_page import PATIENCE
from tests.frame.phone import fits_a_phone, forget_first_requests

pytestmark = pytest.mark.browser

START = 4 * PATIENCE  # it may be the first page of a fresh server: torch is imported behind it


def test_a_game_by_keyboard_alone(page: Page, url: str, witness: Witness) -> None:
    page.goto(f"{url}/guess")
    field = by_key(page, "guess_line_0").locator("input")
    expect(field).to_be_visible(timeout=START)
    forget_first_requests(witness)
    blank = page.get_by_label("the hidden token")
    expect(blank).to_be_visible(timeout=PATIENCE)
    field.focus()
    tiles = page.get_by_label("Bits of everyone")
    for n_opened, line in enumerate(("She 60", "gave 20", "<b>him</b> 5 him 5"), start=1):
        page.keyboard.type(line)
        page.keyboard.press("Enter")
        expect(page.locator(".asked")).to_have_count(n_opened, timeout=PATIENCE)
        expect(field).to_have_value("", timeout=PATIENCE)
        expect(field).to_be_focused()  # so that the next guess can be typed at once
    expect(tiles).to_contain_text("The model")
    expect(tiles).to_contain_text("Uniform")
    expect(by_key(page, "guess_running")).to_be_visible()
    # a confidence that cannot be is refused in a sentence, and stays to be mended
    page.keyboard.type("two 80 a 60")
    page.keyboard.press("Enter")
    expect(page.get_by_text("sum to 140 %")).to_be_visible(timeout=PATIENCE)
    expect(field).to_have_value("two 80 a 60")
    assert fits_a_phone(page)
