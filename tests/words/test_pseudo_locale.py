"""Every sentence of home and of the one file is in the catalogues: a pseudo-locale finds others."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Block

from model.classroom.rooms import end_rooms, find_desk
from model.loading import LanguageModel
from model.sentences import MAX_ECHO
from pages.frame import models
from pages.frame.contents import LESSONS
from pages.frame.fields import read_fields
from pages.frame.words import Language, _, for_browser, speaking
from pages.home.in_page_file import LESSON, live_page
from pages.home.link import FIELDS
from pages.lessons.classroom import lesson as classroom
from pages.lessons.tour import scenes
from pages.lessons.tour.scenes import read_lesson
from tests.driving.in_page import InPage
from tests.frame.driving import open_home, open_lesson, press
from tests.words.pseudo import TAG, accented, speaking_pseudo, texts_on, unmarked

OPEN_ALL = "nodes => nodes.forEach((node) => node.open = true)"
# a lesson has a file per language: its words are none of the catalogue's
LESSON_TEXT = """# Áé óú

Áí ó.

## Óú

Éé íó.

Question: Áé?

Right: 6

Answer: Íí.

Remember: Óó.
"""
# an icon, the prompt, where a link leads, letters that keep the room of what will be said; the code
# and the address of a room, a command, AppTest's cookie, and what no browser may translate
NO_WORDS = re.compile(
    r":material/\w+:|\*[\w ]+ …\*|\be+\b|\]\([^)]*\)"
    r"|\*\*[A-Z]{7}\*\*|http\S+|localhost|`[^`]+`|<MagicMock name="
    r'|translate="no">[^<]*<'
)
ADVERSARY = """() => {
  const place = document.querySelector("#live").shadowRoot.querySelector(".ott");
  place.insertAdjacentHTML("beforeend", "<p>Nobody marked this.</p>");
  place.lastElementChild.title = "Nor what is heard of it";
}"""


@pytest.fixture(scope="module", autouse=True)
def pseudo(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """This process speaks the pseudo-locale to whoever asks for it."""
    with speaking_pseudo(tmp_path_factory.mktemp("pseudo")):
        yield


def test_a_message_keeps_its_placeholders_and_tags_and_grows() -> None:
    source = "Read <b>{n_tokens}</b> of [this](?page=1) in `make run`"
    said = accented(source)
    for part in ("<b>", "{n_tokens}", "</b>", "](?page=1)", "`make run`"):
        assert part in said
    assert len(accented("What comes next?")) > 1.4 * len("What comes next?")
    assert unmarked(["Read <b>{n_tokens}</b>", accented("Read <b>{n_tokens}</b>")]) == [
        "Read <b>{n_tokens}</b>"
    ]


@pytest.mark.browser
def test_the_one_file_says_nothing_that_is_not_marked(
    browser: Browser, storyteller: LanguageModel, tmp_path: Path
) -> None:
    file = tmp_path / "one-token.html"
    file.write_text(live_page(storyteller), "utf-8")
    context = browser.new_context(
        viewport={"width": 1280, "height": 800}, reduced_motion="reduce", locale="en-US"
    )
    page = context.new_page()
    page.goto(f"{file.as_uri()}?lang={TAG}")
    page.wait_for_function("() => globalThis.oneToken")
    page.evaluate("() => oneToken.ready")
    expect(page.locator(".token").first).to_be_visible()
    try:
        title = read_lesson(LESSON).title  # which has a file of its own per language
        found = [text.replace(title, "") for text in walked(page)]
        assert page.locator("html").get_attribute("lang") == TAG
        assert not unmarked(found)
        page.evaluate(ADVERSARY)
        others = [text.replace(title, "") for text in texts_on(page)]
        assert len(unmarked(others)) == 2
    finally:
        context.close()


def walked(page: Page) -> Iterator[str]:
    """Yields what a reader meets who presses Next, opens all there is, and plays a step slowly."""
    live = page.locator("#live")
    yield from texts_on(page)
    page.keyboard.press("ArrowRight")
    expect(live.locator(".bars[data-beat]")).to_be_visible()  # a newcomer's first step: slowly
    page.keyboard.press("Escape")
    expect(live.locator(".strip .token.of-model:not(.is-pending)")).to_have_count(1)
    live.locator("details").evaluate_all(OPEN_ALL)
    expect(live.locator("[data-lazy] > [lang=en]")).to_have_count(2)  # of the laboratory
    yield from texts_on(page)
    for opener in (live.locator(".token").first, live.locator(".picture button").first):
        opener.click()
        yield from texts_on(page)
        page.keyboard.press("Escape")
    live.locator(".rest-toggle").click()  # what a newcomer does not see yet
    live.locator("input[name=compare]").check()
    yield from texts_on(page)
    live.locator("input[name=compare]").uncheck()
    for _beat in range(5):
        page.keyboard.press("Shift+ArrowRight")
        yield from texts_on(page)


def test_a_link_is_refused_in_the_reader_s_language_by_scripts_as_by_python(
    in_page: InPage,
) -> None:
    spoken = for_browser(Language(TAG))
    for name, text in (
        *(("seed", "12,345"), ("chat", "yes"), ("temperature", "hot"), ("top_k", "-1")),
        *(("min_k", "x"), ("order", "random"), ("use", "magic"), ("typical_p", "7")),
        *(("xtc", "?"), ("epsilon", "1"), ("prompt", "a" * 4_001)),
    ):
        read = read_fields({name: (text,)}, FIELDS)
        told = in_page("readLink", query={name: text}, spoken=spoken)["problems"][0]
        with speaking(Language(TAG)):
            assert told == _(read.sentence()) != read.sentence()
        assert len(text) > MAX_ECHO or f"“{text}”" in told, "what was typed stands as it was typed"


def test_python_says_nothing_on_home_that_is_not_marked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(models, "later", lambda *_: None)  # no imports behind other tests
    home = open_home(lang=TAG)
    press(home, "choose_model")
    assert not unmarked(texts_in(home))
    home.text_input(key="model_name").set_value("../x").run()
    (refusal,) = home.error  # which names models
    assert set("áéíóú") & set(refusal.value)
    with speaking(Language(TAG)):
        told = [_(text) for lesson in LESSONS for text in (lesson.title, lesson.claim)]
        assert not unmarked([*told, *(lesson.part_name for lesson in LESSONS)])


def test_python_says_nothing_in_a_lesson_nor_of_a_room_that_is_not_marked(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(models, "later", lambda *_: None)
    monkeypatch.setattr(scenes, "FOLDER", tmp_path)
    monkeypatch.setattr(classroom, "show_chart", lambda *_: None)  # as in the laboratory: English
    structure = "Page: /\n\nReply: a number\n\n"
    for name, own in (("mine", structure), ("mine.en_XA", "")):
        (tmp_path / f"{name}.md").write_text(LESSON_TEXT.replace("Right:", f"{own}Right:"), "utf-8")
    scene = open_home(lesson="mine", scene="1", lang=TAG)
    said = [*texts_in(scene)]
    for typed in ("mány", "6"):
        scene.text_input(key="tour_reply_mine_1").set_value(typed)
        [reply] = [one for one in scene.button if "tour_reply" in one.proto.form_id]
        reply.click().run()
        said += texts_in(scene)
    room = open_lesson("pages/classroom.py", lang=TAG)
    said += texts_in(room)
    press(room, "classroom_open")
    end_rooms([find_desk(*room.session_state["classroom_room"])])
    said += [*texts_in(room), *texts_in(open_lesson("pages/tour.py", lang=TAG, done="mine"))]
    assert not unmarked(NO_WORDS.sub("", text) for text in said)
    english = open_lesson("pages/roofline.py", lang=TAG)  # of the laboratory, which says so
    assert set("áéíóú") & set(english.caption[0].value)


def texts_in(app: AppTest) -> Iterator[str]:
    """Yields what the elements of a page say."""
    blocks: list[Block] = [app.main]
    while blocks:
        for node in blocks.pop().children.values():
            if isinstance(node, Block):
                blocks.append(node)
            for name in ("label", "help", "placeholder", "body", "options"):
                said = getattr(node.proto, name, None) or ()
                yield from [said] if isinstance(said, str) else map(str, said)
