"""What a reader does at the home page, from the first press to the link that brings it back."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from benchmarks.harness import by_key, wait_idle
from benchmarks.home_page import PATIENCE, Reader
from tests.home.conftest import PROMPT

pytestmark = pytest.mark.browser

OPEN = "Write 20 tokens at once"


def test_the_journey_from_a_prompt_to_a_link_that_brings_it_all_back(newcomer: Reader) -> None:
    reader = newcomer.open()
    reader.write(PROMPT)
    n_prompt = reader.header["n_prompt"]
    assert reader.header["prompt"] == PROMPT

    # step, force another token than the one that the coin falls on, step on
    reader.press("Next")
    drawn = reader.ids[-1]
    other = reader.row(3)
    forced_id = int(other.get_attribute("data-id") or -1)
    reader.do(other.locator("button").click, "force")
    assert reader.ids[n_prompt:] == [drawn, forced_id]
    expect(reader.chips.last).to_have_class(r"token of-model is-forced")
    reader.press("Next")
    reader.press("Next")

    # look back at what the second token was chosen from
    reader.choose_at(n_prompt + 1, "Look at its distribution", "inspect")
    expect(reader.live.get_by_text(f"You look at position {n_prompt + 1}")).to_be_visible()
    chosen = reader.live.locator(".bars-row[data-chosen=true]")
    expect(chosen).to_have_attribute("data-id", str(forced_id))
    assert len(reader.ids) == n_prompt + 4, "to look changes nothing"

    # rewind to before the last token, and write another end
    reader.choose_at(n_prompt + 3, "Rewind to before it", "rewind")
    assert reader.ids[n_prompt : n_prompt + 2] == [drawn, forced_id]
    assert len(reader.ids) == n_prompt + 3
    reader.press(OPEN)

    # part from it before the forced token, then come back to the first text
    first = list(reader.ids)
    reader.choose_at(n_prompt + 1, "Branch here, keep this text", "branch")
    assert reader.ids == first[: n_prompt + 1]
    reader.do(lambda: reader.slider("temperature").press("ArrowLeft"), "settings")
    reader.press("Next")
    second = list(reader.ids)
    rows = reader.live.locator(".branch")
    expect(rows).to_have_count(2)
    other = rows.filter(has_text="go on with it")
    reader.do(lambda: other.press("Enter"), "switch")
    assert reader.ids == first
    expect(reader.live.locator(".branch[aria-current=true]:focus")).to_have_count(1)
    reader.do(rows.filter(has_text="go on with it").click, "switch")
    assert reader.ids == second
    reader.do(rows.filter(has_text="go on with it").click, "switch")

    # the link brings back text, coins, forced tokens and settings
    link = reader.rest()
    before = reader.header
    reader.open_link(f"/{link}")
    assert reader.header["notice"] is None
    assert reader.tokens()[0] == "start", "no markup is the first thing that is read"
    for name in ("ids", "n_prompt", "coin", "next_id", "controls", "logprob"):
        assert reader.header[name] == before[name], name
    assert reader.header["steps"]["forced"] == before["steps"]["forced"]


def test_a_dragged_slider_repaints_the_bars_and_tells_the_server_once(reader: Reader) -> None:
    n_sent = reader.wire.n_sent
    slider = reader.slider("temperature")
    box = slider.bounding_box()
    assert box is not None
    middle = box["y"] + box["height"] / 2
    pictures = [reader.bars()]
    reader.page.mouse.move(box["x"] + box["width"] * 0.4, middle)
    reader.page.mouse.down()
    for share in (0.3, 0.15, 0.5, 0.75, 0.95):
        reader.page.mouse.move(box["x"] + box["width"] * share, middle, steps=3)
        reader.page.wait_for_function("() => new Promise(requestAnimationFrame)")
        pictures.append(reader.bars())
    assert reader.wire.n_sent == n_sent, "nothing is sent while it is dragged"
    assert len({tuple(picture) for picture in pictures}) == len(pictures)

    value = float(slider.input_value())
    reader.do(reader.page.mouse.up, "settings")
    assert [e["kind"] for e in reader.wire.events if e["kind"] == "settings"] == ["settings"]
    assert reader.header["controls"]["temperature"] == value
    assert reader.bars() == pictures[-1], "Python changes nothing of what was seen"
    reader.do(lambda: slider.fill("0.8"), "settings")


def test_fifty_fast_presses_are_fifty_tokens(reader: Reader) -> None:
    before = list(reader.ids)
    reader.button("Next").evaluate("(b) => { for (let i = 0; i < 50; i += 1) b.click(); }")
    expect(reader.chips).to_have_count(len(before) + 50, timeout=4 * PATIENCE)
    reader.settle()
    clicked = list(reader.ids)
    reader.press("Reset")
    assert reader.ids == before
    for _ in range(50):
        reader.page.keyboard.press("ArrowRight")
    expect(reader.chips).to_have_count(len(before) + 50, timeout=4 * PATIENCE)
    reader.rest()
    assert reader.ids == clicked
    assert [e["kind"] for e in reader.wire.events].count("next") == 100


def test_back_then_next_replays_the_same_tokens_the_forced_one_too(reader: Reader) -> None:
    reader.press("Next")
    reader.do(reader.row(4).locator("button").click, "force")
    reader.press("Next")
    written, tokens = reader.header, reader.tokens()
    for _ in range(3):
        reader.press("Back")
    assert len(reader.ids) == reader.header["n_prompt"]
    for _ in range(3):
        reader.press("Next")
    assert reader.ids == written["ids"]
    assert reader.header["steps"]["forced"] == written["steps"]["forced"] == [False, True, False]
    assert reader.tokens() == tokens
    assert reader.header["logprob"] == pytest.approx(written["logprob"])

    # under another setting the coin decides anew
    for _ in range(2):
        reader.press("Back")
    reader.live.get_by_label("all strategies").check()
    reader.do(lambda: reader.use("greedy").click(), "settings")
    reader.press("Next")
    assert not any(reader.header["steps"]["forced"])
    reader.do(lambda: reader.use("greedy").click(), "settings")


def test_predict_first_hides_the_bars_until_the_reader_has_guessed(reader: Reader) -> None:
    bars, question = reader.live.locator(".bars"), reader.live.get_by_label("What comes next?")
    by_key(reader.page, "hide_bars").get_by_text("Predict first").click()
    expect(bars).to_be_hidden(timeout=PATIENCE)
    question.fill(",")
    reader.do(lambda: question.press("Enter"), "guess")
    expect(bars).to_be_visible()
    guess = reader.header["guess"]
    assert guess["text"] == ","
    expect(reader.live.get_by_role("status").filter(has_text="Your guess")).to_contain_text(
        f"number {guess['rank'] + 1} of"
    )
    reader.key("ArrowRight", "next")  # the focus is where the answer stands
    expect(bars).to_be_hidden()
    expect(question).to_have_value("")
    expect(question).to_be_focused()
    reader.live.get_by_role("button", name="Just reveal").click()
    expect(bars).to_be_visible()
    by_key(reader.page, "hide_bars").get_by_text("Predict first").click()


def test_presenter_mode_is_large_and_loses_nothing(reader: Reader) -> None:
    reader.press("Next")
    ids = reader.ids
    size = "(node) => parseFloat(getComputedStyle(node).fontSize)"
    small = reader.chips.last.evaluate(size)
    by_key(reader.page, "presenter").get_by_text("Presenter").click()
    expect(reader.live.locator(".ott")).to_have_attribute("data-presenter", "true")
    assert reader.chips.last.evaluate(size) > 1.2 * small
    expect(reader.page.get_by_test_id("stHeader")).to_be_hidden()
    title = reader.page.get_by_role("heading", level=1).bounding_box()
    menu = reader.page.get_by_role("button", name="storyteller").bounding_box()
    assert title is not None
    assert menu is not None
    assert menu["y"] < title["y"] + title["height"], "a second row would push out the bars"
    assert reader.ids == ids
    reader.button("Next").click()  # its step is held until the next press
    reader.until(lambda: len(reader.ids) == len(ids) + 1, "no answer")
    by_key(reader.page, "presenter").get_by_text("Presenter").click()
    expect(reader.live.locator(".ott[data-presenter=true]")).to_have_count(0)


def test_the_files_hold_what_is_on_the_screen(
    reader: Reader, browser: Browser, tmp_path: Path
) -> None:
    reader.press("Next")
    reader.do(reader.row(2).locator("button").click, "force")
    reader.press("Next")
    n_prompt, written = reader.header["n_prompt"], reader.ids[reader.header["n_prompt"] :]
    files = {}
    for kind in ("csv", "json", "html"):
        with reader.page.expect_download() as download:
            by_key(reader.page, f"save_{kind}").get_by_role("button").click()
        files[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[kind])

    rows = list(csv.DictReader(io.StringIO(files["csv"].read_text("utf-8-sig"))))
    assert [int(row["id"]) for row in rows] == written
    assert [row["forced"] for row in rows] == ["False", "True", "False"]
    labels = [row["label"].removeprefix("'") for row in rows]
    assert labels == reader.tokens()[n_prompt:]

    run = json.loads(files["json"].read_text("utf-8"))
    assert run["prompt"]["text"] == PROMPT
    assert [*run["prompt"]["ids"], *(step["id"] for step in run["steps"])] == reader.ids
    assert run["logprob"] == pytest.approx(reader.header["logprob"])

    # the file is opened beside another text
    ids, controls = reader.ids, reader.header["controls"]
    reader.write("The dragon")
    reader.page.get_by_role("button", name="Open a saved run").click()
    reader.page.locator("[data-testid=stFileUploader] input").set_input_files(files["json"])
    reader.until(lambda: reader.ids == ids, "it was not opened")
    reader.settle()
    assert reader.header["notice"] is None
    assert reader.header["steps"]["forced"] == [False, True, False]
    assert reader.header["controls"] == controls

    replay = browser.new_page()
    replay.goto(files["html"].as_uri())
    replay.get_by_label("Tokens written").fill("3")
    expect(replay.locator(".token")).to_have_text(reader.tokens())
    replay.close()


def test_the_loop_goes_dark_when_play_rests(reader: Reader) -> None:
    wanted = reader.chips.count() + 3
    reader.button("Play").click()
    # pause between two beats: an answer is painted, the next press has not come
    reader.live.locator(".ott").evaluate(
        """(root, wanted) => new Promise((resolve) => {
          const look = () => {
            const count = root.querySelectorAll('.token').length;
            if (count < wanted || root.querySelector('.token.is-pending')) {
              requestAnimationFrame(look);
              return;
            }
            const buttons = [...root.querySelectorAll('button')];
            buttons.find((button) => button.textContent.startsWith('Pause')).click();
            resolve();
          };
          look();
        })""",
        wanted,
    )
    reader.rest()
    expect(reader.live.locator(".ott")).to_have_attribute("data-stage", "idle")


def test_numbers_fit_and_nothing_that_is_kept_reads_zero(reader: Reader) -> None:
    reader.write("The cat sat on the")
    reader.do(lambda: reader.slider("temperature").fill("0.05"), "settings")
    for _ in range(2):
        reader.press("Next")
    kept = reader.live.locator("td[data-state=kept] .bar-number")
    assert [text for text in kept.all_text_contents() if text.startswith("0\u202f")] == []
    cut = """all => all.filter((node) => {
      const text = document.createRange();
      text.selectNodeContents(node);
      const cell = node.closest('.bar-cell').getBoundingClientRect();
      return text.getBoundingClientRect().right > cell.right;
    }).map((node) => node.textContent)"""
    assert reader.live.locator(".bar-number").evaluate_all(cut) == []
    reader.do(lambda: reader.slider("temperature").fill("0.8"), "settings")


def test_a_token_of_the_prompt_can_be_looked_at_too(reader: Reader) -> None:
    reader.press("Next")
    reader.choose_at(3, "Look at its distribution", "inspect")
    expect(reader.live.get_by_text("You look at position 3")).to_be_visible()
    chosen = reader.live.locator(".bars-row[data-chosen=true]")
    expect(chosen).to_have_attribute("data-id", str(reader.ids[3]))
    expect(reader.live.get_by_text("no coin was tossed")).to_be_visible()
    reader.page.keyboard.press("Escape")
    expect(reader.live.get_by_text("You look at position 3")).to_be_hidden()


def test_two_tabs_do_not_disturb_each_other(reader: Reader, url: str) -> None:
    reader.press(OPEN)
    alone = reader.ids
    reader.press("Reset")
    other = Reader(reader.page.context.new_page(), url).open(prompt="The dragon", seed="8")
    start, other_start = len(reader.ids), len(other.ids)
    for _ in range(8):
        reader.page.keyboard.press("ArrowRight")
        other.page.keyboard.press("ArrowRight")
    expect(reader.chips).to_have_count(start + 8, timeout=PATIENCE)
    expect(other.chips).to_have_count(other_start + 8, timeout=PATIENCE)
    reader.settle()
    other.settle()
    assert reader.ids == alone[: start + 8]
    assert other.header["prompt"] == "The dragon"
    assert other.ids != reader.ids
    other.page.close()


def test_every_slider_and_every_box_moves_something(reader: Reader) -> None:
    reader.write("She looked at the")
    reader.live.get_by_text("More masks and penalties").click()
    reader.live.get_by_label("all strategies").check()
    reader.press(OPEN)
    shown = reader.live.locator(".bars")
    moved = set()
    for order in ("llama.cpp", "transformers"):
        choice = reader.live.get_by_label("Order as in")
        reader.do(lambda choice=choice, order=order: choice.select_option(order), "settings")
        enabled = reader.live.locator("input.slider:enabled")
        for name in enabled.evaluate_all("all => all.map(slider => slider.name)"):
            if name in moved:
                continue
            slider = reader.slider(name)
            before = shown.inner_text()
            is_at_start = slider.evaluate("x => x.value === x.min")
            key = "ArrowRight" if is_at_start or name == "min_p" else "ArrowLeft"
            reader.do(lambda slider=slider, key=key: slider.press(key), "settings")
            assert shown.inner_text() != before, name
            moved.add(name)
    assert len(moved) == reader.live.locator("input.slider").count()
    for name in ("top_k", "min_p", "temperature", "top_p", "greedy"):
        before = shown.inner_text()
        reader.do(reader.use(name).click, "settings")
        assert shown.inner_text() != before, name


def test_every_experiment_is_set_up_by_one_press_and_outlives_a_reload(newcomer: Reader) -> None:
    reader = newcomer.open()
    experiments = by_key(reader.page, "experiments")
    experiments.get_by_text("Try these claims").click()
    buttons = experiments.get_by_role("button", name="Set up")
    expect(buttons.nth(10)).to_be_attached()
    for button in buttons.all():
        n_before, link = len(reader.wire.headers), reader.header["link"]
        button.click()
        reader.until(lambda n=n_before: len(reader.wire.headers) > n, "nothing was set up")
        wait_idle(reader.page)
        reader.settle()
        if reader.header["link"] != link:  # the page says so once it has come to rest
            link = reader.header["link"]
            reader.page.wait_for_function(
                "(link) => location.search === link", arg=link, timeout=PATIENCE
            )
            wait_idle(reader.page)
        assert reader.header["notice"] is None
    by_key(reader.page, "try_C02").get_by_role("button").click()
    reader.until(lambda: reader.header["prompt"] == PROMPT, "nothing was set up")
    # what was set up is in view
    reader.page.wait_for_function("document.querySelector('.stMain').scrollTop === 0")
    link, ids = reader.header["link"], reader.ids
    reader.page.wait_for_function("(link) => location.search === link", arg=link, timeout=PATIENCE)
    reader.page.reload()
    wait_idle(reader.page)
    expect(reader.chips).to_have_count(len(ids), timeout=PATIENCE)
    assert reader.ids == ids
