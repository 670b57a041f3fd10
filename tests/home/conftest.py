"""A reader at the home page."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page

from benchmarks.home_page import Reader


@pytest.fixture
def reader(page: Page, url: str) -> Reader:
    return Reader(page, url)
