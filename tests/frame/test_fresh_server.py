"""A server that was just started, where nobody has opened the home page yet."""

from __future__ import annotations

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.harness import serve, visit

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
