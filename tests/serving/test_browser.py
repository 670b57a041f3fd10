"""The serving lesson in a real browser: it runs by itself, stops, and fits a phone."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import by_key
from benchmarks.home_page import PATIENCE
from tests.frame.accessibility import assert_accessible, assert_accessible_to_all

pytestmark = pytest.mark.browser


def test_the_lanes_are_drawn_unasked_and_a_run_can_be_stopped(
    turn_to: Callable[[str], Page],
) -> None:
    page = turn_to("serving")
    for key in ("serving_batches_lanes_1", "serving_chunks_lanes_1", "serving_memory_blocks"):
        expect(by_key(page, key).first).to_be_visible(timeout=4 * PATIENCE)
    assert_accessible(page)
    button = by_key(page, "serving_memory_run").get_by_role("button")
    expect(button).to_contain_text("Serve", timeout=4 * PATIENCE)
    button.click()
    expect(button).to_contain_text("Stop", timeout=PATIENCE)
    button.click()
    expect(button).to_contain_text("Serve", timeout=PATIENCE)
    assert_accessible_to_all(page)
