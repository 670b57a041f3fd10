"""A lesson followed in a real browser, by keyboard alone: offered, begun, reloaded, left."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.harness import Witness, by_key, visit, wait_idle
from tests.frame.accessibility import assert_fits, forget_first_requests

pytestmark = pytest.mark.browser


def way(page: Page, name: str) -> Locator:
    return by_key(page, "tour").get_by_role("link", name=name)


def test_a_lesson_is_offered_once_and_followed_by_keyboard(page: Page, url: str) -> None:
    visit(page, url)
    offer = by_key(page, "tour_offer").get_by_role("link", name="How a model writes")
    offer.focus()
    page.keyboard.press("Enter")

    bar = page.get_by_role("region", name="How a model writes, scene 1")
    expect(bar).to_be_focused()
    expect(way(page, "Skip")).to_be_visible()
    wait_idle(page)
    for _ in range(3):  # the first page's own key: the bar does not take it
        page.keyboard.press("ArrowRight")
    expect(way(page, "Next")).to_be_visible()
    bar.focus()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(bar.get_by_text("autoregressive")).to_be_visible()
    for _ in range(2):
        page.keyboard.press("Tab")
    expect(way(page, "Next")).to_be_focused()
    page.keyboard.press("Enter")

    expect(page.get_by_text("Scene 2 of")).to_be_visible()
    by_key(page, "live").get_by_role("button", name="Next", exact=True).click()
    page.wait_for_function("location.search.includes('run=1')")
    page.reload()
    expect(page.get_by_text("Scene 2 of")).to_be_visible()
    prompt = by_key(page, "live").get_by_role("textbox").first
    expect(prompt).to_have_value("The naïve crocodile unbelievably paid 12345 €")
    assert_fits(page)

    leave = by_key(page, "tour_leave").get_by_role("button")
    leave.focus()
    page.keyboard.press("Enter")
    expect(by_key(page, "tour")).to_have_count(0)
    expect(prompt).to_have_value("The naïve crocodile unbelievably paid 12345 €")
    page.wait_for_function("!/lesson|scene/.test(location.search)")
    visit(page, url)
    expect(by_key(page, "live").get_by_role("button", name="Next")).to_be_visible()
    expect(offer).to_have_count(0)


def test_a_scene_s_part_of_a_long_page_lies_below_the_bar(
    page: Page, url: str, witness: Witness
) -> None:
    visit(page, f"{url}/?lesson=how-a-model-writes&scene=9")
    heading = page.get_by_role("heading", name="With and without the cache")
    expect(heading).to_be_in_viewport()
    expect(by_key(page, "kv_race_run").get_by_role("button")).to_be_in_viewport(ratio=1)
    bar, title = by_key(page, "tour").bounding_box(), heading.bounding_box()
    assert bar is not None
    assert title is not None
    assert 0 <= bar["y"] <= bar["y"] + bar["height"] <= title["y"]

    # who goes to another page by a link of it is led back
    page.get_by_role("link", name="Glossary").click()
    page.get_by_role("link", name="Back to How a model writes, scene 9").click()
    expect(page.get_by_text("Scene 9 of")).to_be_visible()
    forget_first_requests(witness)
