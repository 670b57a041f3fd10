"""The page as one file, opened from the disk, with no network and no server."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from model.loading import LanguageModel
from pages.home.in_page_file import live_page
from tests.browser import SEEN
from tests.driving.harness import Witness

Open = Callable[..., Page]


@pytest.fixture(scope="module")
def file(storyteller: LanguageModel, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("one file") / "one-token.html"
    path.write_text(live_page(storyteller), "utf-8")
    return path


@pytest.fixture(scope="module")
def offline(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(
        offline=True, viewport={"width": 1280, "height": 800}, reduced_motion="reduce"
    )
    context.grant_permissions(["clipboard-read", "clipboard-write"])
    context.add_init_script(SEEN)
    yield context
    context.close()


@pytest.fixture
def open_file(offline: BrowserContext, file: Path, witness: Witness) -> Iterator[Open]:
    """Opens the file at an address; it must ask for nothing but itself, and meet no error."""
    opened = []

    def open_page(address: str = "", path: Path = file) -> Page:
        page = offline.new_page()
        witness.watch(page)
        opened.append(page)
        page.goto(path.as_uri() + address)
        page.wait_for_function("() => globalThis.oneToken")
        page.evaluate("() => oneToken.ready")
        expect(page.locator("#opening")).to_have_count(0)
        expect(page.locator(".token").first).to_be_visible()
        return page

    yield open_page
    for page in opened:
        page.close()
    assert all(address.startswith("file:") for address in witness.outside), witness.outside
    assert not witness.errors
