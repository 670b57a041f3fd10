"""Readers at the home page."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import BrowserContext, Page

from tests.browser import SCREEN, unharmed, watched
from tests.driving.harness import Server, Witness
from tests.driving.home_page import Reader

PROMPT = "Once upon a time"
MAX_BRANCHES_LEFT = 4  # by the tests before; the page lets the oldest go at its eighth
# keeps what the loop asks from leaving while `holdsWire` is set
HELD_WIRE = """(() => {
  const ask = globalThis.fetch;
  const held = [];
  globalThis.fetch = (...asked) => {
    if (!globalThis.holdsWire || !String(asked[0]).includes("/loop/")) return ask(...asked);
    return new Promise((resolve) => held.push(() => resolve(ask(...asked))));
  };
  globalThis.countHeld = () => held.length;
  globalThis.releaseWire = () => {
    globalThis.holdsWire = false;
    for (const let_go of held.splice(0)) let_go();
  };
})();"""


@contextmanager
def held_wire(reader: Reader) -> Iterator[None]:
    """Nothing that the page sends leaves it meanwhile; then it is answered."""
    reader.page.evaluate("() => { globalThis.holdsWire = true; }")
    yield
    reader.page.evaluate("() => globalThis.releaseWire()")
    reader.settle()


def be_calm(page: Page, request: pytest.FixtureRequest) -> None:
    """Asks for less motion, unless a file's `MOTION` says otherwise: a press is answered at once.

    With motion what was pressed stays lit for a moment, and the bars are painted once more.
    """
    page.emulate_media(reduced_motion=getattr(request.module, "MOTION", "reduce"))


@pytest.fixture
def newcomer(page: Page, url: str, request: pytest.FixtureRequest) -> Reader:
    """A reader with a page of the test's own, which is not opened yet."""
    be_calm(page, request)
    return Reader(page, url)


@pytest.fixture(scope="module")
def _seat(
    window: BrowserContext, server: Server, request: pytest.FixtureRequest
) -> Iterator[tuple[Reader, Witness]]:
    witness = Witness()
    with watched(window, server, witness) as page:
        be_calm(page, request)
        page.add_init_script(HELD_WIRE)
        yield Reader(page, server.url).open(), witness


@pytest.fixture
def reader(
    _seat: tuple[Reader, Witness], server: Server, request: pytest.FixtureRequest
) -> Iterator[Reader]:
    """A reader at the page that a file's tests share (to open one takes seconds), at a prompt.

    What else a test sets, it puts back; after one that fails the page is opened again.
    """
    (reader, witness), n_failed, can_go_on = _seat, request.session.testsfailed, False
    reader.page.bring_to_front()  # a page behind another draws no frame
    reader.page.set_viewport_size(SCREEN)
    if len(reader.ids) > reader.header["n_prompt"]:
        reader.press("Reset")  # what is written would be kept as a branch
    reader.write(PROMPT)
    reader.live.get_by_role("textbox", name="Prompt").blur()  # the keys drive the loop again
    reader.page.evaluate("() => { globalThis.__ottEvents = []; }")
    try:
        with unharmed(server, witness):
            yield reader
        has_failed = request.session.testsfailed > n_failed
        can_go_on = not has_failed and len(reader.header["branches"]) < MAX_BRANCHES_LEFT
    finally:
        if not can_go_on:
            witness.errors.clear()
            reader.open()
