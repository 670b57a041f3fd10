"""The guessing game as Streamlit runs it, and in a real browser by keyboard alone."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from pages.lessons.guess.settings import PASSAGES
from pages.lessons.guess.state import GuessLesson
from tests.driving.harness import by_key
from tests.driving.home_page import PATIENCE_MS
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import captions, errors, kept, open_lesson, press


def test_players_are_scored_and_five_guesses_give_shannon_s_estimate() -> None:
    app = open_lesson("pages/guess.py")
    lesson = kept(app, "guess_lesson", GuessLesson)

    def guess(*lines: str) -> None:
        for place, line in enumerate(lines):
            app.text_input(key=f"guess_line_{place}").set_value(line)
        press(app, "guess_reveal")

    guess("")
    assert not app.error
    assert "no guess" in app.info[0].value
    app.text_input(key="guess_names").set_value("Ada, Ben, Cleo").run()
    guess("garden 50", "park 50", "")
    (tiles,) = tiles_of(app)
    assert "90 points" in tiles
    assert "bits" not in tiles, "points come first"
    assert not app.header
    ada, ben, cleo = lesson.game.rounds[0].players
    assert (ada.name, ada.bits) == ("Ada", pytest.approx(1))
    assert ben.bits > cleo.bits > ada.bits
    for place, sure in enumerate((20, 5, 100)):
        app.number_input(key=f"guess_sure_{place}").set_value(sure)
    guess("put", "gave 80", "7")
    shares = [player.guesses[0].share for player in lesson.game.rounds[1].players]
    assert shares == [0.2, 0.8, 0.99], "a number that was typed counts, unless it is the guess"
    assert app.number_input(key="guess_sure_0").value is None, "the next guess has its own"
    assert app.text_input(key="guess_line_0").value == ""
    app.text_input(key="guess_names").set_value("Ada, ada").run()
    assert "of their own" in errors(app)
    app.text_input(key="guess_names").set_value("").run()
    app.get_by_key("guess_unit").set_value("hands").run()
    assert lesson.names == ("The class",)
    guess("gave 12 put 7")
    assert "3 so far" in captions(app)
    assert set(app.dataframe[-1].value["player"]) == {"The class"}
    (tiles,) = tiles_of(app)
    assert "bits" in tiles
    for line in ("him 4", "two 20"):
        guess(line)
    assert lesson.game.rounds[2].players[0].guesses[0].share == pytest.approx(12 / 20)
    assert "Measured: the model gave" in captions(app)
    assert "Derived from the ranks: Ada" in captions(app)
    app.switch_page("pages/kv_cache.py").run()
    app.switch_page("pages/guess.py").run()
    assert len(kept(app, "guess_lesson", GuessLesson).game.rounds) == 5


def test_another_text_is_played_to_its_end_and_one_that_is_too_short_is_not() -> None:
    app = open_lesson("pages/guess.py")
    lesson = kept(app, "guess_lesson", GuessLesson)
    first = lesson.game
    app.selectbox(key="guess_which").set_value("A text of your own").run()
    app.text_area(key="guess_own").set_value("Too short")
    press(app, "guess_start")
    assert "longer text" in errors(app)
    assert lesson.game is first
    app.text_area(key="guess_own").set_value("The\n\nsun   was warm.")
    app.slider(key="guess_n_open").set_value(3)
    press(app, "guess_start")
    assert not app.error
    assert "".join(lesson.game.hidden_text.shown) == "The sun was"
    press(app, "guess_skip")
    assert not lesson.game.rounds
    app.text_input(key="guess_line_0").set_value(". 90")
    press(app, "guess_reveal")
    assert lesson.game.is_over
    assert "compare below" in app.info[0].value
    assert app.button(key="guess_skip").disabled
    name = list(PASSAGES)[-1]
    app.selectbox(key="guess_which").set_value(name).run()
    assert "public domain" in captions(app)
    press(app, "guess_start")
    assert lesson.game.hidden_text.shown[0] == PASSAGES[name].text.split()[0]


def tiles_of(app: AppTest) -> list[str]:
    html = (one.proto.body for one in app.get("html"))
    return [body for body in html if "scores of everyone" in body]


@pytest.mark.browser
def test_a_game_by_keyboard_alone(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("guess")
    field = by_key(page, "guess_line_0").locator("input")
    expect(field).to_be_visible(timeout=4 * PATIENCE_MS)
    blank = page.get_by_label("the hidden token")
    expect(blank).to_be_visible(timeout=PATIENCE_MS)
    field.focus()
    tiles = page.get_by_label("The scores of everyone")
    for n_opened, line in enumerate(("She 60", "gave 20", "<b>him</b> 5 him 5"), start=1):
        page.keyboard.type(line)
        page.keyboard.press("Enter")
        expect(page.locator("span.asked")).to_have_count(n_opened, timeout=PATIENCE_MS)
        expect(field).to_have_value("", timeout=PATIENCE_MS)
        expect(field).to_be_focused()  # so that the next guess can be typed at once
    expect(tiles).to_contain_text("The model")
    expect(tiles).to_contain_text("Uniform")
    expect(by_key(page, "guess_running")).to_be_visible()
    # a confidence that cannot be is refused in a sentence, and stays to be mended
    page.keyboard.type("two 80 a 60")
    page.keyboard.press("Enter")
    expect(page.get_by_text("sum to 140 %")).to_be_visible(timeout=PATIENCE_MS)
    expect(field).to_have_value("two 80 a 60")
    assert_accessible_to_all(page)
