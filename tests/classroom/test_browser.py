"""A room on the app's own server: desk, projector and phones, each in a real browser."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, ViewportSize, expect

from model.classroom.limits import MIN_SECONDS_BETWEEN
from pages.frame.offers import DEFAULT_PROMPT
from pages.lessons.classroom.script import PLAN, items_of
from pages.lessons.tour.scenes import read_lesson
from tests.browser import unharmed, watched
from tests.classroom.drawn_bars import (
    assert_names_have_air,
    assert_pointer_is_on_its_bar,
    assert_shares_are_percents,
)
from tests.driving.harness import Server, Witness, by_key, visit, wait_idle
from tests.frame.accessibility import forget_first_requests, violations
from tests.frame.by_eye import LENGTHEN, LONGER, cut

pytestmark = pytest.mark.browser

PROJECTOR: ViewportSize = {"width": 1920, "height": 1080}
SMALL_PROJECTOR: ViewportSize = {"width": 1280, "height": 720}
SMALL: ViewportSize = {"width": 320, "height": 568}
ASIDE: ViewportSize = {"width": 568, "height": 320}
BACK_ROW = 48  # pixels of letters that the back row reads, on a projector of 1080 lines

LONG = (  # more than a projector has room for beside bars
    "One day, a little girl named Lily went to the park with her mom. The sun was warm.\n"
    "She had a red ball and a big smile on her face. She ran to the pond, and there she saw a"
)
LIES_WELL = """() => {
  const main = document.querySelector("main");
  const parts = [...main.children].filter((part) => part.offsetHeight > 0);
  const top = (part) => part.getBoundingClientRect().top;
  const bottom = (part) => top(part) + part.scrollHeight;
  const isFree = (part, i) => i === 0 || bottom(parts[i - 1]) <= top(part) + 2;
  const asked = main.querySelector("#ask").getBoundingClientRect().bottom;
  const areBelow = [...main.querySelectorAll(".mark")].every((mark) => top(mark) >= asked);
  return main.scrollHeight <= innerHeight && parts.every(isFree) && areBelow;
}"""  # nothing is cut, and no part lies over the next
# what a screen reader hears of some live regions: one that comes with its words is not read
LISTEN = """(regions) => {
  globalThis.heard = [];
  for (const one of document.querySelectorAll(regions)) {
    if (!one.closest("[aria-live]")?.checkVisibility()) continue;
    new MutationObserver(() => heard.push(one.innerText))
      .observe(one, { childList: true, characterData: true, subtree: true });
  }
}"""
IS_BELOW = """() => {
  const gap = refused.offsetTop - write.offsetTop - write.offsetHeight;
  return gap >= 0 && gap < 20;
}"""  # what is refused stands at its field: a keyboard hides what is further down
ASKED_OF_THE_PLAN = "Which piece does a finger hit most often, if it does not look?"
NO_PHONE_SENDS = [
    ("join", b"{"),
    ("join", b"[" * 1999),
    ("join", b"x" * 10_000),
    ("join", [1]),
    ("answer", {"number": "one", "option": 0}),
    ("answer", {"number": 1, "option": "first"}),
    ("answer", {"number": 1, "option": 0, "confidence": "very"}),
    ("answer", {"number": 1, "option": 0}),
    ("state", None),
    ("desk/state", None),
    ("desk/press", {"do": "end"}),
]


def asked(url: str, body: Any = None) -> Any:
    """What the server says to a program."""
    data = None if body is None else body if isinstance(body, bytes) else json.dumps(body).encode()
    request = urllib.request.Request(url, data, {"x-phone": "stranger", "x-desk": "stranger"})
    try:
        with urllib.request.urlopen(request, timeout=10) as answer:
            return json.loads(answer.read())
    except urllib.error.HTTPError as refused:
        return json.loads(refused.read()) if refused.code == 409 else {}


def kept_of(phone: Page) -> dict[str, tuple[str, str, bool | None]]:
    """What the pupil's own record has of each question: what was said, what is right, and if so."""
    record = json.loads(phone.evaluate("localStorage.getItem('ott-record')"))
    return {
        one["question"]: (one["said"], one["right"], one["isRight"]) for one in record["answers"]
    }


@dataclass
class Pages:
    """The pages of one room."""

    code: str
    desk: Page
    projector: Page
    phone: Page
    others: list[str] = field(default_factory=list)  # phones that need no browser, by their tokens

    def press(self, name: str) -> None:
        self.desk.get_by_role("button", name=name, exact=True).first.click()

    def others_answer(self, url: str, option: int) -> None:
        base = f"{url}/room/{self.code}"
        self.others = self.others or [asked(f"{base}/join", {})["token"] for _ in range(4)]
        for token in self.others:
            headers = {"x-phone": token}
            with urllib.request.urlopen(
                urllib.request.Request(f"{base}/state", headers=headers), timeout=10
            ) as answer:
                number = json.loads(answer.read())["question"]["number"]
            body = json.dumps({"number": number, "option": option}).encode()
            urllib.request.urlopen(
                urllib.request.Request(f"{base}/answer", body, headers), timeout=10
            ).close()


@pytest.fixture(scope="module")
def _opened(window: BrowserContext, server: Server, url: str) -> Iterator[tuple[Pages, Witness]]:
    """Opened by a teacher; one phone has joined, by a code that was mistyped at first."""
    witness = Witness()
    with watched(window, server, witness) as page:
        visit(page, f"{url}/classroom")
        by_key(page, "classroom_open").get_by_role("button").focus()
        with focus_stays(page):
            page.keyboard.press("Enter")
            expect(page.get_by_role("link", name="Open the desk")).to_be_visible()
        link = page.get_by_role("link", name="Open the desk").get_attribute("href")
        assert link is not None
        code = link.split("/")[2]
        desk, projector, phone = (window.new_page() for _ in range(3))
        for each in (desk, projector, phone):
            witness.watch(each)
        desk.goto(f"{url}{link.removeprefix('.')}")
        expect(desk.locator("#desk")).to_be_visible()
        projector.set_viewport_size(PROJECTOR)
        projector.goto(f"{url}/room/{code}/projector")
        phone.set_viewport_size(SMALL)
        phone.goto(f"{url}/room/ZZZZ")
        phone.locator("#name").fill("Ada")
        phone.locator("#join button").click()
        expect(phone.locator("#error")).not_to_be_empty()
        expect(phone.locator("#code")).to_have_value("ZZZZ")
        phone.locator("#code").fill(code.lower())
        phone.locator("#join button").click()
        expect(phone.locator("#text")).to_contain_text(DEFAULT_PROMPT)
        expect(phone.locator("#waiting")).to_be_focused()
        witness.errors.clear()  # the browser's own line about the mistyped code
        page.reload()  # the desk's cookie says which room is open here
        wait_idle(page)
        expect(page.get_by_role("link", name="Open the desk")).to_have_attribute("href", link)
        forget_first_requests(witness)
        yield Pages(code, desk, projector, phone), witness


@pytest.fixture
def room(_opened: tuple[Pages, Witness], server: Server) -> Iterator[Pages]:
    """The room that the file's tests share, one after another: to open one takes seconds."""
    room, witness = _opened
    with unharmed(server, witness):
        yield room


@pytest.fixture
def witness(_opened: tuple[Pages, Witness]) -> Witness:
    """What went wrong in the room's pages."""
    return _opened[1]


@contextmanager
def focus_stays(page: Page) -> Iterator[None]:
    """Whoever presses by keyboard is never sent back to the top of the page."""
    yield
    page.wait_for_function(
        "() => document.activeElement !== document.body"
    )  # drawn anew, it is found again


def assert_bars_are_as_long_as_their_counts(page: Page) -> None:
    for _ in range(100):  # what the page asks for once a second may lay them anew
        bars = page.locator(".bar").evaluate_all(
            "(bars) => bars.map((bar) => [parseInt(bar.textContent), bar.firstChild.offsetWidth])"
        )
        longest, most = max(width for _, width in bars), max(n for n, _ in bars)
        if longest > 15 and all(abs(width - longest * n / most) <= 1 for n, width in bars):
            return
        page.wait_for_timeout(100)
    raise AssertionError(bars)


def assert_on_one_screen(phone: Page) -> None:
    """Nothing of a question has to be scrolled to, upright and on its side."""
    for size in (SMALL, ASIDE):
        phone.set_viewport_size(size)
        phone.wait_for_function(
            "() => document.documentElement.scrollHeight <= innerHeight"
            " && document.documentElement.scrollWidth <= innerWidth"
        )
    phone.set_viewport_size(SMALL)


def assert_read_from_the_back_row(projector: Page, *names: str) -> None:
    """The letters are large, nothing is cut, code and picture are there, and nothing to press."""
    for name in names:
        size = projector.locator(f"#{name}").evaluate(
            "(one) => parseFloat(getComputedStyle(one).fontSize)"
        )
        assert size >= BACK_ROW, name
    projector.wait_for_function(LIES_WELL)
    assert projector.locator("#qr").evaluate("(one) => one.naturalWidth > 0 && one.width >= 200")
    expect(projector.locator("#code")).to_be_in_viewport()
    assert projector.locator("button, a, input, nav").count() == 0


def assert_filled(projector: Page) -> None:
    """The lowest part ends near the lower edge, and nothing is cut."""
    projector.wait_for_function(
        """() => {
          const main = document.querySelector("main");
          const parts = [...main.children].filter((part) => part.offsetHeight > 0);
          const low = Math.max(...parts.map((part) => part.getBoundingClientRect().bottom));
          return main.scrollHeight <= innerHeight && low > 0.9 * innerHeight;
        }"""
    )


def test_a_vote_is_asked_for_and_answered_by_keyboard(room: Pages, url: str) -> None:
    desk, projector, phone = room.desk, room.projector, room.phone
    assert "#" not in desk.url, "the key is in no address that a projector might show"
    assert violations(desk) == []
    desk.locator("#else summary").click()
    desk.locator("#next").focus()
    with focus_stays(desk):
        desk.keyboard.press("Enter")
        expect(desk.locator("#ask")).to_have_text("What comes next?")
    options = phone.locator("#options button")
    expect(options).to_have_count(5)
    expect(phone.locator("#sure")).to_be_hidden()  # first the answer, then how sure
    assert_on_one_screen(phone)
    options.nth(1).focus()
    with focus_stays(phone):
        phone.keyboard.press("Enter")
        expect(options.nth(1)).to_have_attribute("aria-pressed", "true")
    expect(options.nth(1)).not_to_have_accessible_name(re.compile("✓"))
    expect(phone.locator("#sure")).to_be_visible()
    assert_on_one_screen(phone)
    to_say = phone.locator("#sent").inner_text()
    phone.wait_for_timeout(1000 * MIN_SECONDS_BETWEEN)
    phone.locator("#sure button").last.click()
    expect(phone.locator("#sent")).not_to_have_text(to_say)  # once it was said
    expect(phone.locator("#sent")).not_to_be_empty()
    phone.evaluate(LENGTHEN, LONGER)  # words of another language: test_by_eye.py, by night wholly
    assert cut(phone) == []
    assert "␣" not in phone.locator("body").inner_text()
    phone.reload()  # keeps its place and its answer
    expect(options.nth(1)).to_have_attribute("aria-pressed", "true")
    room.others_answer(url, 1)
    expect(projector.locator("#counts")).to_have_text("5 of 5 have answered")
    assert projector.locator("#outcome").is_hidden()
    assert_read_from_the_back_row(projector, "text", "ask", "options")

    desk.get_by_role("button", name="Close").focus()
    options.nth(0).focus()
    with focus_stays(desk), focus_stays(phone):
        desk.keyboard.press("Enter")
        expect(projector.locator(".bars")).to_contain_text("5 of 5")
        expect(phone.locator(".bars")).to_contain_text("5 of 5")
        expect(phone.locator("#sent")).to_contain_text("You said")
        expect(phone.locator("#ask")).to_be_focused()
    # the focus has the question read, so the region does not say it as well
    expect(phone.locator("#ask")).to_have_attribute("aria-live", "off")
    expect(phone.get_by_role("group", name="What comes next?")).to_have_count(0)  # it is said once
    assert "model" not in projector.locator("main").inner_text()
    assert_filled(projector)


def test_a_class_stands_beside_the_model_and_a_token_is_drawn(
    room: Pages, url: str, witness: Witness
) -> None:
    desk, projector, phone = room.desk, room.projector, room.phone
    desk.get_by_text("Another text").click()
    desk.locator("#prompt").fill(LONG)
    desk.get_by_role("button", name="Begin with this text").click()
    expect(phone.locator("#text")).to_contain_text("saw a")
    room.press("What comes next?")
    phone.locator("#options button").first.click()
    room.others_answer(url, 1)
    expect(projector.locator("#counts")).to_have_text("5 of 5 have answered")
    assert_read_from_the_back_row(projector, "text", "ask", "options")
    desk.locator("#by-hand summary").click()
    desk.locator("#counts-by-hand input").nth(1).fill("3")
    room.press("Count these hands and close")
    expect(projector.locator(".bars")).to_contain_text("7 of 8")
    expect(phone.locator(".bars")).to_contain_text("7 of 8")
    phone.evaluate(LISTEN, "#outcome")
    room.press("Beside the model")
    expect(projector.locator(".keys")).to_contain_text("the model")
    phone.wait_for_function("() => heard.length > 0")
    (heard,) = phone.evaluate("heard")
    assert all(words in heard for words in ("the class", "the model", "7 of 8"))
    whose = phone.get_by_role("img", name="the model: ")  # each number says whose it is
    expect(whose.nth(1)).to_be_visible()
    assert projector.locator(".bars .name").count() == 6  # the five on offer, and all others
    assert_read_from_the_back_row(projector, "text", "ask", "outcome")
    assert violations(phone) == []
    assert violations(projector) == []
    room.press("Append the model’s draw")
    expect(phone.locator("#revealed")).to_contain_text("The model drew")
    expect(phone.locator("#read-out")).to_have_attribute("aria-live", "off")
    expect(projector.locator("#text .drawn")).to_be_visible()
    expect(projector.locator("#revealed")).to_be_in_viewport(ratio=1)
    assert_read_from_the_back_row(projector, "text", "ask", "outcome")
    assert_on_one_screen(phone)

    desk.reload()  # the browser has the key
    expect(desk.locator("#revealed")).to_contain_text("The model drew")
    link = phone.locator("#over").get_attribute("href")
    assert link is not None
    phone.goto(url + link)
    wait_idle(phone)
    expect(phone.locator(".token").first).to_be_visible()
    assert phone.locator(".token.is-forced").count() == 0, "what the model drew is drawn"
    phone.goto(f"{url}/room/{room.code}")
    expect(phone.locator("#text")).to_contain_text("saw a")
    forget_first_requests(witness)


def test_a_lesson_is_the_room_s_script(room: Pages, url: str) -> None:
    projector, phone = room.projector, room.phone
    room.press("Show")
    expect(projector.locator("#picture .draw span").first).not_to_be_empty()
    for size in (PROJECTOR, SMALL_PROJECTOR):
        projector.set_viewport_size(size)
        assert_filled(projector)
    projector.set_viewport_size(PROJECTOR)
    room.press("Ask question 1")  # the sampler
    expect(projector.locator("#bar span").first).to_be_visible()
    expect(phone.locator("#ends span")).to_have_text(["0 %", "50 %", "100 %"])
    assert phone.locator("#options b").count() == 0, "where it falls is the question"
    assert_on_one_screen(phone)
    assert_read_from_the_back_row(projector, "text", "ask", "bar")
    assert_shares_are_percents(projector)
    assert projector.locator("#bar b").count() == 0, "where the pointers fall is the question"
    phone.locator("#options button").first.click()
    expect(phone.locator("#options button").first).to_have_attribute("aria-pressed", "true")
    assert_pointer_is_on_its_bar(phone)
    room.others_answer(url, 0)
    room.press("Close")
    expect(projector.locator("#bar b")).to_have_count(5)
    expect(phone.locator("#sent")).to_contain_text("It fell on")
    assert_names_have_air(phone)
    assert_bars_are_as_long_as_their_counts(phone)
    assert_bars_are_as_long_as_their_counts(projector)
    assert_read_from_the_back_row(projector, "text", "ask", "bar", "outcome")
    projector.set_viewport_size(SMALL_PROJECTOR)
    projector.wait_for_function(LIES_WELL)
    projector.set_viewport_size(PROJECTOR)
    assert_on_one_screen(phone)

    room.press("Ask question 2")
    expect(phone.locator("#options button")).to_have_count(3)
    phone.get_by_role("button", name="the first").click()
    room.press("Close")
    expect(phone.locator("#sent")).to_have_text("You said “the first”.")
    room.press("Ask again")
    phone.get_by_role("button", name="the widest").click()
    room.press("Close")
    expect(phone.locator("#sent")).to_contain_text("You said")
    assert kept_of(phone)[ASKED_OF_THE_PLAN] == ("the widest", "", None), "not before Reveal"
    room.press("Reveal")
    expect(phone.locator("#sent")).to_contain_text("Right")
    expect(phone.locator("#explained")).not_to_be_empty()
    expect(phone.locator("#over")).to_be_hidden()  # the class looks at the votes
    assert kept_of(phone)[ASKED_OF_THE_PLAN] == ("the widest", "the widest", True)
    expect(projector.locator(".bars .marked")).to_have_text("the widest")
    expect(projector.locator(".keys")).to_contain_text("before the discussion")
    assert_read_from_the_back_row(projector, "ask", "outcome")
    expect(projector.locator("#picture .of")).to_be_visible()  # a bar is that of a text


def test_the_page_of_a_scene_is_shown_until_it_is_taken_away(room: Pages) -> None:
    projector, phone = room.projector, room.phone
    expect(projector.locator("#page")).to_be_hidden()
    expect(projector.locator("#page.is-drawn")).to_have_count(1)  # it waits for the press
    room.press("Show its page")
    shown = projector.frame_locator("#page")
    for size in (SMALL_PROJECTOR, PROJECTOR):  # what is to be pressed is seen on either
        projector.set_viewport_size(size)
        expect(shown.locator(".draw-bar").first).to_be_in_viewport()
    expect(projector.locator("#code")).to_be_in_viewport()
    above = projector.locator("#page").evaluate("(page) => getComputedStyle(page).zIndex")
    assert int(above) > 1, "the numbers over a pile of votes, at 1, lie below it"
    expect(phone.locator("#over")).to_have_text("Open this page")
    room.press("Take its page away")
    expect(projector.locator("#page")).to_be_hidden()


def test_a_timed_question_is_said_to_end_twice_and_closes_itself(
    room: Pages, witness: Witness
) -> None:
    desk, phone = room.desk, room.phone
    desk.locator("#else").evaluate("(one) => (one.open = true)")
    desk.locator("#seconds").fill("12")
    desk.get_by_text("A question of your own").click()
    desk.locator("#options").fill("")
    desk.locator("#truth").fill("12.5")
    phone.evaluate(LISTEN, "#ask, #soon")
    desk.locator("#own button").click()
    expect(phone.locator("#ask")).to_have_text("Which temperature suits a poem?")
    expect(phone.locator("#word")).to_have_attribute("inputmode", "decimal")
    phone.locator("#word").fill("four")
    phone.locator("#write button").click()
    expect(phone.locator("#refused")).not_to_be_empty()
    phone.wait_for_function(IS_BELOW)
    witness.errors.clear()  # the browser's own line about what was refused
    phone.wait_for_timeout(1000 * MIN_SECONDS_BETWEEN)
    phone.locator("#word").fill("3")
    phone.locator("#write button").click()
    expect(phone.locator("#soon")).to_have_text("Time is up.")
    expect(phone.locator("#left")).to_be_hidden()
    asked, *said, last = phone.evaluate("heard")
    assert (asked, last) == ("Which temperature suits a poem?", "Time is up.")
    assert len(said) <= 1, "nothing is said every second"
    expect(room.projector.locator("#outcome")).to_be_visible()  # without a press
    desk.locator("#by-hand summary").click()
    desk.locator("#hand-words").fill(",".join(["3"] * 25))  # a class of one opinion
    room.press("Count these hands and close")
    expect(desk.locator(".dots b")).to_have_count(26)  # a press says what its desk has seen
    room.press("Reveal")
    expect(room.projector.locator(".dots b")).to_have_count(26)
    expect(phone.locator("#sent span")).to_have_count(2)  # what was said, and that it is not right
    assert kept_of(phone)["Which temperature suits a poem?"] == ("3", "12.5", False)
    for size in (SMALL_PROJECTOR, PROJECTOR):
        room.projector.set_viewport_size(size)
        room.projector.wait_for_function(LIES_WELL)
    for screen in (room.projector, phone, desk):  # at the right end there is room for its words
        mark = screen.locator(".dots .generated")
        expect(mark).to_contain_text("12.5")
        assert mark.evaluate(
            "(one) => one.getBoundingClientRect().right <= one.closest('main').clientWidth"
        )
    assert_on_one_screen(phone)
    desk.locator("#own button").click()
    expect(phone.locator("#write")).to_be_visible()
    expect(phone.locator("#word")).to_have_value("")  # "3" was said to the question before


COUNTED = re.compile(r"\d+ questions?, \d+ phones?")


def test_strangers_get_one_sentence_and_a_room_that_is_over_says_so(
    room: Pages, url: str, witness: Witness
) -> None:
    for at in (room.code, "ZZZZ", "x" * 500):
        for path, body in NO_PHONE_SENDS:
            said = asked(f"{url}/room/{at}/{path}", body).get("error", "")
            assert said.endswith("."), (path, body)
            assert len(said) < 300
    room.desk.locator("#items > li").last.get_by_role("button").click()
    sentences = {item.question: item.scene.remember for item in items_of(read_lesson(PLAN))}
    remember = sentences[ASKED_OF_THE_PLAN]
    for screen in (room.projector, room.phone):
        expect(screen.locator(".sentence > b")).to_have_text([remember])
        expect(screen.locator(".result strong")).to_have_text("1 of 1")
    expect(room.phone.locator(".own")).to_contain_text("✓")
    expect(room.phone.locator("#over")).to_have_attribute("href", re.compile("/tour#record$"))
    room.desk.on("dialog", lambda dialog: dialog.accept())
    room.press("End the room")
    expect(room.desk.locator("#closing")).to_have_text(COUNTED)
    expect(room.desk.locator("#error")).to_be_hidden()
    expect(room.desk.locator("#closed .sentence > b")).to_have_text([remember])
    with room.desk.expect_download() as saved:
        room.desk.locator("#kept").click()
    assert ASKED_OF_THE_PLAN in saved.value.path().read_text("utf-8-sig")
    expect(room.projector.locator("#code")).to_be_hidden()  # nobody can join any more
    expect(room.projector.locator("#address")).to_contain_text("/tour")  # but go on
    for screen in (room.projector, room.phone):
        for _ in range(2):  # and after a reload
            expect(screen.locator(".closing")).to_have_text(COUNTED)
            expect(screen.locator("#error")).to_be_hidden()
            expect(screen.locator(".sentence > b")).to_have_text([remember])
            screen.reload()
    room.phone.evaluate("() => localStorage.clear()")  # a phone that was never in it
    room.phone.reload()
    expect(room.phone.locator("#waiting")).to_contain_text("over")
    expect(room.phone.locator("#join")).to_be_hidden()
    expect(room.phone.locator("#over")).to_be_visible()
    assert witness.errors == [], "an end is no error"
    room.phone.goto(f"{url}/room/%E0%A4%A")  # no text
    expect(room.phone.locator("#join")).to_be_visible()
    witness.errors.clear()  # the browser's own lines about what was refused
