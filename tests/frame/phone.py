"""What every lesson's test asks of it in a real browser."""

from __future__ import annotations

from playwright.sync_api import Page

from benchmarks.harness import Witness

PHONE = {"width": 390, "height": 800}


def forget_first_requests(witness: Witness) -> None:
    """Take what a page opened below its own address was told: it asks there first, then at root."""
    assert all("404" in error for error in witness.errors), witness.errors
    witness.errors.clear()


def fits_a_phone(page: Page) -> bool:
    """Make the window a phone's, and tell whether nothing has to be scrolled sideways."""
    page.set_viewport_size(PHONE)
    return bool(
        page.evaluate(
            "() => document.documentElement.scrollWidth <= document.documentElement.clientWidth"
        )
    )
