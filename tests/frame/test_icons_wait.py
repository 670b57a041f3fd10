"""Icons of Streamlit's wait for their font: until then their names would be read as words."""

import pytest
from playwright.sync_api import Page, Route, expect

from tests.driving.harness import Server, visit

VISIBLE = """() => [...document.querySelectorAll("[data-testid=stIconMaterial]")]
  .map((icon) => getComputedStyle(icon).visibility)"""


@pytest.mark.browser
def test_no_icon_shows_its_name_before_its_font_has_come(page: Page, server: Server) -> None:
    held: list[Route] = []
    page.route("**/MaterialSymbols*", lambda route: held.append(route))
    visit(page, f"{server.url}/")
    icons = page.locator("[data-testid=stIconMaterial]")
    expect(icons.first).to_be_attached()
    page.wait_for_timeout(3500)  # browsers hide a text without its font for three seconds
    assert held
    assert set(page.evaluate(VISIBLE)) == {"hidden"}
    for route in held:
        route.continue_()
    expect(page.locator("[data-awaits-icons]")).to_have_count(0)
    expect(icons.first).to_have_css("visibility", "visible")
