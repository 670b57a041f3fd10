"""A model by its name, in a browser: typed, watched, stopped, gone on with, used offline."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from benchmarks.harness import Witness, serve, visit
from benchmarks.home_page import PATIENCE
from tests.frame.accessibility import forget_first_requests
from tests.loopback_hub import LoopbackHub, running
from tests.tiny_models import bare_model, save

pytestmark = pytest.mark.browser

NAME = "someone/tiny"
LONG = 4 * PATIENCE
SHARE = "[data-testid=stDialog] [role=progressbar]"


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    context = browser.new_context(viewport={"width": 390, "height": 844})
    yield context
    context.close()


def ask_for_it(page: Page) -> None:
    """Finds the field from the first page, as who has read nothing does, and types the name."""
    page.bring_to_front()  # a page behind another draws no frame
    page.get_by_role("button", name="Model: storyteller").click(timeout=PATIENCE)
    field = page.get_by_label("Name of a model")
    expect(field).to_be_visible()
    field.fill(NAME)
    field.press("Enter")


def loop_shows(page: Page, name: str) -> None:
    in_use = page.get_by_role("button", name=f"Model: {name}")
    expect(in_use).to_be_visible(timeout=LONG)  # its files are tried in a process of their own
    expect(page.get_by_role("dialog")).to_be_hidden()


def open_page(context: BrowserContext, address: str, witness: Witness) -> Page:
    page = context.new_page()
    witness.watch(page)
    visit(page, address)
    return page


def test_a_model_is_fetched_by_its_name_and_found_again_when_the_hub_is_gone(
    context: BrowserContext, tmp_path: Path, witness: Witness
) -> None:
    folder = save(tmp_path / "tiny", bare_model("gpt2", n_embd=512, n_layer=4))
    env = {"HF_HOME": str(tmp_path / "home"), "HF_HUB_OFFLINE": "0"}
    with running() as hub:
        hub.add(NAME, folder)
        hub.flowing.clear()
        with serve(env=env | {"HF_ENDPOINT": hub.url}) as server:
            first, other = (open_page(context, server.url, witness) for _ in range(2))
            fetch_it(first, hub)
            ask_for_it(other)
            other.get_by_role("button", name="Use this model").click()
            loop_shows(other, "tiny")
            for page in (first, other):
                page.close()  # before their server goes
            assert "Traceback" not in server.log()
    gone = {"HF_ENDPOINT": hub.url, "HF_HUB_OFFLINE": "1"}
    with serve(env=env | gone, port=urlsplit(server.url).port) as server:
        page = open_page(context, f"{server.url}/sampling", witness)
        forget_first_requests(witness)
        go_home_by_the_contents(page)
        ask_for_it(page)
        page.get_by_role("button", name="Use this model").click()
        loop_shows(page, "tiny")
        page.get_by_role("button", name="Next").click()
        page.close()
        assert "Traceback" not in server.log()
    assert not witness.errors
    assert not witness.outside


def go_home_by_the_contents(page: Page) -> None:
    """The first page that a server shows, be it a lesson, runs below the table of contents."""
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.get_by_test_id("stTopNavSection").first).to_be_visible(timeout=LONG)
    expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
    page.get_by_role("button", name="The loop").click()
    page.get_by_role("menuitem", name="One token at a time").click()


def fetch_it(page: Page, hub: LoopbackHub) -> None:
    """Watches the bar half-way, stops, goes on, and uses the model."""
    ask_for_it(page)
    download = page.get_by_role("button", name="Download")
    download.click()
    bar = page.locator(SHARE)
    expect(bar).to_have_attribute("aria-valuenow", re.compile("^(4.|50)$"), timeout=LONG)
    expect(page.get_by_role("dialog")).to_contain_text("MB/s")
    page.get_by_role("dialog").get_by_role("button", name="Stop").click()
    expect(page.get_by_role("dialog")).to_contain_text("Stopped after")
    hub.flowing.set()
    n_before = len(list(hub.gets()))
    download.click()
    loop_shows(page, "tiny")
    asked = list(hub.gets())[n_before:]
    (part,) = [part for _, path, part in asked if path.endswith("model.safetensors")]
    assert part is not None, "what had come is not fetched again"
