"""One server and one Chromium per worker, and pages that note down whatever goes wrong in them."""

import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, Route, ViewportSize, expect

from pages.frame.contents import lesson_at
from pages.home.ticket import VARIABLE
from tests.driving.harness import (
    CLOCK,
    EXPERT,
    ROOT,
    Server,
    Witness,
    chromium,
    serve,
    visit,
    wait_idle,
)
from tests.driving.home_page import PATIENCE_MS
from tests.frame.accessibility import forget_first_requests

SCREEN: ViewportSize = {"width": 1280, "height": 800}
GLOSSARY = "glossary"
ORIGIN = "http://scripts.test/"
SECRET = "of all copies"  # by which the server and another one that has it know each other's pages
# a reader who has been here: the first step of a newcomer is played slowly, for a dozen seconds
SEEN = """try { localStorage.setItem("ott-seen", "1"); } catch { /* a page without storage */ }\n"""
# what a page's policy refuses is an error, also where the page does without it
TELL_TALE = """addEventListener("securitypolicyviolation", ({ blockedURI, violatedDirective }) => {
  console.error(`The page’s policy refuses ${blockedURI} (${violatedDirective})`);
});"""

expect.set_options(
    timeout=PATIENCE_MS
)  # what is expected is waited for; no test fails on the clock


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """The app as `make run` serves it, on a free port."""
    with serve(env={VARIABLE: SECRET}) as running:
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
    context = browser.new_context(viewport=SCREEN)
    context.set_default_timeout(PATIENCE_MS)
    context.add_init_script(CLOCK + EXPERT + TELL_TALE)
    context.new_page().goto(f"{url}/_stcore/health")
    yield context
    context.close()


@contextmanager
def unharmed(server: Server, witness: Witness) -> Iterator[None]:
    """What is done meanwhile must meet no error of any kind."""
    printed_before = len(server.log())
    yield
    printed = server.log()[printed_before:]
    print(printed)  # noqa: T201  pytest shows it beside a failure
    assert "Traceback" not in printed, f"The server printed a traceback:\n{printed}"
    assert not witness.outside, f"The page reached for the network: {witness.outside}"
    assert not witness.errors, f"The browser's console shows errors: {witness.errors}"


def clear_storage(page: Page, server: Server) -> None:
    """Who opens the app next is a newcomer again."""
    kinds = {"origin": server.url, "storageTypes": "cookies,local_storage,indexeddb"}
    page.context.new_cdp_session(page).send("Storage.clearDataForOrigin", kinds)


@contextmanager
def watched(window: BrowserContext, server: Server, witness: Witness) -> Iterator[Page]:
    """A fresh blank page at 1280 x 800; when it is left it must have met no error of any kind."""
    others = window.pages
    page = window.new_page()
    witness.watch(page)
    with unharmed(server, witness):
        yield page
        clear_storage(page, server)
        for opened in window.pages:
            if opened not in others:
                opened.close()


@pytest.fixture
def page(window: BrowserContext, server: Server, witness: Witness) -> Iterator[Page]:
    """A page of the test's own."""
    with watched(window, server, witness) as page:
        yield page


class LessonTab:
    """A page in which lessons are turned to by the table of contents: to open one takes seconds."""

    def __init__(self, window: BrowserContext, url: str) -> None:
        """Opens nothing before it is needed."""
        self.window, self.url, self.witness = window, url, Witness()
        self.page: Page | None = None
        self.seen = set[str]()

    def turn_to(self, lesson: str) -> Page:
        """Shows a lesson, by the name of its file, to a reader who has not seen it."""
        if lesson in self.seen:
            self.close()
        page = self.page = self.page or self._opened()
        page.bring_to_front()  # a page behind another draws no frame
        page.set_viewport_size(SCREEN)
        known = lesson_at(f"pages/{lesson}.py")
        self.seen.add(lesson)
        page.get_by_test_id("stTopNavSection").get_by_text(known.part_name).click()
        page.get_by_role("menuitem", name=known.title).click()
        expect(page).to_have_title(re.compile(known.title, re.IGNORECASE))
        wait_idle(page)
        return page

    def _opened(self) -> Page:
        page = self.window.new_page()
        page.emulate_media(color_scheme="dark")  # test_every_page.py looks at all in the light
        self.witness.watch(page)
        visit(page, f"{self.url}/{GLOSSARY}")
        forget_first_requests(self.witness)
        return page

    def close(self) -> None:
        """Forgets the page, and the reader with it."""
        if self.page is not None:
            self.page.close()
        self.page = None
        for noted in (self.seen, self.witness.errors, self.witness.outside):
            noted.clear()


@pytest.fixture(scope="session")
def _lesson_tab(window: BrowserContext, url: str) -> LessonTab:
    return LessonTab(window, url)


@pytest.fixture
def turn_to(
    _lesson_tab: LessonTab, server: Server, request: pytest.FixtureRequest
) -> Iterator[Callable[[str], Page]]:
    """Turn to a lesson in the page that a worker's lessons share.

    It is not handed on by a test that fails, nor by the first page's: lessons take up that text.
    """
    n_failed, can_go_on = request.session.testsfailed, False
    try:
        with unharmed(server, _lesson_tab.witness):
            yield _lesson_tab.turn_to
            if _lesson_tab.page is not None:
                clear_storage(_lesson_tab.page, server)
        has_failed = request.session.testsfailed > n_failed
        can_go_on = not has_failed and "generate" not in _lesson_tab.seen
    finally:
        if not can_go_on:
            _lesson_tab.close()


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
