"""The page as one file in a real Chromium: opened from the disk, with no network and no server."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import numpy as np
import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import encode
from pages.frame.offers import DEFAULT_PROMPT
from tests.driving.harness import Witness
from tests.driving.in_page import InPage
from tests.frame.accessibility import violations
from tests.home.page_session import PageSession
from tests.nightly import nightly

pytestmark = pytest.mark.browser

LARGEST = 20_000_000  # bytes of the file
N_PROMPT = 6  # <|endoftext|> The bird sat on the
FITS = """() => {
  const frame = document.querySelector("iframe");
  const root = frame.contentDocument?.documentElement;
  return frame.height !== "520" && (root === undefined || root.scrollHeight <= root.clientHeight);
}"""
STATE = "() => [oneToken.ids, oneToken.text]"
# presses Next so often and loads the page again before an answer; returns the ids before
RELOAD_AT_ONCE = """(n) => {
  const { ids } = oneToken;
  for (let i = 0; i < n; i++)
    document.dispatchEvent(new KeyboardEvent("keydown", { key: "ArrowRight", bubbles: true }));
  location.reload();
  return ids;
}"""

Open = Callable[..., Page]


def stands_at(page: Page, n: int) -> list[int]:
    expect(page.locator(".token")).to_have_count(n)
    page.wait_for_function("(n) => oneToken.ids.length === n", arg=n)
    ids: list[int] = page.evaluate("() => oneToken.ids")
    return ids


def press(page: Page, name: str) -> None:
    page.get_by_role("button", name=name).first.click()


def choose_at(page: Page, position: int, words: str) -> None:
    page.locator(".token").nth(position).click()
    press(page, words)


def test_the_file_is_one_and_lets_no_other_script_run(file: Path) -> None:
    text = file.read_text("utf-8")
    assert file.stat().st_size < LARGEST
    assert "default-src 'none'" in text
    assert "unsafe" not in text.partition("<style>")[0]
    assert "://" not in text.partition('id="facts"')[0].replace("http://www.w3.org/", "")


def test_a_file_that_came_damaged_says_so(file: Path, tmp_path: Path, browser: Browser) -> None:
    text = file.read_text("utf-8")
    at = text.index('id="weights">') + 100_000
    damaged = tmp_path / "damaged.html"
    damaged.write_text(text[:at] + "AAAA" * 1000 + text[at + 4000 :], "utf-8")
    page = browser.new_page()
    page.goto(damaged.as_uri())
    expect(page.locator("#opening")).to_contain_text("The model in this page stopped")
    page.close()


def test_the_whole_journey_without_a_network(open_file: Open, storyteller: LanguageModel) -> None:
    page = open_file()
    ours = Generation(storyteller, DEFAULT_PROMPT, seed=0)
    usual = Settings(temperature=0.8, top_p=0.9)
    for _ in range(4):
        ours.step(usual)

    # forth and back, and forth again: the same tokens, which are the app's
    for n in range(1, 4):
        page.keyboard.press("ArrowRight")
        stands_at(page, N_PROMPT + n)
    press(page, "Back")
    stands_at(page, N_PROMPT + 2)
    press(page, "Next")
    press(page, "Next")
    assert stands_at(page, N_PROMPT + 4) == ours.ids
    expect(page.locator(".steps-table tbody tr")).to_have_count(4)

    # a slider moves the bars of the step that shows; a bar that is clicked replaces its token
    page.get_by_role("slider", name="Top-p").fill("0.3")
    page.locator(".bars-row").nth(3).locator("button").first.click()
    page.wait_for_function("(id) => oneToken.ids.at(-1) !== id", arg=ours.ids[-1])
    stands_at(page, N_PROMPT + 4)
    press(page, "Next")
    ids = stands_at(page, N_PROMPT + 5)
    page.evaluate("() => [scrollTo(0, 0)]")

    # branch, and back to the first text
    choose_at(page, N_PROMPT + 2, "Branch here, keep this text")
    assert stands_at(page, N_PROMPT + 2) == ids[: N_PROMPT + 2]
    page.locator(".branch").first.click()
    assert stands_at(page, N_PROMPT + 5) == ids

    # look back, at the prompt too
    for position in (N_PROMPT + 1, 2):
        choose_at(page, position, "Look at its bars")
        expect(page.locator(".where")).to_be_visible()
        page.keyboard.press("Escape")

    # another text, with what no tokenizer splits at ease; the code that ran
    page.locator(".prompt-box").fill("🎈 שלום")
    page.locator(".prompt-box").press("Enter")
    expect(page.locator(".token").first).to_be_visible()
    page.wait_for_function("() => oneToken.text === '🎈 שלום'")
    press(page, "show the code that ran")
    expect(page.locator(".code-lines")).to_contain_text("forward(ids, cache)")
    press(page, "Write 20 tokens at once")
    page.wait_for_function("() => oneToken.ids.length > 25")
    assert violations(page) == []


@pytest.mark.parametrize("mark", [nightly("?"), "#"])
def test_an_address_opens_a_text_and_names_what_it_cannot(open_file: Open, mark: str) -> None:
    query = {"prompt": "Once upon a time", "seed": "7", "run": "3~seed:7", "top_p": "2"}
    page = open_file(mark + urlencode(query))
    ids, text = page.evaluate(STATE)
    assert text.startswith("Once upon a time")
    assert len(ids) == 5 + 3
    expect(page.get_by_role("alert")).to_contain_text("Top-p")
    expect(page.locator("#seed")).to_have_value("7")


def test_a_reload_and_a_copied_link_bring_back_the_text(open_file: Open) -> None:
    page = open_file("?prompt=Once&seed=3")
    for n in (1, 2, 3):
        press(page, "Next")
        stands_at(page, 2 + n)
    choose_at(page, 3, "Branch here, keep this text")
    stands_at(page, 3)
    page.wait_for_function("() => location.search.includes('run=1')")
    press(page, "copy link")
    link = page.evaluate("() => navigator.clipboard.readText()")
    page.wait_for_function("(link) => location.href === link", arg=link)  # which is told it later
    page.reload()
    page.wait_for_function("() => globalThis.oneToken")
    page.evaluate("() => oneToken.ready")
    stands_at(page, 3)
    expect(page.locator(".branch")).to_have_count(2)  # the tab kept the other text


OPEN_ALL = "(nodes) => nodes.forEach((node) => node.open = true)"
LONG = "The old man looked at the sea and told a story. " * 8
READING = """() => {
  const words = new Set();
  const note = () => {
    const opening = document.querySelector("#opening");
    const bar = opening?.querySelector("progress");
    if (bar && !bar.hidden) words.add(`${opening.textContent.match(/\\d+/)?.[0]} ${bar.value}`);
  };
  new MutationObserver(note).observe(document, {
    subtree: true, childList: true, characterData: true, attributes: true,
  });
  globalThis.heard = words;
}"""


def test_a_long_text_says_how_far_it_is_read_and_a_reload_shows_it_at_once(
    open_file: Open, offline: BrowserContext, storyteller: LanguageModel
) -> None:
    offline.add_init_script(f"({READING})()")
    page = open_file(f"#{urlencode({'prompt': LONG, 'present': '1', 'predict': '1'})}")
    n = len(encode(storyteller, LONG))
    heard = page.evaluate("() => [...heard].map((one) => one.split(' ').map(Number))")
    assert {n_tokens for n_tokens, _ in heard} == {n}
    assert [share for _, share in heard] == sorted({share for _, share in heard})
    page.get_by_role("button", name="More", exact=True).click()  # a projector begins with few
    for switch in ("Large type", "Guess first"):
        expect(page.get_by_label(switch)).to_be_checked()
        page.get_by_label(switch).uncheck()
    press(page, "Next")
    stands_at(page, n + 1)
    page.wait_for_function("() => location.search.includes('run=1')")
    choose_at(page, n, "Branch here, keep this text")
    stands_at(page, n)

    # a token that is on the screen, and a press that nobody has answered; both are there again
    page.evaluate("() => document.activeElement?.blur()")
    ids = page.evaluate(RELOAD_AT_ONCE, arg=2)
    page.wait_for_load_state()
    expect(page.locator("#opening")).to_have_count(0)
    shown = page.evaluate("() => oneToken.ids")  # as they were kept; then the press is answered
    assert shown[: len(ids)] == ids
    expect(page.locator(".bars-row").first).to_be_visible()
    expect(page.locator(".branch")).to_have_count(2)
    page.keyboard.press("ArrowRight")  # and this one waits for its turn
    ours = Generation(storyteller, LONG, seed=page.evaluate("() => oneToken.header.seed"))
    for _ in range(3):
        ours.step(Settings(temperature=0.8, top_p=0.9))
    assert stands_at(page, n + 3) == ours.ids


def test_another_address_behind_the_hash_of_an_open_file_is_followed(open_file: Open) -> None:
    page = open_file("#prompt=Once&seed=3")
    expect(page.get_by_label("What comes next?")).to_be_hidden()
    expect(page.locator(".bars-row").first).to_be_visible()
    assert page.evaluate("() => oneToken.header.prompt") == "Once"
    page.evaluate("() => { location.hash = 'prompt=A+bird&seed=5&present=1&model=gpt2'; }")
    page.wait_for_function("() => oneToken.header.prompt === 'A bird'")
    expect(page.locator("#seed")).to_have_value("5")
    expect(page.get_by_label("Large type")).to_be_checked()
    expect(page.get_by_role("alert")).to_contain_text("gpt2")
    page.wait_for_function("() => location.search.includes('seed=5') && location.hash === ''")
    assert "present=1" in page.url


def test_a_run_that_the_app_saves_live_opens_there_and_goes_on(
    open_file: Open, in_page: InPage, storyteller: LanguageModel, tmp_path: Path
) -> None:
    session = PageSession(in_page, storyteller, "Once upon a time", seed="4")
    session.do("finish", count=3).do("force", token_id=262)
    live = tmp_path / "live.html"
    live.write_text(session.file("live.html"), "utf-8")
    page = open_file(path=live)
    assert stands_at(page, 5 + 4) == session.ids
    press(page, "Next")
    assert stands_at(page, 5 + 5) == session.do("next").ids


def test_predicting_first_seeding_and_presenting(open_file: Open) -> None:
    page = open_file()
    page.get_by_label("Guess first").check()
    expect(page.locator(".bars")).to_be_hidden()
    page.get_by_label("What comes next?").fill("dog")
    press(page, "Guess")
    expect(page.locator(".verdict")).to_contain_text("dog")
    page.get_by_label("Seed").fill("12")
    page.get_by_label("Seed").press("Enter")
    page.wait_for_function("() => oneToken.header.seed === 12")
    expect(page.locator("#seed")).to_have_value("12")
    page.get_by_label("Large type").check()
    expect(page.locator(".ott[data-presenter]")).to_be_visible()


def test_a_seed_that_cannot_be_read_stays_as_it_was_typed(open_file: Open) -> None:
    page = open_file("?seed=12&lang=de")
    field = page.locator("#seed")
    n_tokens = page.locator(".token").count()
    for n, typed in enumerate(("0,5", "-1", "2.147.483.648"), start=1):
        field.fill(typed)
        field.press("Enter")
        assert f"„{typed}“" in field.evaluate("(one) => one.validationMessage")
        press(page, "Weiter")  # with the seed that the page has
        stands_at(page, n_tokens + n)
        expect(field).to_have_value(typed)
    field.fill("1.234")
    field.press("Enter")
    expect(field).to_have_value("1234")
    assert field.evaluate("(one) => one.validity.valid")
    page.wait_for_function("() => location.search.includes('seed=1234')")


def test_a_saved_run_is_opened_here_and_in_the_app(
    open_file: Open, in_page: InPage, storyteller: LanguageModel, tmp_path: Path
) -> None:
    page = open_file("?prompt=Once&seed=3&run=4~seed:3&forced=1:262")
    ids = stands_at(page, 6)
    saved = {}
    for kind in ("CSV", "JSON"):
        with page.expect_download() as download:
            page.locator(f".files button[data-kind={kind.lower()}]").click()
        saved[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(saved[kind])
    assert len(saved["CSV"].read_text("utf-8").splitlines()) == 5
    run = json.loads(saved["JSON"].read_text("utf-8"))
    assert [step["id"] for step in run["steps"]] == ids[2:]
    in_app = PageSession(in_page, storyteller, "A bird")
    in_app.do("open run", text=saved["JSON"].read_text("utf-8"))
    assert (in_app.notice, in_app.header["prompt"], in_app.ids) == ("", "Once", ids)
    assert (in_app.ids[3], in_app.steps["forced"]) == (262, [False, True, False, False])

    press(page, "Reset")
    stands_at(page, 2)
    page.locator(".files input[type=file]").set_input_files(saved["JSON"])
    assert stands_at(page, 6) == ids
    page.locator(".files input[type=file]").set_input_files(saved["CSV"])
    expect(page.get_by_role("alert")).to_contain_text("cannot be opened")
    assert stands_at(page, 6) == ids


def test_a_program_writes_what_the_same_steps_write_in_python(
    open_file: Open, storyteller: LanguageModel
) -> None:
    page = open_file("?prompt=Once&seed=5")
    ours = Generation(storyteller, "Once", seed=5)
    chosen: list[dict[str, Any]] = [
        {"temperature": 0.8, "top_p": 0.9},
        {"temperature": 1.5, "top_k": 30, "repetition_penalty": 1.2},
        {},
        {"temperature": 0},
    ]
    for settings in chosen:
        # held by name: V8 has collected a promise that the debugger alone waited for
        told = page.evaluate("(settings) => globalThis.told = oneToken.step(settings)", settings)
        step = ours.step(Settings(**settings))
        assert (told["position"], told["token_id"]) == (step.position, step.token_id)
        assert told["pointer"] == step.pointer
    page.evaluate("() => oneToken.step({}, 262)")
    ours.step(token_id=262)
    ids, text = page.evaluate(STATE)
    assert (ids, text) == (ours.ids, ours.text)
    logits = np.array(page.evaluate("() => [...oneToken.logits]"), dtype=np.float32)
    assert np.abs(logits - ours.logits).max() < 1e-4
    for wrong in ("{temprature: 1}", "{top_p: 2}", "{}, 4096"):
        refused = page.evaluate(f"() => oneToken.step({wrong}).catch((error) => error.message)")
        assert isinstance(refused, str)
    assert page.evaluate("() => oneToken.ids") == ours.ids


def test_in_a_frame_one_figure_is_left_whose_height_the_frame_follows(
    open_file: Open, file: Path, tmp_path: Path, offline: BrowserContext, witness: Witness
) -> None:
    whole = open_file()
    press(whole, "copy as HTML")
    expect(whole.get_by_role("button", name="copied")).to_be_visible()
    code = whole.evaluate("() => navigator.clipboard.readText()")
    around = tmp_path / "around.html"
    around.write_text(f"<!doctype html><title>A course</title>{code}", "utf-8")
    page = offline.new_page()
    witness.watch(page)
    page.goto(around.as_uri())
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("button", name="Next")).to_be_visible()
    for hidden in ("header", "#seed", "#foot", ".loop", ".below", ".prompt-place"):
        expect(frame.locator(hidden)).to_be_hidden()
    frame.get_by_role("button", name="Next").click()
    expect(frame.locator(".token")).to_have_count(N_PROMPT + 1)
    link = frame.get_by_role("link", name="open the whole page").get_attribute("href")
    assert link is not None
    assert link.startswith(file.as_uri())
    assert "embed" not in link
    page.wait_for_function(FITS)
    page.close()
    assert quote(file.name) in code


def test_it_fits_a_telephone_in_both_themes(open_file: Open) -> None:
    page = open_file(f"?prompt={quote('Der Vogel saß auf der Straße und sang')}")
    page.locator(".own-language, .section:has(.pieces)").evaluate_all(OPEN_ALL)
    for theme in ("light", "dark"):
        page.emulate_media(color_scheme=theme)
        for width in (390, 320):
            page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_function("() => document.documentElement.scrollWidth <= innerWidth")
        # whole: Next, under the thumb, covers what is scrolled past it
        page.set_viewport_size({"width": 320, "height": 4000})
        assert violations(page) == []
