"""A lesson's link in a real browser: what it says is on the page, and it is offered again."""

from __future__ import annotations

from urllib.parse import parse_qs, urlencode, urlsplit

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Witness, by_key, wait_idle
from benchmarks.home_page import PATIENCE
from tests.frame.accessibility import assert_fits, forget_first_requests

pytestmark = pytest.mark.browser

ASKED = {"prompt": "The dog ran & <b>ran</b>", "seed": "7", "guesses": "6", "whole": "1"}


def offered(page: Page, holding: str = "seed=7") -> str:
    """Open what offers the link, and read the link there."""
    by_key(page, "spec_link").get_by_role("button").click(timeout=PATIENCE)
    link = page.get_by_test_id("stDialog").locator("code")
    expect(link).to_contain_text(holding, timeout=PATIENCE)
    return link.inner_text()


def test_a_link_opens_the_lesson_that_it_was_copied_from(
    page: Page, url: str, witness: Witness
) -> None:
    page.goto(f"{url}/speculative?{urlencode(ASKED)}")
    prompt = by_key(page, "spec_prompt").locator("input")
    seed = by_key(page, "spec_seed").locator("input")
    expect(prompt).to_have_value(ASKED["prompt"], timeout=PATIENCE)
    expect(seed).to_have_value(ASKED["seed"], timeout=PATIENCE)
    forget_first_requests(witness)
    link = offered(page)
    assert link.startswith(f"{url}/speculative?")
    said = {name: texts[0] for name, texts in parse_qs(urlsplit(link).query).items()}
    assert said | ASKED == said
    assert_fits(page)

    page.keyboard.press("Escape")
    seed.fill("8")
    seed.press("Enter")
    wait_idle(page)  # what stands above the button changes its height
    link = link.replace("seed=7", "seed=8")
    assert offered(page, "seed=8") == link
    expect(page).to_have_url(link)
    page.reload()
    expect(prompt).to_have_value(ASKED["prompt"], timeout=PATIENCE)
    expect(seed).to_have_value("8", timeout=PATIENCE)
    forget_first_requests(witness)
    assert offered(page, "seed=8") == link

    page.goto(link.replace("seed=8", "seed=seven"))
    expect(page.get_by_text("The link was followed in part only")).to_be_visible(timeout=PATIENCE)
    forget_first_requests(witness)
