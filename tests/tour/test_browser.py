"""A lesson followed in a real browser, by keyboard alone: offered, begun, reloaded, left."""

import re
import time

import pytest
from playwright.sync_api import Locator, Page, expect

from pages.lessons.tour.scenes import read_lesson
from tests.browser import SCREEN
from tests.driving.harness import Witness, by_key, visit, wait_idle
from tests.driving.home_page import Reader
from tests.frame.accessibility import PHONE, assert_fits, forget_first_requests
from tests.frame.by_eye import MAX_SHIFT, SHIFTS, moved

pytestmark = pytest.mark.browser


@pytest.fixture(autouse=True)
def _watched_shifts(page: Page) -> None:
    page.add_init_script(SHIFTS)


def way(page: Page, name: str) -> Locator:
    return by_key(page, "tour").get_by_role("link", name=name)


def open_scene(page: Page, address: str) -> None:
    """Opens a scene, whose parts come where they stay: what its bar pushes is a fault."""
    visit(page, address)
    assert moved(page) <= MAX_SHIFT


def test_a_lesson_is_offered_and_followed_by_keyboard(page: Page, url: str) -> None:
    visit(page, url)
    offer = page.get_by_role("link", name="How a model writes")
    offer.focus()
    page.keyboard.press("Enter")

    bar = page.get_by_role("region", name="How a model writes, scene 1")
    expect(bar).to_be_focused()
    expect(way(page, "Skip")).to_be_visible()
    wait_idle(page)
    live = by_key(page, "live")
    expect(live.locator(".loop")).to_be_hidden()
    expect(live.locator(".bars-row").first).to_be_hidden()
    expect(live.locator(".pointer")).to_have_attribute("data-tour", "lit")
    choice = bar.get_by_role("radio", name="the widest")
    expect(choice).to_be_visible()
    question = bar.get_by_text("Which piece does a finger hit").first
    larger = "(one) => parseFloat(getComputedStyle(one).fontSize)"
    assert question.evaluate(larger) > bar.get_by_text("Your finger is").evaluate(larger)
    choice.focus()
    page.keyboard.press("Enter")
    expect(bar.get_by_text("You said the widest")).to_be_visible()
    expect(way(page, "Skip")).to_have_count(0)
    expect(by_key(page, "tour_why")).to_have_count(0)  # first it is tried
    page.evaluate("document.activeElement.blur()")
    for _ in range(4):  # the first page's own key: the bar does not take it
        page.keyboard.press("ArrowRight")
    expect(by_key(page, "tour_why").get_by_text("probability distribution")).to_be_visible()
    way(page, "Continue").focus()
    page.keyboard.press("Enter")

    expect(page.get_by_text("Scene 2 of")).to_be_visible()
    page.goto(f"{url}/?lesson=how-a-model-writes&scene=4")
    joined = live.locator(".token[data-tour=joined]")
    expect(joined).to_have_count(6)
    assert "".join(joined.all_inner_texts()).endswith("unbelievably")
    by_key(page, "tour").get_by_role("textbox").fill("6")
    by_key(page, "tour").get_by_role("button", name="Say it").click()
    expect(joined).to_have_count(0)
    expect(page.locator("[aria-live=polite]").filter(has_text="You said 6")).to_have_count(1)
    expect(page.locator("[aria-live=polite]").filter(has_text="check_circle")).to_have_count(0)
    page.wait_for_function("() => location.search.includes('said=4.6')")
    page.reload()
    expect(page.get_by_text("You said 6")).to_be_visible()
    prompt = live.get_by_role("textbox").first
    expect(prompt).to_have_value("The king was unbelievably hungry")
    assert_fits(page)

    leave = by_key(page, "tour_leave").get_by_role("button")
    leave.focus()
    page.keyboard.press("Enter")
    expect(by_key(page, "tour")).to_have_count(0)
    expect(prompt).to_have_value("The king was unbelievably hungry")
    expect(live.locator(".loop")).not_to_have_attribute("data-tour", re.compile("."))
    page.wait_for_function("() => !/lesson|scene|said/.test(location.search)")


def test_a_scene_s_part_of_a_long_page_lies_below_the_bar(
    page: Page, url: str, witness: Witness
) -> None:
    open_scene(page, f"{url}/?lesson=how-a-model-writes&scene=10")
    drawn = by_key(page, "draws").locator(".stPlotlyChart")
    again = by_key(page, "draw_again").get_by_role("button")
    expect(again).to_be_disabled()
    expect(drawn).to_be_visible()

    def is_below_the_bar() -> bool:
        bar, title = by_key(page, "tour").bounding_box(), drawn.bounding_box()
        assert bar is not None
        assert title is not None
        return 0 <= bar["y"] <= bar["y"] + bar["height"] <= title["y"] < SCREEN["height"]

    assert is_below_the_bar()
    asking = by_key(page, "tour").bounding_box()
    by_key(page, "tour").get_by_role("radio", name="about 340 times").click()
    expect(again).to_be_enabled()
    expect(by_key(page, "tour").get_by_text("You said")).to_be_visible()
    for _ in range(600):  # what is drawn comes in steps, and the page follows it
        if is_below_the_bar():
            break
        page.wait_for_timeout(50)
    assert is_below_the_bar()
    answered = by_key(page, "tour").bounding_box()
    assert asking is not None
    assert answered is not None
    assert abs(answered["height"] - asking["height"]) <= 1  # the answer's room was kept

    forget_first_requests(witness)


def test_the_list_says_how_far_one_has_come(page: Page, url: str, witness: Witness) -> None:
    visit(page, f"{url}/?lesson=how-a-model-writes&scene=2")
    by_key(page, "tour").and_(page.locator("[data-ready]")).wait_for()
    page.goto(f"{url}/tour")
    onwards = page.get_by_role("link", name="Go on: scene 2 of 11")
    expect(onwards).to_have_attribute("href", re.compile("scene=2$"))
    expect(page.get_by_role("link", name="Start", exact=True)).to_have_count(3)
    forget_first_requests(witness)


@pytest.mark.nightly  # by day the test above, and test_page.py leads back who strays
def test_who_strays_is_led_back_and_whose_end_was_seen_is_done(
    page: Page, url: str, witness: Witness
) -> None:
    visit(page, f"{url}/?lesson=how-a-model-writes&scene=2")
    page.get_by_role("link", name="Glossary").click()
    page.get_by_role("link", name="Back to How a model writes, scene 2").click()
    expect(page.get_by_text("Scene 2 of")).to_be_visible()

    # whose end was seen is done, and begins anew
    page.goto(f"{url}/tour?done=how-a-model-writes")
    expect(page.get_by_role("link", name="All lessons")).to_be_visible()
    wait_idle(page)
    page.get_by_role("link", name="All lessons").click()
    again = page.locator("#tour-how-a-model-writes .is-next")
    expect(again).to_contain_text("Done")
    expect(again).to_have_attribute("href", re.compile("scene=1$"))
    forget_first_requests(witness)


def test_clocks_that_hold_an_answer_wait_until_it_is_given(page: Page, url: str) -> None:
    open_scene(page, f"{url}/?lesson=inference-speed&scene=1")
    clocks = by_key(page, "phase_on_clock")
    expect(clocks.locator(".clock").first).to_be_visible()
    wait_idle(page)
    page.wait_for_timeout(500)
    for clock in clocks.locator(".clock").all_text_contents():
        assert clock.startswith("0.00"), "they wait for the answer"
    by_key(page, "tour").get_by_role("radio", name="little in, much out").click()
    expect(clocks.locator(".clock").first).not_to_have_text(re.compile(r"^0\.00"))


@pytest.mark.parametrize(
    ("lesson", "number", "shown", "before", "reply", "after"),
    [
        ("sampling", 1, ".lab-sentence", "Drawn from all", "it grows", "Drawn from 5 of"),
        ("search-and-speculation", 2, ".futures-slider", "1", "greedy’s", "0.1"),
    ],
)
def test_a_slider_moves_with_the_answer_and_not_before(
    page: Page, url: str, lesson: str, number: int, shown: str, before: str, reply: str, after: str
) -> None:
    open_scene(page, f"{url}/?lesson={lesson}&scene={number}")
    told = page.locator(shown).first
    expect(told).to_contain_text(before)
    wait_idle(page)
    expect(told).not_to_contain_text(after)
    by_key(page, "tour").get_by_role("radio", name=reply).click()
    expect(told).to_contain_text(after)


def test_a_covered_slider_waits_for_the_answer_and_a_text_that_is_spoken_of_is_seen_whole(
    page: Page, url: str
) -> None:
    reader = Reader(page, url).open(lesson="how-a-model-writes", scene="7")
    slider = reader.live.locator(".setting[data-name=temperature] input[type=range]")
    expect(slider).to_be_hidden()  # what is dragged unseen teaches nothing
    expect(reader.live.locator(".bar").first).to_be_visible()
    by_key(page, "tour").get_by_role("radio", name="it grows").click()
    expect(slider).to_be_visible()

    open_scene(page, f"{url}/?lesson=how-a-model-writes&scene=6")
    expect(reader.live.locator(".token").first).to_be_visible()
    expect(reader.live.get_by_text("+20")).to_be_hidden()
    by_key(page, "tour").get_by_role("radio", name="it gets better").click()
    written = reader.live.locator(".token:not(.of-prompt)")
    while written.count() < 80:  # a slow machine writes fewer at a press
        reader.press("Write 20 tokens at once")
    text = reader.live.locator(".strip-scroll")
    assert text.evaluate("(one) => one.scrollHeight <= one.clientHeight + 1")


@pytest.mark.nightly  # by day the same scene on a desk
def test_on_a_phone_the_question_is_read_first_and_nothing_lies_over_another(
    page: Page, url: str
) -> None:
    page.set_viewport_size(PHONE)
    open_scene(page, f"{url}/?lesson=how-a-model-writes&scene=10&said=10.2")
    expect(page.get_by_text("You said about 340 times")).to_be_in_viewport()
    caption = page.get_by_text("Scene 10 of 11").bounding_box()
    onwards = way(page, "Continue").bounding_box()
    assert caption is not None
    assert onwards is not None
    is_beside = onwards["x"] + onwards["width"] <= caption["x"]
    assert is_beside or onwards["y"] + onwards["height"] <= caption["y"]
    expect(by_key(page, "draws").locator(".stPlotlyChart")).to_be_in_viewport()
    expect(by_key(page, "tour_answer").get_by_text("Draws scatter")).to_be_in_viewport()
    more = by_key(page, "tour").get_by_role("button", name="More")
    words = by_key(page, "tour_words").get_by_text("One draw shows nothing")
    expect(words).to_be_hidden()
    more.click()
    expect(more).to_have_attribute("aria-expanded", "true")
    expect(words).to_be_visible()


def test_on_a_phone_an_answer_leaves_the_picture_where_it_is(page: Page, url: str) -> None:
    page.set_viewport_size(PHONE)
    reader = Reader(page, url).open(lesson="how-a-model-writes", scene="1")
    text = reader.live.locator(".strip")
    before = text.bounding_box()
    by_key(page, "tour").get_by_role("radio", name="the first").click()
    expect(by_key(page, "tour").get_by_text("You said")).to_be_visible()
    wait_idle(page)
    after = text.bounding_box()
    assert before is not None
    assert after is not None
    assert abs(after["y"] - before["y"]) <= MAX_MOVE


FIRST_SCREEN = """(one) => {
  const { top, bottom: whole } = one.getBoundingClientRect();
  const bottom = Math.min(whole, top + 150); // of a picture, its beginning
  const thumb = one.getRootNode().querySelector(".thumb");
  const covers = thumb !== null && !thumb.contains(one);
  const way = document.querySelector(".st-key-tour > :has(> .st-key-tour_way)");
  const above = [way, covers && thumb.checkVisibility({ visibilityProperty: true }) ? thumb : way];
  const end = Math.min(...above.map((one) => one.getBoundingClientRect().top));
  return top >= 0 && bottom > top && bottom <= end;
}"""
MAX_MOVE = 40  # pixels
STILL_LOOKS = 10  # one after another in which all is there
ASKED = [".st-key-tour_reply label p", ".st-key-tour_reply :is(.stButtonGroup, .stForm)"]
PRESSED = {  # in each scene of the first lesson: what its task presses, or what shows the answer
    1: ".strip, .draw-bar",
    2: ".guess-question",
    3: ".thumb .is-primary, .draw-bar",
    4: ".strip, .prompt-box",
    5: ".thumb .is-primary, .draw-bar",
    6: ".seldom, .strip",
    7: ".bars-row:nth-child(5), .draw-bar",
    8: ".bars-row:nth-child(5), .draw-bar",
    9: ".st-key-kv_step",
    10: ".st-key-draws",
    11: ".st-key-snowball_mistake",
}


@pytest.mark.parametrize(
    "number",
    [
        one if one in (1, 2, 6, 10) else pytest.param(one, marks=pytest.mark.nightly)
        for one in PRESSED
    ],
)
def test_question_task_and_what_is_pressed_are_on_a_phone_s_first_screen(
    page: Page, url: str, number: int, witness: Witness
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{url}/?lesson=how-a-model-writes&scene={number}")
    by_key(page, "tour").and_(page.locator("[data-ready]")).wait_for()
    wait_idle(page)
    scene = read_lesson("how-a-model-writes").scenes[number - 1]
    pressed = [page.locator(one).first for one in PRESSED[number].split(", ")]
    check_first_screen(page, [page.locator(one) for one in ASKED], number)
    if scene.choices:
        by_key(page, "tour").get_by_role("radio", name=scene.right, exact=True).click()
    else:
        by_key(page, "tour_reply").get_by_role("textbox").fill(scene.right)
        by_key(page, "tour_reply").get_by_role("button").click()
    told = by_key(page, "tour_task").get_by_text(scene.task.split("*")[0]) if scene.task else None
    check_first_screen(page, [*pressed, *([told] if told else [])], number)
    forget_first_requests(witness)


def check_first_screen(page: Page, needed: list[Locator], number: int) -> None:
    """Refuses what is not whole on the first screen, once all of it has come."""
    for one in needed:
        expect(one).to_be_visible()
    deadline, n_looks = time.monotonic() + 30, 0
    while n_looks < STILL_LOOKS:  # what comes late still moves
        missing = [str(one) for one in needed if not one.evaluate(FIRST_SCREEN)]
        n_looks = 0 if missing else n_looks + 1
        assert time.monotonic() < deadline, (number, missing)
        page.wait_for_timeout(200)


def test_a_projector_shows_the_draw_bar_that_a_scene_speaks_of(page: Page, url: str) -> None:
    page.add_init_script("localStorage.setItem('ott-side', '0')")  # one distribution
    open_scene(page, f"{url}/?lesson=how-a-model-writes&scene=1&present=1")
    bar = by_key(page, "live").locator(".draw-bar")
    expect(bar).to_be_visible()
    box = bar.bounding_box()
    assert box is not None
    assert box["y"] + box["height"] <= SCREEN["height"]
    named = bar.locator(".draw-segment > span:not(:empty)")
    expect(named.nth(5)).to_be_visible()  # narrow ones have names, too
    expect(by_key(page, "tour_task_waits").locator("p")).to_be_hidden()  # it waits for the reply
    page.set_viewport_size(PHONE)
    expect(by_key(page, "live").locator(".thumb")).to_be_hidden()
    expect(way(page, "Skip")).to_be_in_viewport()


@pytest.mark.parametrize(("number", "pressed"), [(3, ".lab-hands input"), (6, ".seldom")])
def test_what_the_lesson_on_choosing_presses_is_on_a_phone_s_first_screen(
    page: Page, url: str, number: int, pressed: str, witness: Witness
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{url}/?lesson=sampling&scene={number}")
    by_key(page, "tour").and_(page.locator("[data-ready]")).wait_for()
    wait_idle(page)
    button = page.locator(pressed).first
    expect(button).to_be_visible()
    deadline, n_looks = time.monotonic() + 30, 0
    while n_looks < STILL_LOOKS:
        n_looks = n_looks + 1 if button.evaluate(FIRST_SCREEN) else 0
        assert time.monotonic() < deadline, button.bounding_box()
        page.wait_for_timeout(200)
    forget_first_requests(witness)


PLAYING = """(card) => card.getAnimations({ subtree: true })
  .filter(({ effect }) => effect.target.closest(".card-figure")).length"""


def test_a_picture_plays_while_it_is_pointed_at_and_the_list_leads_back_nowhere(
    page: Page, url: str, witness: Witness
) -> None:
    visit(page, f"{url}/tour")
    cards = page.locator("[class*=st-key-tour_card]")
    expect(cards.locator(".card-figure").nth(3)).to_be_visible()
    wait_idle(page)
    for card in cards.all()[:4]:
        page.mouse.move(5, 5)
        before = card.evaluate(PLAYING)
        card.locator(".card-figure").hover()
        assert card.evaluate(PLAYING) > before
    expect(page.get_by_role("link", name=re.compile("^(←|Previous)"))).to_have_count(0)
    tops = [card.locator("h2").bounding_box() for card in cards.all()[1:4]]
    assert len({round(top["y"]) for top in tops if top}) == 1
    forget_first_requests(witness)
