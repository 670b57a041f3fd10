"""What the scenes of the short lessons bring up: the flag of the end, and the text before Reset."""

import re

import pytest
from playwright.sync_api import Page, expect

from tests.driving.harness import by_key, wait_idle
from tests.driving.home_page import Reader

pytestmark = pytest.mark.browser


def answer(page: Page, reply: str) -> None:
    by_key(page, "tour").get_by_role("radio", name=reply, exact=True).click()
    expect(by_key(page, "tour").get_by_text("You said")).to_be_visible()


def test_the_end_is_flagged_before_it_is_hit_and_its_note_lies_over_no_button(
    page: Page, url: str
) -> None:
    prompt = "The bird and the boy were friends. They lived happily"
    shown = {"prompt": prompt, "seed": "5", "use": "temperature", "temperature": "1"}
    reader = Reader(page, url).open(**shown, lesson="sampling", scene="5")
    answer(page, "the draw, when it hits an end sign")
    flag, following = reader.live.locator(".end-flag"), reader.live.locator("button.is-primary")
    expect(flag).to_have_attribute("data-name", re.compile(r"^end: \S"))
    expect(flag).to_be_visible()
    for _ in range(20):
        if following.get_attribute("aria-disabled") == "true":
            break
        following.click()
        reader.settle()  # at the end there is nothing to press
    expect(flag).to_be_hidden()  # the pointer names it
    expect(reader.live.locator(".pointer-marker")).to_have_attribute("data-token", "end")
    reason, buttons = reader.live.locator(".reason"), reader.live.locator(".thumb .buttons")
    note, below = reason.bounding_box(), buttons.bounding_box()
    assert note is not None
    assert below is not None
    assert note["y"] >= below["y"] + below["height"]


def test_the_text_before_reset_stays_and_its_tokens_are_counted(page: Page, url: str) -> None:
    shown = {"prompt": "The bird opened its eyes and", "seed": "1"}
    reader = Reader(page, url).open(**shown, lesson="sampling", scene="6")
    answer(page, "the seed")
    earlier = reader.live.locator(".earlier")
    expect(earlier).to_be_hidden()
    for name in ("Write 20 tokens at once", "Reset", "Write 20 tokens at once"):
        reader.live.get_by_role("button", name=name, exact=True).click()
        wait_idle(page)
    expect(earlier.locator(".is-same")).to_have_count(20)
    expect(earlier.locator(".earlier-sentence")).to_contain_text("20")
