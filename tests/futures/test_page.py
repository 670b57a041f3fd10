"""The lesson on all continuations as Streamlit runs it, and under the hand in a real browser."""

import json
import re
from urllib.parse import parse_qs, urlparse

import pytest
from playwright.sync_api import Page, expect
from streamlit.testing.v1 import AppTest

from model.batch import Batch
from model.beam_search import BeamSearch
from model.futures.continuations import MAX_TOKENS
from model.loading import LanguageModel
from model.passes import PassError
from pages.frame.story import KING
from pages.lessons.futures.lesson import ANOTHER, GREEDY, MAX_FILES, SAID
from pages.lessons.futures.settings import SHARES
from pages.lessons.futures.state import FuturesLesson, kept_by
from tests.driving.harness import Witness, by_key, visit, wait_idle
from tests.driving.home_page import PATIENCE_MS
from tests.driving.in_page import InPage
from tests.frame.accessibility import assert_accessible_to_all, forget_first_requests
from tests.frame.driving import (
    captions,
    errors,
    kept,
    offered,
    open_home,
    open_lesson,
    press,
    show_model,
    words,
)
from tests.home.home_text import write
from tests.home.page_session import PageSession
from tests.tiny_models import tiny

PROMPT_OF_HOME = "The little dog was very"


def lesson(app: AppTest) -> FuturesLesson:
    return kept(app, "futures_lesson", FuturesLesson)


def run_to_end(app: AppTest) -> None:
    while lesson(app).jobs["futures_tree"].is_running:
        app.run()
    app.run()
    assert not app.exception


def test_it_opens_by_itself_and_a_press_goes_on_from_there() -> None:
    app = open_lesson("pages/futures.py", passes="3", mass="0.95", tokens="3")
    run_to_end(app)
    tree = lesson(app).tree
    assert tree.n_passes == 3
    assert "3 passes" in captions(app)
    known = tree.mass(3)
    press(app, "futures_tree_run")
    run_to_end(app)
    assert lesson(app).tree is tree
    assert tree.n_passes == 6
    assert tree.mass(3) > known
    # other lengths need no other tree
    app.get_by_key("futures_tokens").set_value(1).run()
    run_to_end(app)
    assert (lesson(app).tree is tree, tree.n_passes) == (True, 6)
    press(app, "futures_tree_run")
    assert "100" in errors(app)  # percent: nothing is left to open
    assert "open already" in errors(app)


def test_the_likelier_text_is_asked_for_and_waits_for_what_has_to_be_opened() -> None:
    app = open_lesson("pages/futures.py")
    app.get_by_key(SAID).set_value(GREEDY).run()
    assert lesson(app).tree.greedy_is_likeliest(MAX_TOKENS) is False
    assert f"Not quite: **{ANOTHER}**" in words(app)
    app.text_input(key="futures_prompt").set_value("A bird").run()
    assert app.get_by_key(SAID).value is None, "that was of another prompt"
    app.get_by_key("futures_tokens").set_value(1).run()
    assert SAID not in [pills.key for pills in app.get("button_group")], "nothing is to ask"


def test_a_press_opens_the_next_share_where_one_is_open() -> None:
    app = open_lesson("pages/futures.py", mass="0.5")
    run_to_end(app)
    known = lesson(app).tree.mass(MAX_TOKENS)
    assert known > 0.5
    press(app, "futures_tree_run")
    run_to_end(app)
    assert not errors(app)
    assert app.get_by_key("futures_mass").value == next(one for one in SHARES if one > known)
    assert lesson(app).tree.mass(MAX_TOKENS) > known


def test_another_prompt_is_another_tree_and_what_cannot_be_read_leaves_it() -> None:
    app = open_lesson("pages/futures.py", passes="1", prompt="A bird", selected="300", drops="5")
    run_to_end(app)
    before = lesson(app).tree
    assert lesson(app).view["selected"] == (300,)
    app.text_input(key="futures_prompt").set_value("🍓" * 1500).run()
    assert "The tree before it stays" in errors(app)
    assert (lesson(app).tree is before, lesson(app).prompt) == (True, "A bird")
    app.text_input(key="futures_prompt").set_value("The cat").run()
    run_to_end(app)
    assert not app.error
    assert lesson(app).tree is not before
    assert (lesson(app).view["selected"], lesson(app).view["drops"]) == ((), 0)


def test_a_prompt_of_the_first_page_without_room_gives_way_to_the_example() -> None:
    app = open_lesson("pages/futures.py", passes="1")
    app.text_input(key="futures_prompt").set_value("the " * 150).run()
    assert not app.error
    show_model(app, tiny("llama"))  # its context is 96 tokens
    assert "first example" in errors(app)
    assert lesson(app).prompt == app.text_input(key="futures_prompt").value == KING


def test_the_readers_own_texts_and_a_beam_lie_in_the_tree() -> None:
    app = open_home()
    reader = app.session_state["reader"]
    ids = write(reader, PROMPT_OF_HOME, 5, seed=3)[reader.generation.n_prompt :]
    app.switch_page("pages/futures.py").run()
    run_to_end(app)
    state = lesson(app)
    assert (state.prompt, [run.ids for run in state.runs]) == (reader.prompt, [ids[:4]])
    assert state.tree._places.keys() >= {(0, ids[0])}
    assert state.beam is None
    app.get_by_key("futures_tokens").set_value(3).run()
    run_to_end(app)
    app.get_by_key("futures_beams").set_value(4).run()
    assert state.beam is not None
    own = BeamSearch(state.tree.start, 4, max_new_tokens=3).run()
    whole = [way for way in kept_by(state.beam) if len(way) == 3]
    assert whole == [list(text.token_ids) for text in own]
    # a shorter length is another search, and more of the same texts
    app.get_by_key("futures_tokens").set_value(2).run()
    run_to_end(app)
    assert state.beam.max_new_tokens == 2
    assert [run.ids for run in state.runs] == [ids[:2]]


def saved(
    in_page: InPage, storyteller: LanguageModel, prompt: str, seed: int
) -> tuple[list[int], bytes]:
    """The first tokens of a text of six, and what the first page saves of it."""
    session = PageSession(in_page, storyteller, prompt, seed=str(seed)).do("finish", count=6)
    return session.ids[session.header["n_prompt"] :][:3], session.file("json").encode()


def test_saved_runs_lie_in_the_tree_and_others_get_a_sentence_each(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    runs = [saved(in_page, storyteller, PROMPT_OF_HOME, seed) for seed in (3, 8)]
    written = [ids for ids, _ in runs]
    _, elsewhere = saved(in_page, storyteller, "A bird", 3)
    forged = json.loads(runs[0][1])
    others = [
        elsewhere,
        json.dumps(forged | {"model": {"name": "gpt2"}}).encode(),
        json.dumps(forged | {"steps": [{"id": 10**30}]}).encode(),
        json.dumps(forged | {"steps": [{"id": "1"}]}).encode(),
        json.dumps(forged | {"prompt": None}).encode(),
        b"[" * 100_000,
    ]
    app = open_lesson("pages/futures.py", prompt="The little dog was very", tokens="3", passes="1")
    run_to_end(app)
    files = [data for _, data in runs]
    chooser = app.file_uploader(key="futures_files")
    chooser.set_value([(f"{i}.json", data, "") for i, data in enumerate(files + others)]).run()
    assert not app.exception
    assert [tuple(run) for run in lesson(app).runs] == list(zip("AB", written, strict=True))
    assert all(trace(lesson(app), ids) for ids in written)
    told = [error.value for error in app.error]
    assert len(told) == len(others)
    assert all(len(one) < 300 and f"({i}.json)" in one for i, one in enumerate(told, start=2))
    app.text_input(key="futures_prompt").set_value("A bird").run()
    run_to_end(app)
    assert [run.name for run in lesson(app).runs] == ["A"]
    many = [(f"{i}.json", files[0], "") for i in range(MAX_FILES + 1)]
    app.file_uploader(key="futures_files").set_value(many).run()
    assert f"the first {MAX_FILES}" in errors(app)
    app.file_uploader(key="futures_files").set_value(None).run()
    assert (lesson(app).runs, errors(app)) == ([], "")


def trace(state: FuturesLesson, ids: list[int]) -> bool:
    """Whether the way to a text is open."""
    place = 0
    for token_id in ids[:-1]:
        place = state.tree._places.get((place, token_id), -1)
    return place >= 0


def test_a_pass_that_fails_is_said_where_it_was_asked_for_and_the_tree_stays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(*_: object) -> None:
        raise PassError("The memory ran out.")

    app = open_home()
    write(app.session_state["reader"], PROMPT_OF_HOME, 5, seed=3)
    with monkeypatch.context() as broken:
        broken.setattr(Batch, "read", fail)
        app.switch_page("pages/futures.py").run()
        run_to_end(app)
        assert errors(app) == "The memory ran out. The memory ran out.", "the job, and the text"
        broken.setattr(Batch, "append", fail)
        app.get_by_key("futures_beams").set_value(4).run()
        assert errors(app).count("The memory ran out.") == 3
        assert (len(lesson(app).tree.texts), lesson(app).runs) == (1, [])
    press(app, "futures_tree_run")
    run_to_end(app)
    assert errors(app) == ""
    assert len(lesson(app).tree.texts) > 1
    assert (len(lesson(app).runs), lesson(app).beam is not None) == (1, True)


def test_the_search_and_the_tree_lead_to_each_other() -> None:
    app = open_lesson("pages/beam_search.py", prompt="A bird", beams="3", tokens="7")
    (link,) = app.get("link_button")
    query = {name: text for name, (text,) in parse_qs(urlparse(link.url).query).items()}
    tree = open_lesson("pages/futures.py", **query, passes="1")
    run_to_end(tree)
    assert not tree.warning
    beam = lesson(tree).beam
    assert beam is not None
    assert (lesson(tree).prompt, beam.n_beams, beam.max_new_tokens) == ("A bird", 3, MAX_TOKENS)
    assert offered(tree)["beams"] == "3"
    assert SAID not in [pills.key for pills in tree.get("button_group")], "the text is shown"
    (link,) = tree.get("link_button")
    query = {name: text for name, (text,) in parse_qs(urlparse(link.url).query).items()}
    back = open_lesson("pages/beam_search.py", **query)
    assert not back.warning
    search = back.session_state["beam_lesson"].stepper.steps.search
    assert [one.token_ids for one in search.run()] == [one.token_ids for one in beam.run()]


def test_what_the_page_may_not_say_changes_nothing() -> None:
    state = FuturesLesson.begin(tiny("llama"), "a", {"drops": 3})
    state.take({"view": {"drops": 7, "selected": [4, 5], "more": 1}})
    assert state.view == {"drops": 7, "selected": (4, 5)}
    for forged in ({"drops": 10**9}, {"selected": [1, "<b>"]}, {"temperature": "nan"}):
        state.take({"view": forged})
        assert state.problem
        assert state.view["drops"] == 7


@pytest.mark.browser
def test_while_the_tree_fills_it_stays_where_it_is_and_so_does_what_is_pressed(
    page: Page, url: str, witness: Witness
) -> None:
    """A component that was made anew as the job ended lost a press, and the focus."""
    visit(page, f"{url}/futures?passes=16&mass=0.95")
    run = by_key(page, "futures_tree_run")
    expect(run).to_contain_text("Open more", timeout=4 * PATIENCE_MS)
    root = page.locator(".ott.futures").element_handle()
    run.locator("button").click()
    expect(run).to_contain_text("Stop")
    by_key(page, SAID).get_by_role("radio", name=GREEDY).click()
    page.locator(".futures-fold > summary").click()
    slider = page.locator(".futures-slider input[name=temperature]")
    expect(slider).to_be_visible()  # once that is answered
    slider.focus()
    expect(run).to_contain_text("Open more", timeout=4 * PATIENCE_MS)
    wait_idle(page)
    assert root.evaluate("(root) => root.isConnected")
    expect(slider).to_be_focused()
    expect(page.locator(".icicle-cover")).to_be_hidden()

    # a text that fills the width, and a mask that then cuts it
    page.locator(".icicle-piece[title^='was:']").dblclick()
    expect(page.locator(".icicle-before")).to_be_visible()
    top_k = page.locator(".futures-slider input[name=top_k]")
    top_k.evaluate(SET, "0")
    expect(page.locator(".icicle-before")).to_be_hidden()
    expect(page.locator(".icicle-flag").first).to_be_visible()
    forget_first_requests(witness)


SET = "(slider, value) => { slider.value = value; slider.dispatchEvent(new Event('input')); }"
WIDTHS = """(pieces) => pieces.map((piece) => parseFloat(piece.style.width))"""


@pytest.mark.browser
def test_the_question_comes_first_the_tree_moves_under_the_hand_and_pointers_fall(
    page: Page, url: str, witness: Witness
) -> None:
    page.emulate_media(color_scheme="dark")
    visit(page, f"{url}/futures")
    cover, flags = page.locator(".icicle-cover"), page.locator(".icicle-flag b")
    expect(cover).to_be_visible(timeout=4 * PATIENCE_MS)
    forget_first_requests(witness)
    expect(flags).to_have_count(0)
    expect(page.locator(".futures-fold")).to_be_hidden()
    by_key(page, SAID).get_by_role("radio", name=GREEDY).click()
    expect(cover).to_be_hidden()
    expect(by_key(page, f"{SAID}_verdict")).to_contain_text(ANOTHER)
    expect(flags).to_have_text(["had a big,", "lived in a big"])
    expect(page.locator(".icicle-flag[data-way=best]")).to_contain_text("3.4")  # times as likely
    ends = page.locator(".icicle-piece[data-way=best] > span")
    expect(ends).to_have_text(["lived", "in", "a", "big"])
    page.locator(".futures-fold > summary").click()
    expect(by_key(page, "futures_tree_run")).to_contain_text("Open more", timeout=4 * PATIENCE_MS)
    wait_idle(page)

    first = page.locator(".icicle-piece[data-kind=token]:not([hidden])").first
    width = first.evaluate("(piece) => parseFloat(piece.style.width)")
    slider = page.locator(".futures-slider input[name=temperature]")
    # an "input" event is a drag: the page alone answers
    slider.evaluate(SET, "0.3")
    page.wait_for_function(
        "([piece, width]) => parseFloat(piece.style.width) > 1.2 * width",
        arg=[first.element_handle(), width],
    )
    expect(flags).to_have_text(2 * ["had a big,"])  # near 0 that is the likeliest, too
    slider.evaluate(SET, "1")
    slider.evaluate("(slider) => slider.dispatchEvent(new Event('change'))")

    page.get_by_role("button", name=re.compile("Drop 1")).click()
    test = page.locator(".texts-test")
    told = r"1\s000 pointers, seeds %s, all texts: χ² = [\d.]+ with \d+"
    expect(test).to_contain_text(re.compile(told % r"0 to 999"))
    first_words = test.inner_text()
    page.get_by_role("button", name=re.compile("Drop 1")).click()  # others
    expect(test).to_contain_text(re.compile(told % r"1\s000 to 1\s999"))
    assert first_words.split("χ²")[1] != test.inner_text().split("χ²")[1]
    page.locator(".texts-name").first.click()
    link = page.get_by_role("link", name="Go on from this text")
    query = parse_qs(urlparse(link.get_attribute("href") or "").query)
    assert query["run"] == ["4"]
    assert len(query["forced"][0].split(",")) == 4
    search = page.get_by_role("link", name="What a beam search does with it")
    chosen = parse_qs(urlparse(search.get_attribute("href") or "").query)["selected"][0]
    assert chosen.split(",") == [one.partition(":")[2] for one in query["forced"][0].split(",")]
    assert_accessible_to_all(page)
