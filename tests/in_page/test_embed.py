"""The app's home page in a frame: one figure, as in the file."""

import pytest
from playwright.sync_api import Page, expect

from tests.driving.harness import visit


@pytest.mark.browser
def test_the_app_in_a_frame_is_one_figure_that_leads_to_the_whole_page(
    page: Page, url: str
) -> None:
    visit(page, f"{url}/?embed=1&prompt=Once&seed=3")
    expect(page.locator(".token")).to_have_count(2)
    page.get_by_role("button", name="Next").click()
    expect(page.locator(".token")).to_have_count(3)
    expect(page.locator(".bars")).to_be_visible()
    for hidden in (".stAppHeader", "h1", ".st-key-keep", ".loop", ".below", ".prompt-place"):
        expect(page.locator(hidden)).to_be_hidden()
    page.wait_for_url("**/?model=*&run=1~seed:3&embed=1")  # a reload is the same figure
    link = page.get_by_role("link", name="open the whole page")
    expect(link).to_have_attribute("href", page.url.removesuffix("&embed=1"))
