"""A server that is killed: its readers come back, on another copy too, with all that they had."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Server, Witness, by_key, serve, wait_idle
from benchmarks.home_page import PATIENCE, Reader
from model.loading import LanguageModel
from tests.engine.fake_vllm import FakeVllm
from tests.home.forwarder import Forwarder

pytestmark = pytest.mark.browser

LONG = "something " * 401  # no address holds it
SWITCHES = ("presenter", "hide_bars")


@pytest.fixture
def proxy(page: Page, witness: Witness) -> Iterator[Forwarder]:
    """The one address that a page of the test knows."""
    proxy = Forwarder()
    yield proxy
    page.goto("about:blank")
    proxy.close()
    witness.errors.clear()  # the browser says that it lost the connection


@pytest.fixture
def engine(storyteller: LanguageModel) -> Iterator[dict[str, str]]:
    """Settings of copies of the app that share an engine."""
    engine = FakeVllm(storyteller)
    yield {"ONE_TOKEN_ENGINE_URL": engine.url, "ONE_TOKEN_ENGINE_MODEL": "storyteller"}
    engine.kill()


def kept(header: dict[str, Any]) -> tuple[Any, ...]:
    """What has to come back."""
    branches = [
        (text["ids"], text["query"], round(text["logprob"], 2)) for text in header["branches"]
    ]
    return header["model"]["name"], header["branch"], header["ids"], header["controls"], branches


def kinds(reader: Reader) -> set[str]:
    return {event["kind"] for event in reader.wire.events}


def wait_for(reader: Reader, before: tuple[Any, ...]) -> None:
    reader.until(
        lambda: (
            bool(reader.wire.headers)
            and kinds(reader) == {"restore"}
            and kept(reader.header) == before
        ),
        "not all came back",
        4 * PATIENCE,  # a server that has just begun loads all that it needs
    )
    expect(reader.chips).to_have_count(len(reader.ids), timeout=PATIENCE)


def write_three_texts(reader: Reader) -> tuple[Any, ...]:
    """Leaves a text with a forced token, a branch of it, and a long prompt that is active."""
    reader.open(prompt="Once upon a time")
    reader.press("Write 20 tokens at once")
    reader.do(reader.row(3).locator("button").click, "force")
    n_prompt = reader.header["n_prompt"]
    reader.choose_at(n_prompt + 4, "Branch here, keep this text", "branch")
    reader.do(lambda: reader.slider("temperature").press("ArrowLeft"), "settings")
    reader.press("Next")
    reader.write(LONG)
    reader.press("Next")
    reader.settle()
    reader.page.wait_for_function("() => location.search === ''", timeout=PATIENCE)
    assert len(reader.header["branches"]) == 3
    return kept(reader.header)


def test_all_texts_come_back_from_another_copy_to_a_page_that_stayed_open(
    page: Page, proxy: Forwarder, engine: dict[str, str]
) -> None:
    reader = Reader(page, proxy.url)
    with serve(env=engine) as first, serve(env=engine) as second:
        proxy.lead_to(first.url, second.url)
        before = write_three_texts(reader)
        assert before[0] == "storyteller (server)"
        first.process.kill()
        wait_for(reader, before)
        expect(reader.notice).to_be_hidden()

        # the first is written again as it is opened, its forced token forced
        reader.do(reader.live.locator(".branch").first.click, "switch")
        assert reader.ids == before[-1][0][0]
        assert reader.header["steps"]["forced"][-1]
        reader.press("Next")
        assert len(reader.header["branches"]) == 3
        assert_that_a_link_brings_its_text_alone(reader)


def assert_that_a_link_brings_its_text_alone(reader: Reader) -> None:
    for link in ("/", "/?prompt=The+dragon&run=3"):
        reader.open_link(link)
        reader.press("Next")
        assert len(reader.header["branches"]) == 1
        assert kinds(reader) == {"next"}
    reader.rest()
    ids = reader.ids
    reader.page.reload()  # asks for nothing
    wait_idle(reader.page)
    expect(reader.chips).to_have_count(len(ids), timeout=PATIENCE)
    reader.press("Next")
    assert reader.ids[:-1] == ids
    assert kinds(reader) == {"next"}


def test_all_texts_come_back_to_a_page_that_is_reloaded_and_to_one_that_rested(
    page: Page, proxy: Forwarder, server: Server
) -> None:
    proxy.lead_to(server.url)
    reader = Reader(page, proxy.url)
    before = write_three_texts(reader)
    page.reload()
    wait_idle(page)
    wait_for(reader, before)
    for switch in SWITCHES:
        by_key(page, switch).locator("label").click()
    wait_idle(page)
    proxy.lead_to()  # no event since, so no run of a fragment is asked for
    reader.wire.headers.clear()
    with serve() as fresh:
        proxy.lead_to(fresh.url)
        wait_for(reader, before)
        reader.until(lambda: all(reader.header[switch] for switch in SWITCHES), "a switch is off")
        for switch in SWITCHES:
            by_key(page, switch).locator("label").click()
        wait_idle(page)
        # where the address holds the text, it is there at once, and the others come
        reader.do(reader.live.locator(".branch").nth(1).click, "switch")
        reader.rest()
        before = kept(reader.header)
        proxy.lead_to(server.url)
        page.reload()
        wait_idle(page)
        wait_for(reader, before)
