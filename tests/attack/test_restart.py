"""A server is killed and another takes its place: readers go on, or are told what is gone."""

import asyncio
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import psutil
import pytest
from playwright.sync_api import Browser, Page, expect

from benchmarks.soak_reader import SoakReader
from model.machine import child
from pages.frame.offers import DEFAULT_PROMPT
from tests.browser import SCREEN
from tests.driving.harness import Server, Witness, by_key, serve, visit, wait_idle
from tests.driving.home_page import PATIENCE_MS, Reader
from tests.home.conftest import PROMPT

pytestmark = pytest.mark.browser

LONG = "something " * 401  # no address holds it
SWITCHES = ("presenter", "hide_bars")
N_PRESSED = 3  # while nobody is there
LESSON, JOB = "teacher_forcing", "snowball_long_run"  # forty texts side by side
Acts = Iterator[None]  # what one does before, while no server is there, and once another is


@pytest.mark.nightly  # by day test_kill.py: another copy goes on with the page
def test_whoever_was_there_goes_on_or_is_told_what_is_gone(
    page: Page, browser: Browser, witness: Witness
) -> None:
    with serve() as first:
        # the first page that a server shows, be it a lesson, runs below the table of contents
        visit(page, f"{first.url}/glossary")
        expect(page.get_by_test_id("stTopNavSection").first).to_be_visible()
        expect(page.get_by_test_id("stSidebarNav")).to_have_count(0)
        acts = (with_texts(page, first.url), in_a_room(browser, first.url), with_a_job(first))
        for act in acts:
            next(act)
        first.process.kill()
        first.process.wait()
        for act in acts:
            next(act)
    with serve(port=urlsplit(first.url).port) as second:
        for act in reversed(acts):  # a job and the lessons first, while the server is fresh
            next(act, None)
        page.goto("about:blank")
        assert "Traceback" not in second.log()
    witness.errors.clear()  # the browser says that it lost the connection


# A room is gone: each of its pages says what happened


def in_a_room(browser: Browser, url: str) -> Acts:
    window = browser.new_context(viewport=SCREEN)
    teacher, desk, projector, phone = (window.new_page() for _ in range(4))
    visit(teacher, f"{url}/classroom")
    by_key(teacher, "classroom_open").get_by_role("button").click()
    at = teacher.get_by_role("link", name="Open the desk").get_attribute("href") or ""
    code = Path(at).parts[1]
    desk.goto(f"{url}/{at.removeprefix('./')}")
    projector.goto(f"{url}/room/{code}/projector")
    phone.goto(f"{url}/room/{code}")
    phone.locator("#join button").click()
    expect(phone.locator("#text")).to_contain_text(DEFAULT_PROMPT)
    desk.locator("#else summary").click()
    desk.locator("#next").click()
    expect(projector.locator("#options li")).to_have_count(5)
    yield
    pages = (desk, projector, phone)
    for page in pages:
        expect(page.locator("#error")).to_contain_text("Trying again")
    expect(projector.locator("#options li")).to_have_count(5)  # what was asked stays meanwhile
    yield
    for page in pages:
        said = page.locator("#error")
        expect(said).to_contain_text("the server was started again")
        assert (said.text_content() or "").count(".") == 2, "what happened, and what to do"
    expect(projector.locator("#options, #qr, #counts, #ask")).to_have_count(4)
    for gone in ("#options", "#qr", "#counts", "#ask"):
        expect(projector.locator(gone)).to_be_hidden()
    expect(desk.locator("#desk")).to_be_hidden()
    expect(phone.locator("#join")).to_be_visible()
    teacher.reload()
    wait_idle(teacher)
    expect(teacher.get_by_text(f"Room {code} is no more")).to_be_visible()
    window.close()


# A job is over, and its child with it; another can be begun


def with_a_job(server: Server) -> Acts:
    with ThreadPoolExecutor(1) as alone:  # a browser's tests leave a loop in this thread
        assert alone.submit(asyncio.run, begin_a_job(server.url)).result() == []
        children = psutil.Process(server.process.pid).children(recursive=True)
        yield
        assert psutil.wait_procs(children, timeout=20 * child._LOOK_EVERY)[1] == []
        yield
        assert alone.submit(asyncio.run, open_all(server.url)).result() == []
        assert alone.submit(asyncio.run, begin_a_job(server.url)).result() == []


async def open_all(url: str) -> list[str]:
    """Opens lessons of a fresh server all at once; returns what went wrong in them."""

    async def wrong_in(page: str) -> list[str]:
        async with SoakReader(url, page) as reader:
            return reader.exceptions

    pages = ("snowball", "sampling", "prefill_decode", "")
    return list(chain.from_iterable(await asyncio.gather(*map(wrong_in, pages))))


async def begin_a_job(url: str) -> list[str]:
    async with SoakReader(url, LESSON) as reader:
        await reader.press_key(JOB)
        assert await reader.tick(), "it goes on"
        return reader.exceptions


# A reader's texts are in the page: one that stayed open goes on, and one that is reloaded


def with_texts(page: Page, url: str) -> Acts:
    reader = Reader(page, url)
    before = write_three_texts(reader)
    press_switches(page)
    reader.page.evaluate("() => { globalThis.__ottEvents = []; }")
    yield
    for _ in range(N_PRESSED):
        reader.button("Next").click()
    yield
    wait_for(reader, before, N_PRESSED)
    # nothing is handed back and nothing asked: all that was asked is the presses, and Back
    assert counts(reader) == {"next": N_PRESSED, "back": N_PRESSED}
    assert_that_it_can_be_gone_on_with(reader, before)
    assert_that_a_link_brings_its_text_alone(reader)


def kept(header: dict[str, Any]) -> tuple[Any, ...]:
    """What has to come back."""
    branches = [
        (text["ids"], text["query"], round(text["logprob"], 2)) for text in header["branches"]
    ]
    branches.append((header["ids"], header["prompt"], round(header["logprob"], 2)))
    return header["model"]["name"], header["branch"], header["ids"], header["controls"], branches


def counts(reader: Reader) -> Counter[str]:
    """What the session was asked since the page was opened, or since it was noted last."""
    return Counter(event["kind"] for event in reader.events)


def wait_for(reader: Reader, before: tuple[Any, ...], n_pressed: int = 0) -> None:
    """Waits until what was pressed while nobody was there is done; then takes it back."""
    n_tokens = len(before[2]) + n_pressed
    reader.until(
        lambda: reader.chips.count() == n_tokens and not reader.wire.n_open,
        "the presses stay without an answer",
        4 * PATIENCE_MS,  # a server that has just begun loads all that it needs
    )
    reader.settle()
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
