"""A lesson followed in a real browser, by keyboard alone: offered, begun, reloaded, left."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Locator, Page, expect

from benchmarks.harness import Witness, by_key, visit, wait_idle
from tests.frame.accessibility import assert_fits, forget_first_requests

pytestmark = pytest.mark.browser


def way(page: Page, name: str) -> Locator:
    return by_key(page, "tour").get_by_role("link", name=name)


def test_a_lesson_is_offered_and_followed_by_keyboard(page: Page, url: str) -> None:
    visit(page, url)
    offer = page.get_by_role("link", name="How a model writes")
    offer.focus()
    page.keyboard.press("Enter")

    bar = page.get_by_role("region", name="How a model writes, scene 1")
    expect(bar).to_be_focused()
    expect(way(page, "Skip")).to_be_visible()
    wait_idle(page)
    live = by_key(page, "live")
    expect(live.locator(".loop")).to_have_attribute("data-tour", "dimmed")
    expect(live.locator(".coin")).not_to_have_attribute("data-tour", re.compile("."))
    for _ in range(4):  # the first page's own key: the bar does not take it
        page.keyboard.press("ArrowRight")
    choice = bar.get_by_role("radio", name="the widest")
    choice.focus()
    page.keyboard.press("Enter")
    expect(bar.get_by_text("probability distribution")).to_be_visible()
    way(page, "Continue").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_text("Scene 2 of")).to_be_visible()
    page.goto(f"{url}/?lesson=how-a-model-writes&scene=4")
    expect(live.locator(".strip")).to_have_attribute("data-tour", "covered")
    expect(live.locator(".token").first).to_be_hidden()
    by_key(page, "tour").get_by_role("spinbutton").fill("6")
    by_key(page, "tour").get_by_role("button", name="Say it").click()
    expect(live.locator(".token").first).to_be_visible()
    page.wait_for_function("location.search.includes('said=4.6')")
    page.reload()
    expect(page.get_by_text("You said 6")).to_be_visible()
    prompt = live.get_by_role("textbox").first
    expect(prompt).to_have_value("The crocodile was unbelievably hungry")
    assert_fits(page)

    leave = by_key(page, "tour_leave").get_by_role("button")
    leave.focus()
    page.keyboard.press("Enter")
    expect(by_key(page, "tour")).to_have_count(0)
    expect(prompt).to_have_value("The crocodile was unbelievably hungry")
    expect(live.locator(".loop")).not_to_have_attribute("data-tour", re.compile("."))
    page.wait_for_function("!/lesson|scene|said/.test(location.search)")


def test_a_scene_s_part_of_a_long_page_lies_below_the_bar(
    page: Page, url: str, witness: Witness
) -> None:
    visit(page, f"{url}/?lesson=how-a-model-writes&scene=9")
    heading = page.get_by_role("heading", name="Without a cache")
    expect(heading).to_be_in_viewport()
    expect(by_key(page, "kv_squares").locator(".stPlotlyChart")).to_have_attribute(
        "data-tour", "covered"
    )
    bar, title = by_key(page, "tour").bounding_box(), heading.bounding_box()
    assert bar is not None
    assert title is not None
    assert 0 <= bar["y"] <= bar["y"] + bar["height"] <= title["y"]

    # who goes to another page by a link of it is led back
    page.get_by_role("link", name="Glossary").click()
    page.get_by_role("link", name="Back to How a model writes, scene 9").click()
    expect(page.get_by_text("Scene 9 of")).to_be_visible()
    forget_first_requests(witness)
