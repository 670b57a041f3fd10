"""One server and one Chromium per worker, and a page that notes down whatever goes wrong in it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, expect

from benchmarks.harness import CLOCK, ROOT, Server, Witness, chromium, serve
from benchmarks.home_page import PATIENCE

ORIGIN = "http://scripts.test/"

expect.set_options(timeout=PATIENCE)  # what is expected is waited for; no test fails on the clock


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The app as `make run` serves it, on a free port."""
    with serve() as running:
        yield running


@pytest.fixture(scope="session")
def url(server: Server) -> str:
    """Where the app answers."""
    return server.url


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """A real Chromium; where there is none the tests fail, for a skipped test proves nothing."""
    with ExitStack() as stack:
        try:
            running = stack.enter_context(chromium("--process-per-site"))
        except RuntimeError as error:
            pytest.fail(str(error), pytrace=False)
        yield running


@pytest.fixture
def witness() -> Witness:
    """What went wrong in the page so far; a test that provokes an error clears it."""
    return Witness()


@pytest.fixture(scope="session")
def window(browser: Browser, url: str) -> Iterator[BrowserContext]:
    """One window per worker, so that Streamlit's own scripts are fetched and compiled once.

    Its first tab stays and keeps the site's process, and with it what was compiled; a new window
    for each page would cost Chromium half as much again as the page.
    """
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    context.add_init_script(CLOCK)
    context.new_page().goto(f"{url}/_stcore/health")
    yield context
    context.close()


@contextmanager
def watched(window: BrowserContext, server: Server, witness: Witness) -> Iterator[Page]:
    """A fresh blank page at 1280 x 800; when it is left it must have met no error of any kind."""
    printed_before, others = len(server.log()), window.pages
    page = window.new_page()
    witness.watch(page)
    yield page
    forget = {"origin": server.url, "storageTypes": "cookies,local_storage,indexeddb"}
    window.new_cdp_session(page).send("Storage.clearDataForOrigin", forget)
    for opened in window.pages:
        if opened not in others:
            opened.close()

    printed = server.log()[printed_before:]
    print(printed)  # noqa: T201  pytest shows it beside a failure
    assert "Traceback" not in printed, f"The server printed a traceback:\n{printed}"
    assert not witness.outside, f"The page reached for the network: {witness.outside}"
    assert not witness.errors, f"The browser's console shows errors: {witness.errors}"


@pytest.fixture
def page(window: BrowserContext, server: Server, witness: Witness) -> Iterator[Page]:
    """A page of the test's own."""
    with watched(window, server, witness) as page:
        yield page


@pytest.fixture(scope="session")
def scripts_page(browser: Browser) -> Iterator[Page]:
    """A page in which no request leaves the machine: it is answered from our files."""

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(ORIGIN)
        text = (ROOT / path).read_text("utf-8") if path else ""
        kind = "text/javascript" if path else "text/html"
        route.fulfill(body=text, content_type=f"{kind}; charset=utf-8")

    context = browser.new_context()
    page = context.new_page()
    page.route(f"{ORIGIN}**", answer)
    yield page
    context.close()


@pytest.fixture
def scripts(scripts_page: Page) -> Page:
    """That page, blank again: it can import our modules by their paths."""
    scripts_page.goto(ORIGIN)
    scripts_page.bring_to_front()  # a page behind another draws no frame
    return scripts_page
