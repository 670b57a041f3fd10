"""The guessing game as Streamlit runs it, and in a real browser by keyboard alone."""

from __future__ import annotations

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from benchmarks.harness import Witness, by_key
from benchmarks.home_page import PATIENCE
from pages.lessons.guess.settings import PASSAGES
from pages.lessons.guess.state import GuessLesson
from tests.frame.driving import captions, errors, kept, open_lesson, press
from tests.frame.phone import fits_a_phone, forget_first_requests


@pytest.fixture
def app() -> AppTest:
    """The game, opened without the first page."""
    return open_lesson("pages/guess.py")


def lesson(app: AppTest) -> GuessLesson:
    return kept(app, "guess_lesson", GuessLesson)


def guess(app: AppTest, *lines: str) -> None:
    for place, line in enumerate(lines):
        app.text_input(key=f"guess_line_{place}").set_value(line)
    press(app, "guess_reveal")


def test_a_guess_is_scored_and_its_field_emptied(app: AppTest) -> None:
    assert "Measured" not in captions(app)
    guess(app, "She 60 He 20")
    done = lesson(app).game.rounds[0]
    assert done.label == "␣She"
    assert done.players[0].prob == pytest.approx(0.6)
    assert "Measured: the model gave" in captions(app)
    assert app.text_input(key="guess_line_0").value == ""
    assert "1 so far" in captions(app)


def test_shannon_s_estimate_shows_after_five_tokens(app: AppTest) -> None:
    for line in ("She 60", "put 30", "him 40", "two 20", "a 20"):
        guess(app, line)
    assert "Derived from the ranks: You" in captions(app)
    assert "the model" in captions(app)


def test_what_cannot_be_read_stays_in_its_field_and_opens_nothing(app: AppTest) -> None:
    guess(app, "She 80 He 60")
    assert "140" in errors(app)
    assert app.text_input(key="guess_line_0").value == "She 80 He 60"
    assert not lesson(app).game.rounds
    guess(app, "")
    assert not app.error
    assert "no guess" in app.info[0].value
    guess(app, "She 80")
    assert not app.error
    assert len(lesson(app).game.rounds) == 1


def test_several_players_have_a_field_and_a_score_each(app: AppTest) -> None:
    app.text_input(key="guess_names").set_value("Ada, Ben, Cleo, Dan").run()
    guess(app, "She 50", "He 50", "", "Then")
    players = lesson(app).game.rounds[0].players
    assert [player.name for player in players] == ["Ada", "Ben", "Cleo", "Dan"]
    assert players[0].bits == pytest.approx(1)
    assert players[1].bits > players[2].bits > players[0].bits
    assert {row["player"] for row in app.dataframe[-1].value.to_dict("records")} == {
        *("Ada", "Ben", "Dan")
    }
    app.text_input(key="guess_names").set_value("Ada, ada").run()
    assert "of their own" in errors(app)
    assert len(lesson(app).names) == 4
    app.text_input(key="guess_names").set_value("").run()
    app.get_by_key("guess_unit").set_value("hands").run()
    assert lesson(app).names == ("The class",)
    guess(app, "put 12 gave 7")
    assert lesson(app).game.rounds[1].players[0].guesses[0].share == pytest.approx(12 / 20)


def test_another_text_starts_a_game_and_one_that_is_too_short_does_not(app: AppTest) -> None:
    guess(app, "She 60")
    app.selectbox(key="guess_which").set_value("A text of your own").run()
    app.text_area(key="guess_own").set_value("Too short")
    press(app, "guess_start")
    assert "longer text" in errors(app)
    assert len(lesson(app).game.rounds) == 1
    app.text_area(key="guess_own").set_value(
        "One day\n\nthe sun did   not rise, and all were cold."
    )
    app.slider(key="guess_n_open").set_value(3)
    press(app, "guess_start")
    assert not app.error
    assert "".join(lesson(app).game.hidden_text.shown) == "One day the"
    assert not lesson(app).game.rounds
    name = list(PASSAGES)[-1]
    app.selectbox(key="guess_which").set_value(name).run()
    assert "public domain" in captions(app)
    press(app, "guess_start")
    assert lesson(app).game.hidden_text.shown[0] == PASSAGES[name].text.split()[0]


def test_the_end_of_the_text_is_the_end_of_the_game(app: AppTest) -> None:
    app.selectbox(key="guess_which").set_value("A text of your own").run()
    app.text_area(key="guess_own").set_value("The sun was warm.")
    app.slider(key="guess_n_open").set_value(3)
    press(app, "guess_start")
    before = lesson(app).game.position
    press(app, "guess_skip")
    assert lesson(app).game.position == before + 1
    guess(app, ". 90")
    assert lesson(app).game.is_over
    assert app.info
    assert app.button(key="guess_skip").disabled


def test_the_game_is_there_again_after_a_visit_elsewhere(app: AppTest) -> None:
    guess(app, "She 60")
    app.switch_page("pages/kv_cache.py").run()
    app.switch_page("pages/guess.py").run()
    assert not app.exception
    assert len(lesson(app).game.rounds) == 1


@pytest.mark.browser
def test_a_game_by_keyboard_alone(page: Page, url: str, witness: Witness) -> None:
    page.goto(f"{url}/guess")
    field = by_key(page, "guess_line_0").locator("input")
    expect(field).to_be_visible(timeout=4 * PATIENCE)
    forget_first_requests(witness)
    blank = page.get_by_label("the hidden token")
    expect(blank).to_be_visible(timeout=PATIENCE)
    field.focus()
    tiles = page.get_by_label("Bits of everyone")
    for n_opened, line in enumerate(("She 60", "gave 20", "<b>him</b> 5 him 5"), start=1):
        page.keyboard.type(line)
        page.keyboard.press("Enter")
        expect(page.locator(".asked")).to_have_count(n_opened, timeout=PATIENCE)
        expect(field).to_have_value("", timeout=PATIENCE)
        expect(field).to_be_focused()  # so that the next guess can be typed at once
    expect(tiles).to_contain_text("The model")
    expect(tiles).to_contain_text("Uniform")
    expect(by_key(page, "guess_running")).to_be_visible()
    # a confidence that cannot be is refused in a sentence, and stays to be mended
    page.keyboard.type("two 80 a 60")
    page.keyboard.press("Enter")
    expect(page.get_by_text("sum to 140 %")).to_be_visible(timeout=PATIENCE)
    expect(field).to_have_value("two 80 a 60")
    assert fits_a_phone(page)
