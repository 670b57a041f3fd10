"""The jump lists: every link leads to a heading that its page has."""

import re

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Witness, visit
from pages.frame.jump_list import anchor_of
from tests.frame.accessibility import forget_first_requests
from tests.frame.driving import opened

PAGES = (
    *("causal_mask", "diffusion", "kv_cache", "prefill_decode", "serving"),
    *("sampling", "snowball", "speculative"),
)
STAYS = 700  # milliseconds; what brings a reader back to where they were moves the page for 500


@pytest.mark.parametrize("page", PAGES)
def test_every_link_of_a_jump_list_leads_to_a_heading(page: str) -> None:
    app = opened(page)
    (jumps,) = [one.value for one in app.markdown if one.value.startswith(":small[Further down")]
    links = re.findall(r"\(#(.+?)\)", jumps)
    assert len(links) > 1
    assert set(links) <= {anchor_of(heading.value) for heading in app.header}


@pytest.mark.browser
@pytest.mark.parametrize(
    ("page_name", "part"), [("glossary", "#prefill"), ("claims", "#claim-c27")]
)
def test_a_link_to_a_part_of_the_page_goes_there_and_stays(
    page: Page, url: str, witness: Witness, page_name: str, part: str
) -> None:
    visit(page, f"{url}/{page_name}")
    expect(page.locator(part)).not_to_be_in_viewport()
    page.locator(f"a[href='{part}']").first.click()
    expect(page.locator(part)).to_be_in_viewport()
    page.wait_for_timeout(STAYS)
    expect(page.locator(part)).to_be_in_viewport()
    forget_first_requests(witness)
