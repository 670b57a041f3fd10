"""The guessing game as Streamlit runs it, and in a real browser by keyboard alone."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from model.guess.game import GuessingGame
from model.loading import LanguageModel
from pages.lessons.guess.board import board_data, take_guess
from pages.lessons.guess.settings import PASSAGES
from pages.lessons.guess.state import N_ROUND, GuessLesson
from tests.driving.harness import Server, Witness, by_key, visit
from tests.driving.home_page import PATIENCE_MS
from tests.frame.accessibility import assert_accessible_to_all, forget_first_requests
from tests.frame.driving import captions, kept, open_lesson, press

PLACES = """() => {
  const { shadowRoot } = document.querySelector(
    ".st-key-guess_board [data-testid=stBidiComponentIsolated]");
  const parts = ".board-text, .guess-question, .guess-option, .guess-box, .board-sure, .bars";
  const all = [...shadowRoot.querySelectorAll(parts), document.querySelector(".remember")];
  return all.map((one) => Math.round(one.getBoundingClientRect().top));
}"""


def test_players_are_scored_and_five_guesses_give_shannon_s_estimate() -> None:
    app = open_lesson("pages/guess.py")
    lesson = kept(app, "guess_lesson", GuessLesson)

    def guess(*written: str, sure: float | None = 0.5) -> None:
        told = [{"typed": typed, "sure": sure} for typed in written]
        take_guess(lesson, {"position": lesson.game.position, "written": told})
        app.run()

    guess("")
    assert "no guess" in board_data(lesson)["notice"]
    app.text_input(key="guess_names").set_value("Ada, Ben, Cleo").run()
    guess("garden", "park", "")
    ada, ben, cleo = lesson.game.rounds[0].players
    assert (ada.name, ada.bits) == ("Ada", pytest.approx(1))
    assert ben.bits > cleo.bits > ada.bits
    last = board_data(lesson)["last"]
    assert last["hits"] == [True, False, False]
    assert [row["marks"] for row in last["rows"] if row["isTrue"]] == [[(0, 0.5)]]
    assert sum(row["prob"] for row in last["rows"]) + last["rest"] == pytest.approx(1)
    guess("put", "gave 80", "7", sure=0.2)
    shares = [player.guesses[0].share for player in lesson.game.rounds[1].players]
    assert shares == [0.2, 0.8, 0.2], "a number that was typed counts, unless it is the guess"
    app.text_input(key="guess_names").set_value("Ada, ada").run()
    assert "of their own" in board_data(lesson)["notice"]
    app.text_input(key="guess_names").set_value("").run()
    app.get_by_key("guess_unit").set_value("hands").run()
    assert lesson.names == ("The class",)
    for line in ("gave 12 put 7", "him 4", "two 20"):
        guess(line, sure=None)
    assert lesson.game.rounds[2].players[0].guesses[0].share == pytest.approx(12 / 20)
    assert set(app.dataframe[-1].value["player"]) == {"The class"}
    assert "Derived from the ranks: Ada" in captions(app)
    app.switch_page("pages/kv_cache.py").run()
    app.switch_page("pages/guess.py").run()
    assert len(kept(app, "guess_lesson", GuessLesson).game.rounds) == 5


def test_what_comes_late_or_is_no_guess_changes_nothing(storyteller: LanguageModel) -> None:
    lesson = _lesson(storyteller)
    for told in (None, {}, {"position": 0, "written": [{"typed": "a", "sure": 0.5}]}):
        take_guess(lesson, told)
    assert not lesson.game.rounds
    told = {"position": lesson.game.position, "written": [{"typed": "garden", "sure": 7}]}
    take_guess(lesson, told)
    assert lesson.game.rounds[0].players[0].prob == 0.5, "as of who says nothing of it"


def test_a_round_has_ten_words_and_a_reload_stands_where_one_was(
    storyteller: LanguageModel,
) -> None:
    lesson = _lesson(storyteller)
    for _ in range(N_ROUND):
        assert not board_data(lesson)["end"]
        lesson.play({"You": "the 20"})
    lesson.skip()
    data = board_data(lesson)
    assert data["end"]
    assert data["best"] is None
    lesson.go_on()
    lesson.play({"You": "it 90"})
    data = board_data(lesson)
    assert not data["isRoundOver"]
    assert data["number"] == 2
    assert data["best"] == sum(one.players[0].points for one in lesson.game.rounds[:N_ROUND])
    other = _lesson(storyteller)
    for nothing in (None, {}, {**lesson.saved(), "text": "short"}, {**lesson.saved(), "played": 7}):
        other.restore(nothing)
        assert not other.played
    other.restore(json.loads(json.dumps(lesson.saved())))
    assert board_data(other) == data


def _lesson(lm: LanguageModel) -> GuessLesson:
    text = next(iter(PASSAGES.values())).text, 8
    return GuessLesson(lm, GuessingGame(lm, *text), text)


def test_another_text_is_played_to_its_end_and_one_that_is_too_short_is_not() -> None:
    app = open_lesson("pages/guess.py")
    lesson = kept(app, "guess_lesson", GuessLesson)
    first = lesson.game
    app.selectbox(key="guess_which").set_value("A text of your own").run()
    app.text_area(key="guess_own").set_value("Too short")
    press(app, "guess_start")
    assert "longer text" in board_data(lesson)["notice"]
    assert lesson.game is first
    app.text_area(key="guess_own").set_value("The\n\nsun   was warm.")
    app.slider(key="guess_n_open").set_value(3)
    press(app, "guess_start")
    assert not app.error
    assert "".join(lesson.game.hidden_text.shown) == "The sun was"
    lesson.skip()
    assert not lesson.game.rounds
    lesson.play({"You": ". 90"})
    assert lesson.game.is_over
    app.run()
    assert board_data(lesson)["isOver"]
    assert board_data(lesson)["end"]
    name = list(PASSAGES)[-1]
    app.selectbox(key="guess_which").set_value(name).run()
    assert "public domain" in captions(app)
    press(app, "guess_start")
    assert lesson.game.hidden_text.shown[0] == PASSAGES[name].text.split()[0]


@pytest.mark.browser
def test_a_game_by_presses_and_by_keyboard(page: Page, server: Server, witness: Witness) -> None:
    visit(page, f"{server.url}/guess")
    board = by_key(page, "guess_board")
    words = board.locator(".guess-option:not([data-empty])")
    expect(words).to_have_count(4, timeout=4 * PATIENCE_MS)
    expect(page.locator(".remember")).to_be_hidden()
    asked, field = board.locator(".board-word"), board.get_by_role("textbox")
    onward = board.get_by_role("button", name="Next word")
    said = board.locator(".board-said")
    places = page.evaluate(PLACES)
    words.first.click()
    board.get_by_role("button", name="very").click()
    expect(asked).to_have_count(1, timeout=PATIENCE_MS)
    expect(words.first).to_be_hidden()
    onward.click()
    field.focus()
    for n_opened, line in enumerate(("She", "gave 20", "<b>him</b> 5 him 5"), start=2):
        page.keyboard.type(line)
        page.keyboard.press("Enter")
        expect(asked).to_have_count(n_opened, timeout=PATIENCE_MS)
        expect(board.locator(".bars-row[data-chosen]")).to_have_count(1)
        expect(words.first).to_be_hidden()  # what came stands alone
        expect(onward).to_be_focused()
        page.keyboard.press("Enter")
        expect(board.locator(".bars-row[data-chosen]")).to_have_count(0)
        expect(field).to_have_value("", timeout=PATIENCE_MS)
        expect(field).to_be_focused()  # so that the next guess can be typed at once
    # a confidence that cannot be is refused in a sentence, and stays to be mended
    page.keyboard.type("two 80 a 60")
    page.keyboard.press("Enter")
    expect(board.get_by_text("sum to 140 %").first).to_be_visible(timeout=PATIENCE_MS)
    expect(field).to_have_value("two 80 a 60")
    assert page.evaluate(PLACES) == places, "nothing moves when an answer comes"
    page.reload()
    expect(asked).to_have_count(4, timeout=4 * PATIENCE_MS)

    # the way on comes after the last word; a mark in a sentence is a token, and in no quotes
    marks = 0
    for n in range(4, N_ROUND):
        expect(page.locator(".remember")).to_be_hidden()
        expect(page.get_by_role("link", name="Next:")).to_have_count(0)
        onward.click()
        words.first.click()
        board.get_by_role("button", name="very").click()
        expect(asked).to_have_count(n + 1, timeout=PATIENCE_MS)
        expect(said.get_by_text(re.compile("“[.,!?;:]”"))).to_have_count(0)
        marks += said.locator(".named").count()
    assert marks > 0
    expect(page.locator(".remember")).to_be_visible()
    expect(page.get_by_role("link", name="Next:")).to_have_count(1)
    forget_first_requests(witness)
    assert_accessible_to_all(page)


@pytest.mark.browser
def test_the_verdict_stands_where_the_question_stood_and_stakes_wait_for_a_word(
    page: Page, server: Server, witness: Witness
) -> None:
    visit(page, f"{server.url}/guess")
    board = by_key(page, "guess_board")
    words = board.locator(".guess-option:not([data-empty])")
    expect(words).to_have_count(4, timeout=4 * PATIENCE_MS)
    about, said = board.locator(".board-about"), board.locator(".board-said")
    stakes = board.locator(".board-sure small")
    before = about.text_content()
    expect(said).to_be_hidden()
    expect(stakes.first).to_have_css("visibility", "hidden")
    words.first.click()
    expect(stakes.first).to_be_visible()
    box = board.locator(".board-ask").bounding_box()
    board.get_by_role("button", name="very").click()
    expect(said).to_be_visible(timeout=PATIENCE_MS)
    assert about.text_content() != before, "why the scores differ stands over the chart"
    there = said.bounding_box()
    assert box is not None
    assert there is not None
    assert box["y"] <= there["y"] <= box["y"] + box["height"]
    assert there["x"] < box["x"] + box["width"]
    large, plain = (
        part.evaluate("(it) => parseFloat(getComputedStyle(it).fontSize)") for part in (said, about)
    )
    assert large > 1.5 * plain
    forget_first_requests(witness)


@pytest.mark.browser
def test_a_phone_shows_the_question_then_what_came_in_its_place(
    page: Page, server: Server, witness: Witness
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    visit(page, f"{server.url}/guess")
    board = by_key(page, "guess_board")
    option, bars = board.locator(".guess-option").first, board.locator(".bars")
    expect(option).to_be_visible(timeout=4 * PATIENCE_MS)
    expect(bars).to_be_hidden()
    option.click()
    board.get_by_role("button", name="very").click()
    expect(bars).to_be_visible(timeout=PATIENCE_MS)
    expect(option).to_be_hidden()
    onward = board.get_by_role("button", name="Next word")
    for part in (bars, onward):
        box = part.bounding_box()
        assert box is not None
        assert box["y"] + box["height"] <= 844, "all of it is on the first screen"
    onward.click()
    expect(option).to_be_visible()
    expect(bars).to_be_hidden()
    forget_first_requests(witness)
