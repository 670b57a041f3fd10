"""Desk, phone and projector say only what the catalogue has, from a question's Show to its Reveal.

The server runs in this process, so that it speaks the pseudo-locale; the lesson has a file in that
language, as it may have in every other. Tokens, the code and the address are marked by
`translate="no"`.
"""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from threading import Thread

import pytest
import uvicorn
from playwright.sync_api import Browser, Page, Request, ViewportSize, expect
from starlette.applications import Starlette

from model.classroom.rooms import end_rooms
from model.loading import LanguageModel
from pages.frame import assets
from pages.lessons.classroom import desk, phone, projector
from pages.lessons.classroom.script import PLAN
from pages.lessons.classroom.state import Classroom, open_class
from pages.lessons.tour import scenes
from pages.lessons.tour.scene_file import STRUCTURE, TEXTS
from tests.words.pseudo import ACCENTED, TAG, speaking_pseudo, texts_on, unmarked

pytestmark = pytest.mark.browser

SCREENS: dict[str, ViewportSize] = {
    "desk": {"width": 1280, "height": 800},
    "phone": {"width": 390, "height": 844},
    "projector": {"width": 1920, "height": 1080},
}
NAME = "Ádá"  # a person's: in no catalogue
OPEN_ALL = "nodes => nodes.forEach((node) => node.open = true)"
ADVERSARY = "(main) => main.insertAdjacentHTML('beforeend', '<p>Nor did anybody mark this.</p>')"
CHOICE, NEXT_TOKEN = 2, 3  # questions of the lesson, as the desk lists them from 1
BUTTON = "#items li:nth-of-type({item}) button:nth-of-type({nth})"
FORWARD = "#presses .main"  # the next step of a question
NEXT_MS = 50
ASK_NOW = "() => document.dispatchEvent(new Event('visibilitychange'))"


def in_pseudo(lesson: str) -> str:
    """Returns the file of a lesson in the pseudo-locale: its texts, as a translation has them."""
    lines = []
    for line in lesson.splitlines():
        name, colon, text = line.partition(":")
        if name in TEXTS:
            lines.append(f"{name}:{text.translate(ACCENTED)}")
        elif not (colon and name in STRUCTURE):
            lines.append(line.translate(ACCENTED))
    return "\n".join(lines)


@contextmanager
def serving() -> Iterator[str]:
    """Serves the pages of rooms from a thread of this process."""
    routes = [route for page in (phone, projector, desk) for route in page.routes("")]
    app = Starlette(routes=routes, middleware=assets.middleware(""))
    config = uvicorn.Config(app, port=0, log_level="error")
    listening = config.bind_socket()
    listening.listen()
    server = uvicorn.Server(config)
    thread = Thread(target=server.run, args=([listening],))
    thread.start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


class Walk:
    """The pages of a room, by their names, and what has been said on each."""

    def __init__(self, classroom: Classroom, pages: dict[str, Page]) -> None:
        """Takes the pages, and notes what they ask for."""
        self.classroom, self.pages = classroom, pages
        self.said: dict[str, set[str]] = {name: set() for name in pages}
        self.asked = dict.fromkeys(pages, "")
        for name, page in pages.items():
            page.on("request", partial(self._note, name))

    def _note(self, name: str, request: Request) -> None:
        if "/state?" in request.url:
            self.asked[name] = request.url

    def press(self, selector: str) -> None:
        """Presses a button of the desk, and reads all pages once the server has carried it out."""
        with self.pages["desk"].expect_response("**/desk/press"):
            self.pages["desk"].locator(selector).first.click()
        self.read()

    def read(self) -> None:
        """Reads each page once it shows the room as it is: it asks for a newer version then."""
        for name, page in self.pages.items():
            page.wait_for_timeout(NEXT_MS)
            while not self.asked[name].endswith(f"version={self._version(name)}"):
                page.evaluate(ASK_NOW)
                page.wait_for_timeout(NEXT_MS)
            page.locator("details").evaluate_all(OPEN_ALL)
            self.said[name] |= set(texts_on(page))

    def _version(self, name: str) -> str:
        room = self.classroom.room
        if name == "phone":
            return f"{room.version}.{int(room.is_open)}"
        told = desk.view(self.classroom) if name == "desk" else room.screen()
        return str(told["version"])

    def unmarked(self) -> dict[str, list[str]]:
        """Returns what no catalogue has, by the page."""
        return {name: unmarked(said) for name, said in self.said.items()}


@pytest.fixture
def walk(
    browser: Browser,
    storyteller: LanguageModel,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> Iterator[Walk]:
    """A room whose desk has the lesson, with a phone that is about to join."""
    lesson = (scenes.FOLDER / f"{PLAN}.md").read_text("utf-8")
    for own, text in (("", lesson), (f".{TAG.replace('-', '_')}", in_pseudo(lesson))):
        (tmp_path / f"{PLAN}{own}.md").write_text(text, "utf-8")
    monkeypatch.setattr(scenes, "FOLDER", tmp_path)
    with ExitStack() as stack:
        stack.enter_context(speaking_pseudo(tmp_path))
        classroom = open_class(storyteller)
        stack.callback(end_rooms, [classroom.room])
        url = f"{stack.enter_context(serving())}/room/{classroom.room.code}"
        addresses = {
            "desk": f"{url}/desk?lang={TAG}#{classroom.room.key}",
            "phone": f"{url}?lang={TAG}",
            "projector": f"{url}/projector?lang={TAG}",
        }
        pages = {}
        for name, size in SCREENS.items():
            context = browser.new_context(viewport=size, locale="en-US")
            stack.callback(context.close)
            pages[name] = context.new_page()
            pages[name].goto(addresses[name])
        yield Walk(classroom, pages)


def vote(phone: Page) -> None:
    """Answers, and waits until the server has the answer."""
    first = phone.locator("#options button").first
    first.click()
    expect(first).to_have_attribute("aria-pressed", "true")


def test_all_that_is_said_through_a_question_is_in_the_catalogue(walk: Walk) -> None:
    phone = walk.pages["phone"]
    walk.said["phone"] |= set(texts_on(phone))
    phone.locator("#name").fill(NAME)
    with phone.expect_response("**/join"):
        phone.locator("#join button[type=submit]").click()
    walk.read()

    walk.press(BUTTON.format(item=CHOICE, nth=1))  # Show
    walk.press(BUTTON.format(item=CHOICE, nth=2))  # Ask
    vote(phone)
    walk.read()
    walk.press(FORWARD)  # Close
    walk.press(FORWARD)  # Reveal
    assert walk.classroom.is_revealed

    walk.press(BUTTON.format(item=NEXT_TOKEN, nth=2))
    vote(phone)
    phone.locator("#sure button").first.click()
    walk.read()
    walk.press(FORWARD)
    walk.press(FORWARD)  # Beside the model
    walk.press("#appends button")
    assert walk.classroom.has_appended
    walk.press("#items li:last-of-type button")  # what to remember
    assert walk.classroom.room.scene is not None
    assert walk.classroom.room.scene.is_end
    assert not any(walk.unmarked().values()), walk.unmarked()

    # a sentence of the server, and one of a page; a phone shows an answer where a question is
    walk.classroom.room.reveal("Nobody marked this.")
    for page in walk.pages.values():
        page.locator("main").evaluate(ADVERSARY)
    walk.read()
    walk.press(BUTTON.format(item=CHOICE, nth=2))
    walk.press(FORWARD)
    walk.classroom.room.reveal("Nobody marked this.")
    walk.read()
    found = {name: len(texts) for name, texts in walk.unmarked().items()}
    assert found == dict.fromkeys(walk.pages, 2)
