"""A server that was just started: nobody has opened the home page, or everybody had it open."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.harness import by_key, serve, visit

pytestmark = pytest.mark.browser
SLOW = 60_000  # ms: the first page of a server imports torch


def test_a_lesson_that_is_opened_first_runs_below_the_table_of_contents(browser: Browser) -> None:
    with serve() as server:
        page = browser.new_page()
        visit(page, f"{server.url}/sampling")
        expect(page.get_by_test_id("stTopNavSection").first).to_be_visible(timeout=SLOW)
        expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
        page.close()
        assert "Traceback" not in server.log()


def test_a_text_outlives_the_server_that_wrote_it(browser: Browser) -> None:
    page = browser.new_page()
    chips = by_key(page, "live").locator(".token")
    with serve() as server:
        visit(page, server.url)
        expect(chips.first).to_be_visible(timeout=SLOW)
        n_prompt = chips.count()
        for _ in range(5):
            page.keyboard.press("ArrowRight")
        page.wait_for_url("**run=5**", timeout=SLOW)
        written = chips.all_inner_texts()
        assert len(written) == n_prompt + 5
        page.evaluate("() => { window.isOld = true; }")
    with serve(port=int(server.url.rpartition(":")[2])):
        # the page begins again, from its own link
        page.wait_for_function("() => window.isOld === undefined", timeout=2 * SLOW)
        expect(chips).to_have_count(len(written), timeout=SLOW)
        assert chips.all_inner_texts() == written
    page.close()
