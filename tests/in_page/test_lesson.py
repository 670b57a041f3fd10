"""The guided lesson in the one file, and a newcomer's phone."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from pages.frame.words import Language, speaking
from pages.lessons.tour.scenes import read_lesson
from tests.in_page.conftest import Open

pytestmark = pytest.mark.browser


def test_the_first_lesson_is_in_the_file_to_its_end(open_file: Open) -> None:
    page = open_file("?lesson=1")
    english = read_lesson("how-a-model-writes").scenes
    with speaking(Language("de")):
        german = read_lesson("how-a-model-writes").scenes
    # who takes another language on the way keeps the scene, and what was said
    lesson, live = page.locator("#lesson"), page.locator("#live")
    for number, scene in enumerate((*english[:4], *german[4:]), 1):
        expect(lesson.locator("h2")).to_have_text(scene.title)
        answer = lesson.get_by_role("status")
        expect(answer).to_have_count(0)
        expect(lesson).not_to_have_attribute("data-opening", re.compile("."))
        height = lesson.evaluate("(one) => one.offsetHeight")
        if scene.page:
            expect(live).to_be_hidden()
            assert lesson.locator(".cells i").count() > 4, "the picture of another page"
        if "text" in scene.cover:
            expect(page.locator(".strip")).to_have_attribute("data-tour", "covered")
        guess = page.locator("#guess")
        expect(guess).to_be_hidden()  # it shows the bars, and waits for the answer
        if scene.choices:
            name = scene.right or scene.choices[0]
            lesson.get_by_role("button", name=name, exact=True).click()
        else:
            lesson.locator("input").fill(scene.right or "a word")
            lesson.locator("form button").click()
        expect(answer).to_contain_text(scene.right)
        expect(answer).to_contain_text(plain_text(scene.remember))
        expect(guess).to_be_visible(visible=not scene.page and "predict" in dict(scene.query))
        assert lesson.evaluate("(one) => one.offsetHeight") == height, "the answer's room was kept"
        if "text" in scene.cover:
            expect(page.locator(".strip")).not_to_have_attribute("data-tour", "covered")
        if number == 4:
            page.goto(f"{page.url}&lang=de")
            expect(answer).to_contain_text(plain_text(german[3].remember), timeout=30_000)
            expect(lesson.locator("h2")).to_have_text(german[3].title)
            lesson.get_by_role("button").first.click()
            expect(answer).to_contain_text(german[2].right)  # a choice, by its place
            lesson.locator(".is-next").click()
        lesson.locator(".is-next").click()
    questions = lesson.locator(".lesson-question")
    expect(questions).to_have_count(4)
    for i in range(4):
        question = questions.nth(i).text_content()
        (scene,) = [one for one in german if plain_text(one.question) == question]
        group = lesson.locator(".lesson-reply .row").first
        wrong = next(choice for choice in scene.choices if choice != scene.right)
        name = wrong if i == 0 else scene.right
        group.get_by_role("button", name=name, exact=True).click()
    expect(lesson.locator(".lesson-verdict")).to_contain_text(re.compile("3.*4"))
    lesson.get_by_role("button").last.click()
    expect(live).to_be_visible()
    expect(page.locator("[data-tour]")).to_have_count(0)


def test_a_lesson_s_panel_and_its_buttons_stay_where_they_are(open_file: Open) -> None:
    page = open_file("?lesson=1")
    lesson = page.locator("#lesson")
    scenes = [scene for scene in read_lesson("how-a-model-writes").scenes if not scene.page]
    for width, height in ((1280, 800), (390, 844)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_function("() => scrollY === 0")
        places = set()
        for i in range(len(scenes)):
            expect(lesson.locator("h2")).to_have_text(scenes[i].title)
            expect(lesson).not_to_have_attribute("data-opening", re.compile("."))
            on = lesson.get_by_role("button", name="Skip").bounding_box()
            leave = lesson.get_by_role("button", name="Leave").bounding_box()
            panel = lesson.evaluate("(one) => one.offsetHeight")
            assert on
            assert leave
            places.add((on["x"], on["y"], leave["x"], leave["y"], panel))
            if i < len(scenes) - 1:
                page.mouse.move(0, 0)
                lesson.get_by_role("button", name="Skip").click()
        assert len(places) == 1
        for _ in scenes[1:]:
            lesson.get_by_role("button", name="Back").click()


FIND_TIP = """() => {
  globalThis.oneTip = document.querySelector("#live").shadowRoot.querySelector(".tip");
}"""
TIP = "() => oneTip.matches(':popover-open')"


def test_no_token_s_facts_open_under_a_pointer_that_lies_still(open_file: Open) -> None:
    page = open_file("?lesson=1")
    lesson = page.locator("#lesson")
    page.evaluate(FIND_TIP)
    expect(lesson).not_to_have_attribute("data-opening", re.compile("."))
    expect(page.locator(".token").nth(2)).to_contain_text("little")  # the scene's own text
    box = page.locator(".token").nth(2).bounding_box()
    assert box
    place = (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    # what is pressed gives way to a token, as where a panel is lower in the next scene
    page.evaluate(
        """([x, y]) => {
      const over = document.createElement("button");
      over.id = "over";
      const square = { left: x - 9, top: y - 9, width: 18, height: 18 };
      over.style.position = "fixed";
      for (const [name, size] of Object.entries(square)) over.style[name] = `${size}px`;
      over.onclick = () => over.remove();
      document.body.append(over);
    }""",
        place,
    )
    page.mouse.move(*place)
    page.mouse.down()
    page.mouse.up()
    expect(page.locator("#over")).to_have_count(0)
    page.wait_for_timeout(300)
    assert not page.evaluate(TIP)
    page.mouse.move(place[0], place[1] - 200)
    page.mouse.move(*place)  # it comes by itself
    page.wait_for_function(TIP)
    page.mouse.move(5, 5)
    page.wait_for_function(f"() => !({TIP})()")
    assert lesson.is_visible()


def test_what_is_asked_for_stands_as_outlines_of_its_bars(open_file: Open) -> None:
    page = open_file("?lesson=1")
    page.locator("#lesson").get_by_role("button", name="Skip").click()
    expect(page.locator(".guess")).to_have_attribute("data-tour", "covered")
    row = page.locator(".bars-row td[data-col=active]").first
    expect(row.locator(".bar-track")).to_be_visible()
    for told in (
        row.locator(".bar"),
        row.locator(".bar-number"),
        page.locator(".bars-label").first,
    ):
        expect(told).to_be_hidden()


def test_a_newcomer_on_a_phone_has_the_question_in_reach(browser: Browser, file: Path) -> None:
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.goto(file.as_uri())
    page.locator(".guess-option").first.wait_for()
    top = page.locator(".strip").bounding_box()
    beats = page.locator(".loop-band").bounding_box()
    bar = page.locator(".thumb").bounding_box()
    assert top
    assert beats
    assert bar
    assert top["y"] < 160
    assert beats["y"] + beats["height"] <= bar["y"] + 1  # whole
    for seldom in ("#seed", ".guess-first"):
        expect(page.locator(seldom)).to_be_hidden()
    page.get_by_role("button", name="Just reveal").click()
    page.get_by_role("button", name="More", exact=True).click()
    for seldom in ("#seed", ".guess-first"):
        expect(page.locator(seldom)).to_be_visible()
    context.close()


def plain_text(markdown: str) -> str:
    return markdown.replace("*", "").replace("`", "")


def test_a_field_that_a_scene_speaks_of_is_on_a_phone_s_first_screen(open_file: Open) -> None:
    page = open_file("?lesson=1")
    page.set_viewport_size({"width": 390, "height": 844})
    lesson, words = page.locator("#lesson"), page.locator(".lesson-words")
    for number in range(1, 5):
        expect(lesson).not_to_have_attribute("data-opening", re.compile("."))
        is_folded = words.evaluate("(one) => one.scrollHeight > one.clientHeight + 1")
        expect(lesson.locator(".lesson-more")).to_be_visible(visible=is_folded)
        if number < 4:
            lesson.get_by_role("button", name="Skip").click()
            page.mouse.move(0, 0)  # a phone has no pointer, which rests on a token and has its tip
    page.evaluate("scrollTo(0, 0)")
    end = page.locator(".prompt-box").evaluate("(one) => one.getBoundingClientRect().bottom")
    expect(page.locator(".thumb")).to_be_hidden()  # the scene speaks of none of its buttons
    assert end <= page.evaluate("innerHeight")
    lesson.locator(".lesson-words").evaluate("(one) => { one.textContent = 'Two words.'; }")
    expect(lesson.locator(".lesson-more")).to_be_hidden()  # nothing is folded
