"""Readers at the home page."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import BrowserContext, Page

from benchmarks.harness import Server, Witness
from benchmarks.home_page import Reader
from tests.browser import watched

PROMPT = "Once upon a time"


@pytest.fixture
def newcomer(page: Page, url: str) -> Reader:
    """A reader with a page of the test's own, which is not opened yet."""
    return Reader(page, url)


@pytest.fixture(scope="module")
def init_script() -> str:
    """What runs before the scripts of the page that a file's tests share."""
    return ""


@pytest.fixture(scope="module")
def _seated(window: BrowserContext, server: Server, init_script: str) -> Iterator[Reader]:
    with watched(window, server, Witness()) as page:
        page.add_init_script(init_script)
        yield Reader(page, server.url).open()


@pytest.fixture
def reader(_seated: Reader, request: pytest.FixtureRequest) -> Iterator[Reader]:
    """A reader at the page that a file's tests share (to open one takes seconds), at a prompt anew.

    What else a test sets, it puts back; after one that fails the page is opened again.
    """
    n_failed = request.session.testsfailed
    _seated.page.bring_to_front()  # a page behind another draws no frame
    if len(_seated.ids) > _seated.header["n_prompt"]:
        _seated.press("Reset")  # what is written would be kept as a branch
    _seated.do(_seated.button(PROMPT).click, "prompt")
    _seated.wire.events.clear()
    yield _seated
    if request.session.testsfailed > n_failed:
        _seated.open()
