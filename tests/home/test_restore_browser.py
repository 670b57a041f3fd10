"""A server that is killed and another in its place: readers come back with all that they had."""

from collections import Counter
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, expect

from benchmarks.harness import Witness, by_key, serve, visit, wait_idle
from benchmarks.home_page import PATIENCE_MS, Reader
from tests.home.conftest import PROMPT

pytestmark = pytest.mark.browser

LONG = "something " * 401  # no address holds it
SWITCHES = ("presenter", "hide_bars")
N_PRESSED = 3  # while nobody is there


def kept(header: dict[str, Any]) -> tuple[Any, ...]:
    """What has to come back."""
    branches = [
        (text["ids"], text["query"], round(text["logprob"], 2)) for text in header["branches"]
    ]
    branches.append((header["ids"], header["prompt"], round(header["logprob"], 2)))
    return header["model"]["name"], header["branch"], header["ids"], header["controls"], branches


def counts(reader: Reader) -> Counter[str]:
    """What was asked, each event once: one that is late is sent again by its number."""
    asked = {(event["kind"], event.get("n")) for event in reader.wire.events}
    return Counter(kind for kind, _ in asked)


def wait_for(reader: Reader, before: tuple[Any, ...], n_pressed: int = 0) -> None:
    """Waits until all is back, and what was pressed while nobody was there is done."""
    n_tokens = len(before[2]) + n_pressed
    reader.until(
        lambda: (
            counts(reader)["restore"] == 1
            and reader.chips.count() == n_tokens
            and not reader.wire.n_open
        ),
        "the page hands nothing back",
        4 * PATIENCE_MS,  # a server that has just begun loads all that it needs
    )
    assert counts(reader).keys() == ({"restore", "next"} if n_pressed else {"restore"})
    assert len(reader.ids) == n_tokens
    for _ in range(n_pressed):
        reader.press("Back")
    assert kept(reader.header) == before


def press_switches(page: Page) -> None:
    for switch in SWITCHES:
        by_key(page, switch).locator("label").click()
    wait_idle(page)


def write_three_texts(reader: Reader) -> tuple[Any, ...]:
    """Leaves a text with a forced token, a branch of it, and a long prompt that is active."""
    reader.open(prompt=PROMPT, run="8")
    reader.do(reader.row(3).locator("button").click, "force")
    n_prompt = reader.header["n_prompt"]
    reader.choose_at(n_prompt + 4, "Branch here, keep this text", "branch")
    reader.do(lambda: reader.slider("temperature").press("ArrowLeft"), "settings")
    reader.press("Next")
    reader.write(LONG)
    reader.press("Next")
    reader.settle()
    reader.page.wait_for_function("() => location.search === ''", timeout=PATIENCE_MS)
    assert len(reader.header["branches"]) == 2
    return kept(reader.header)


def test_all_texts_come_back_to_a_page_that_stayed_open_and_to_one_that_is_reloaded(
    page: Page, witness: Witness
) -> None:
    with serve() as first:
        reader = Reader(page, first.url)
        # the first page that a server shows, be it a lesson, runs below the table of contents
        visit(page, f"{first.url}/glossary")
        expect(page.get_by_test_id("stTopNavSection").first).to_be_visible()
        expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
        before = write_three_texts(reader)
        press_switches(page)
        reader.wire.events.clear()
        first.process.kill()
        for _ in range(N_PRESSED):
            reader.button("Next").click()
    with serve(port=urlsplit(first.url).port) as second:
        # beside the presses there is no event since, so no run of a fragment was asked for
        wait_for(reader, before, N_PRESSED)
        assert_that_it_can_be_gone_on_with(reader, before)
        assert_that_a_link_brings_its_text_alone(reader)
        page.goto("about:blank")
        assert "Traceback" not in second.log()
    witness.errors.clear()  # the browser says that it lost the connection


def assert_that_it_can_be_gone_on_with(reader: Reader, before: tuple[Any, ...]) -> None:
    page = reader.page
    expect(reader.notice).to_be_hidden()
    reader.until(lambda: all(reader.header[switch] for switch in SWITCHES), "a switch is off")
    press_switches(page)

    # the first is written again as it is opened, its forced token forced
    reader.do(reader.live.locator(".branch").first.click, "switch")
    assert reader.ids == before[-1][0][0]
    assert reader.header["steps"]["forced"][-1]
    reader.press("Next")
    assert len(reader.header["branches"]) == 2

    # where the address holds the text, it is there at once, and the others come
    reader.rest()
    before = kept(reader.header)
    page.reload()
    wait_idle(page)
    wait_for(reader, before)


def assert_that_a_link_brings_its_text_alone(reader: Reader) -> None:
    for link in ("/", "/?prompt=The+dragon&run=3"):
        reader.open_link(link)
        reader.press("Next")
        assert reader.header["branches"] == []
        assert counts(reader) == {"next": 1}
    reader.rest()
    ids = reader.ids
    reader.page.reload()  # asks for nothing
    wait_idle(reader.page)
    expect(reader.chips).to_have_count(len(ids), timeout=PATIENCE_MS)
    reader.press("Next")
    assert reader.ids[:-1] == ids
    assert counts(reader) == {"next": 1}
