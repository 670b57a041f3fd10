"""The lesson on the mask in a real browser: a small map is pressed, the mask comes off."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import by_key
from benchmarks.home_page import PATIENCE
from tests.frame.accessibility import assert_accessible, assert_accessible_to_all

pytestmark = pytest.mark.browser
SLOW = 3 * PATIENCE  # eight figures and a dozen passes at a visit


def test_a_head_is_pressed_the_mask_taken_off_and_a_token_changed(
    turn_to: Callable[[str], Page],
) -> None:
    page = turn_to("causal_mask")
    main = page.locator("[data-testid=stMain]")
    expect(main).to_contain_text("in all layers and heads: 0", timeout=SLOW)
    expect(by_key(page, "mask_loss_numbers")).to_be_visible(timeout=SLOW)
    assert_accessible(page)

    heads = by_key(page, "mask_heads").locator(".js-plotly-plot")
    expect(heads.locator(".scatterlayer .point").first).to_be_attached(timeout=SLOW)
    heads.locator(".scatterlayer .point").nth(9).scroll_into_view_if_needed()
    spot = heads.locator(".scatterlayer .point").nth(9).bounding_box()
    assert spot is not None
    page.mouse.move(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
    page.mouse.click(spot["x"] + spot["width"] / 2, spot["y"] + spot["height"] / 2)
    expect(main).to_contain_text("layer 2, head 2", timeout=SLOW)

    by_key(page, "mask_mask").get_by_text("off", exact=True).click()
    expect(main).to_contain_text("goes to later positions", timeout=SLOW)

    by_key(page, "mask_late").get_by_role("button").click()
    expect(main).not_to_contain_text("at position 10", timeout=SLOW)
    expect(main).to_contain_text("before it: exactly 0", timeout=SLOW)
    assert_accessible_to_all(page)
