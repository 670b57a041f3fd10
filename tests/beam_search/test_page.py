"""The beam-search lesson as Streamlit runs it, and in a real browser."""

import json
import math
from collections.abc import Callable
from urllib.parse import parse_qsl

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from model.beam_search import rank_finished
from model.loading import load_model
from model.sampling import Settings
from model.tokenizing import text_of
from pages.frame.story import KING
from pages.lessons.beam_search import lesson as beam_page
from pages.lessons.beam_search.state import BeamLesson, BeamSteps
from pages.lessons.futures.state import FuturesLesson
from tests.driving.harness import by_key
from tests.frame.accessibility import assert_accessible_to_all
from tests.frame.driving import captions, errors, kept, open_lesson, press, show_model, words
from tests.tiny_models import tiny

IS_LED = """() => {
  const right = (one) => one.getBoundingClientRect().right;
  const box = document.querySelector(".st-key-beam_tree_box");
  const ends = [...box.querySelectorAll(".js-plotly-plot .annotation")].map(right);
  return box.scrollLeft > 0 && Math.max(...ends) <= right(box);
}"""  # the tree has grown beyond its box, and what is newest is in it


@pytest.fixture
def app() -> AppTest:
    return answer(open_lesson("pages/beam_search.py"))


def answer(app: AppTest) -> AppTest:
    """Say what one expects: the steps come with it."""
    return app.get_by_key("beam_said").set_value(beam_page.NEVER).run()


def lesson(app: AppTest) -> BeamLesson:
    return kept(app, "beam_lesson", BeamLesson)


def steps(app: AppTest) -> BeamSteps:
    return lesson(app).stepper.steps


def greedy_ids(app: AppTest) -> tuple[int, ...]:
    """What the loop writes at temperature 0."""
    search = steps(app).search
    text = search.start.fork()
    while len(text.steps) < search.max_new_tokens:
        if text.step(Settings(temperature=0)).token_id in search.end_ids:
            break
    return tuple(text.ids[text.n_prompt :])


def tree_texts(app: AppTest) -> list[str]:
    layout = json.loads(app.get_by_key("beam_tree").proto.spec)["layout"]
    return [chip["text"].partition("<br>")[0] for chip in layout["annotations"]]


def test_steps_are_shown_and_taken_back_and_none_is_searched_twice(app: AppTest) -> None:
    assert steps(app).n_shown == beam_page.FIRST_STEPS, "the question comes first"
    n_searched = len(steps(app).search.steps)
    for _ in range(4):
        press(app, "beam_step")
    drawn = tree_texts(app)
    assert "pruned greedy’s text at token" in captions(app)
    press(app, "beam_step")
    assert "Token 6:" in captions(app)
    press(app, "beam_back")
    assert tree_texts(app) == drawn
    press(app, "beam_reset")
    assert len(tree_texts(app)) < len(drawn)
    assert len(steps(app).search.steps) == n_searched
    assert app.button(key="beam_back").disabled
    press(app, "beam_step")
    app.slider(key="beam_tokens").set_value(4)
    app.slider(key="beam_beams").set_value(2).run()
    assert steps(app).n_shown == 1, "another search goes as far as the one before it"
    answer(app)  # what was said was of another search
    press(app, "beam_play")
    for _ in range(4):
        app.run()
    assert not lesson(app).stepper.is_playing
    assert app.button(key="beam_step").disabled
    assert "Token 4 of 4" in words(app)
    shown = " ".join(html.proto.body for html in app.get("html"))
    ids, best = steps(app).greedy().token_ids, rank_finished(steps(app).finished, 0.0)[0]
    for text in (best.text, text_of(lesson(app).lm.tokenizer, ids)):
        assert text.strip() in shown, "both sentences are there to be read"
    assert (
        best.total >= steps(app).greedy().total - 1e-5
    )  # rows of another batch are rounded otherwise
    assert steps(app).greedy().token_ids == greedy_ids(app)
    assert "2 rows of" in captions(app)  # the cache of the last pass


def test_where_greedy_is_overtaken_is_asked_before_a_step_can_show_it() -> None:
    app = open_lesson("pages/beam_search.py")
    offered = [*beam_page.AT_TOKENS.values(), beam_page.LATER, beam_page.NEVER]
    assert app.get_by_key("beam_said").options == offered
    assert app.button(key="beam_step").disabled
    assert steps(app).overtaken_at() == 3, "later than at once, and soon enough to be seen"
    answer(app)
    for _ in range(2):
        assert "Not quite" not in words(app), "the tree answers first"
        press(app, "beam_step")
    assert f"Not quite: **{beam_page.AT_TOKENS[3]}**" in words(app)
    app.slider(key="beam_beams").set_value(1).run()
    assert "Not quite" not in words(app), "that was of another search"
    press(app, "beam_reset")
    assert steps(app).overtaken_at() is None, "one beam is greedy"
    answer(app)
    while steps(app).can_step:
        assert "That is right" not in words(app)
        press(app, "beam_step")
    assert "That is right" in words(app)


def test_the_penalty_ranks_anew_and_offers_to_search_again(app: AppTest) -> None:
    for _ in range(5):
        press(app, "beam_step")
    search = steps(app).search
    app.slider(key="beam_penalty").set_value(1.5).run()
    assert steps(app).search is search
    assert "Re-ranking" in captions(app)
    press(app, "beam_again")
    assert steps(app).search.length_penalty == 1.5
    assert "a = 1.5" in captions(app)


def test_what_the_exact_search_can_and_cannot_prove_is_said(app: AppTest) -> None:
    def compare() -> None:
        press(app, "beam_exact_run")
        while lesson(app).jobs["beam_exact"].is_running:
            app.run()

    compare()
    assert "Proved" in app.success[0].value
    table = next(frame.value for frame in app.dataframe if "as likely" in frame.value)
    sums = list(table["sum log p"])
    assert sums[0] + math.log(2) < sums[1] <= sums[2] + 1e-3, "c20: greedy loses by far"
    assert "from token 1 on" in captions(app)
    app.selectbox(key="beam_exact_prompt").set_value("The fish wanted to swim in the")
    app.number_input(key="beam_exact_tokens").set_value(8)
    app.number_input(key="beam_exact_limit").set_value(100)
    compare()
    assert "Not proved" in app.info[0].value


def test_what_a_model_cannot_read_leaves_the_tree_or_gives_way_to_the_example(app: AppTest) -> None:
    search = steps(app).search
    app.text_input(key="beam_prompt").set_value("🍓" * 1500).run()
    assert "The search before it stays" in errors(app)
    assert steps(app).search is search
    app.text_input(key="beam_prompt").set_value("the " * 150).run()
    assert not app.error
    show_model(app, tiny("llama"))
    assert "first example" in errors(app)
    assert app.text_input(key="beam_prompt").value == steps(app).request.prompt == KING
    press(answer(app), "beam_step")
    assert not app.error
    show_model(app, load_model("unmasker", device="cpu"))
    assert [error.value.count("causal") for error in app.error] == [1]


def futures_link(app: AppTest) -> dict[str, str]:
    (link,) = [one.proto.url for one in app.get("link_button") if "/futures?" in one.proto.url]
    return dict(parse_qsl(link.partition("?")[2]))


def test_a_beginning_is_the_same_one_on_the_page_of_all_continuations(app: AppTest) -> None:
    assert futures_link(app)["prompt"] == KING
    for _ in range(5):
        press(app, "beam_step")
    search = steps(app).search
    path = next(n for n in search.steps[5].node_ids if search.nodes[n].fate == "kept")
    ids = tuple(search.ids_of(path))
    for length in (2, 4, 6):
        app.selectbox(key="beam_selected").set_value(ids[:length]).run()
        link = futures_link(app)
        there = open_lesson("pages/futures.py", **link, passes="1")
        assert not there.warning
        tree = kept(there, "futures_lesson", FuturesLesson)
        assert tree.tree.start.ids + list(tree.view["selected"]) == search.start.ids + list(
            ids[:length]
        )
        back = dict(parse_qsl(tree.search_link(0, 4).partition("?")[2]))
        back["selected"] = link["selected"]
        here = open_lesson("pages/beam_search.py", **back)
        assert not here.warning
        assert steps(here).n_shown == len(tree.view["selected"])
        assert here.selectbox(key="beam_selected").value == tree.view["selected"]


def test_a_beginning_that_the_search_has_not_is_said_and_kept() -> None:
    lost = open_lesson("pages/beam_search.py", selected="300,301")
    chosen = lost.selectbox(key="beam_selected")
    assert chosen.value == (300, 301)
    assert "not in the tree from token" in chosen.options[-1]
    refused = open_lesson("pages/beam_search.py", selected="300,999999")
    assert "no such token" in refused.warning[0].value
    assert refused.selectbox(key="beam_selected").value == ()


@pytest.mark.browser
def test_the_tree_grows_before_everybody(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("beam_search")
    chips = by_key(page, "beam_tree").locator(".annotation")
    expect(chips.first).to_be_visible()
    n_before = chips.count()
    by_key(page, "beam_said").get_by_role("radio").first.click()
    by_key(page, "beam_step").get_by_role("button").click()
    expect(page.get_by_text("Token 2 of 7")).to_be_visible()
    expect(chips).not_to_have_count(n_before)
    assert_accessible_to_all(page)


@pytest.mark.browser
def test_a_phone_is_led_to_the_newest_tokens(turn_to: Callable[[str], Page]) -> None:
    page = turn_to("beam_search")
    page.set_viewport_size({"width": 390, "height": 844})
    by_key(page, "beam_tree").locator(".main-svg").first.wait_for()
    by_key(page, "beam_said").get_by_role("radio").first.click()
    by_key(page, "beam_play").get_by_role("button").click()
    page.wait_for_function(IS_LED, timeout=60_000)
