"""What a reader does at the home page, from the first press to the link that brings it back."""

import csv
import io
import json
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from tests.driving.harness import by_key, wait_idle
from tests.driving.home_page import PATIENCE_MS, Reader
from tests.home.conftest import HELD_WIRE, PROMPT
from tests.home.test_protocol import EVENTS, OF_AROUND, OF_EVERY_EVENT

pytestmark = pytest.mark.browser

MANY = "Write 20 tokens at once"
N_ROWS = 6  # tokens with a bar of their own
N_FAST = 24  # test_beats.py presses fifty times
OVERHANGING = """all => all.filter((node) => {
  const text = document.createRange();
  text.selectNodeContents(node);
  const cell = node.closest('.bar-cell').getBoundingClientRect();
  return text.getBoundingClientRect().right > cell.right;
}).map((node) => node.textContent)"""


def test_what_is_done_before_the_first_answer_harms_nothing(newcomer: Reader) -> None:
    page = newcomer.page
    page.add_init_script(f"{HELD_WIRE}globalThis.holdsWire = true;")
    page.goto(newcomer.url)
    expect(newcomer.live.locator("*").first).to_be_attached(timeout=PATIENCE_MS)
    page.wait_for_function("() => countHeld() > 0")  # the component is there, and asks
    for key in ("ArrowLeft", "ArrowRight", "Control+z", "Escape", "Space"):
        page.keyboard.press(key)
    wait_idle(page)
    by_key(page, "presenter").locator("label").click()  # Streamlit draws the page anew meanwhile
    expect(page.locator(".stApp[data-test-script-state=notRunning]")).to_be_attached()
    page.evaluate("() => globalThis.releaseWire()")
    newcomer.settle()
    n_prompt = newcomer.chips.count()
    newcomer.press("Next")
    expect(newcomer.chips).to_have_count(n_prompt + 1)
    by_key(page, "presenter").locator("label").click()
    wait_idle(page)


def test_the_journey_from_a_prompt_to_a_link_that_brings_it_all_back(newcomer: Reader) -> None:
    reader = newcomer.open()
    box = reader.live.get_by_role("textbox", name="Prompt")
    reader.do(lambda: box.fill(PROMPT), "tokenise")
    reader.do(lambda: box.press("Enter"), "prompt")
    n_prompt = reader.header["n_prompt"]
    assert reader.header["prompt"] == PROMPT

    # step, force another token than the one that the pointer falls on, step on
    reader.press("Next")
    drawn = reader.ids[-1]
    other = reader.row(3)
    forced_id = int(other.get_attribute("data-id") or -1)
    reader.do(other.locator("button").click, "force")
    assert reader.ids[n_prompt:] == [drawn, forced_id]
    expect(reader.chips.last).to_have_class(r"token of-model is-forced")
    reader.press("Next")
    reader.press("Next")

    # look back at what the second token was chosen from, and at a token of the prompt
    chosen = reader.live.locator(".bars-row[data-chosen=true]")
    for position, token_id in ((n_prompt + 1, forced_id), (3, reader.ids[3])):
        reader.choose_at(position, "Look at its bars", "inspect")
        expect(reader.live.get_by_text(f"You look at position {position}")).to_be_visible()
        expect(chosen).to_have_attribute("data-id", str(token_id))
    expect(reader.live.get_by_text("nothing was drawn for it")).to_be_visible()
    assert len(reader.ids) == n_prompt + 4, "to look changes nothing"

    # what was taken back comes again, the forced token too; then rewind, and write another end
    written, tokens = reader.ids, reader.tokens()
    for _ in range(3):
        reader.press("Back")
    for _ in range(3):
        reader.press("Next")
    assert (reader.ids, reader.tokens()) == (written, tokens)
    reader.press("Reset")
    reader.key("Control+z", "again")
    assert (reader.ids, reader.tokens()) == (written, tokens)
    reader.choose_at(n_prompt + 3, "Rewind to before it", "rewind")
    assert reader.ids == written[:-1]
    reader.press(MANY)

    # a string that ends the text, and a word by name
    for fold in ("Stop strings", "The probability of any word"):
        reader.live.locator("summary", has_text=fold).click()
    stop = reader.live.get_by_role("textbox", name="Stop strings")
    reader.do(lambda: stop.fill("no such string") or stop.blur(), "stop")
    reader.do(lambda: stop.fill("") or stop.blur(), "stop")
    word = reader.live.get_by_role("textbox", name="Ask for a word")
    reader.do(lambda: word.fill("unhappiness") or word.press("Enter"), "word")

    part_from_it_and_come_back(reader, n_prompt + 1)
    events = reader.events
    assert_that_the_link_brings_it_back(reader)

    # each event had just the fields of the protocol
    fields = {event["kind"]: set(event) for event in events}
    expected = {kind: EVENTS[kind] | OF_EVERY_EVENT for kind in EVENTS}
    assert fields == {
        kind: expected[kind] for kind in EVENTS.keys() - OF_AROUND - {"guess", "state"}
    }


def part_from_it_and_come_back(reader: Reader, position: int) -> None:
    first = reader.ids
    reader.choose_at(position, "Branch here, keep this text", "branch")
    assert reader.ids == first[:position]
    reader.do(lambda: reader.slider("temperature").press("ArrowLeft"), "settings")
    reader.press("Next")
    second = reader.ids
    rows = reader.live.locator(".branch")
    expect(rows).to_have_count(2)
    other = rows.filter(has_text="go on with it")
    reader.do(lambda: other.press("Enter"), "switch")
    assert reader.ids == first
    expect(reader.live.locator(".branch[aria-current=true]:focus")).to_have_count(1)
    reader.do(other.click, "switch")
    assert reader.ids == second
    reader.press("Reset")
    reader.do(other.click, "switch")


def assert_that_the_link_brings_it_back(reader: Reader) -> None:
    """Text, pointers, forced tokens and settings; the tab brings the other text."""
    link, before = reader.rest(), reader.header
    reader.open_link(f"/{link}")
    reader.until(lambda: len(reader.header["branches"]) == 1, "the tab brings the other text")
    reader.settle()
    assert reader.header["notice"] is None
    assert reader.tokens()[0] == "start", "no markup is the first thing that is read"
    for name in ("ids", "n_prompt", "pointer", "next_id", "controls"):
        assert reader.header[name] == before[name], name
    # other passes wrote it again: they round otherwise
    assert reader.header["logprob"] == pytest.approx(before["logprob"], abs=1e-4)
    assert reader.header["steps"]["forced"] == before["steps"]["forced"]


def test_a_dragged_slider_repaints_the_bars_and_tells_the_server_once(reader: Reader) -> None:
    n_sent = len(reader.wire.asked)
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
    assert len(reader.wire.asked) == n_sent, "nothing is sent while it is dragged"
    assert len({tuple(picture) for picture in pictures}) == len(pictures)

    value = float(slider.input_value())
    reader.do(reader.page.mouse.up, "settings")
    assert [e["kind"] for e in reader.events if e["kind"] == "settings"] == ["settings"]
    assert reader.header["controls"]["temperature"] == value
    assert reader.bars() == pictures[-1], "Python changes nothing of what was seen"
    reader.do(lambda: slider.fill("0.8"), "settings")


def test_each_of_many_fast_presses_is_a_token(reader: Reader) -> None:
    n_before = len(reader.ids)
    reader.button("Next").evaluate(
        "(button, n) => { while (n-- > 0) button.click(); }", N_FAST // 2
    )
    for _ in range(N_FAST // 2):
        reader.page.keyboard.press("ArrowRight")
    expect(reader.chips).to_have_count(n_before + N_FAST, timeout=4 * PATIENCE_MS)
    reader.settle()
    assert [event["kind"] for event in reader.events].count("next") == N_FAST
    fast = reader.ids
    reader.press("Reset")
    reader.press(MANY)
    assert reader.ids == fast[: n_before + 20]


def test_predict_first_hides_the_bars_until_the_reader_has_guessed(reader: Reader) -> None:
    bars, question = reader.live.locator(".bars"), reader.live.get_by_label("What comes next?")
    by_key(reader.page, "hide_bars").get_by_text("Guess first").click()
    expect(bars).to_be_hidden(timeout=PATIENCE_MS)
    question.fill(",")
    reader.do(lambda: question.press("Enter"), "guess")
    assert set(reader.events[-1]) == EVENTS["guess"] | OF_EVERY_EVENT
    expect(bars).to_be_visible()
    guess = reader.header["guess"]
    assert guess["text"] == ","
    said = reader.live.locator(".spoken").filter(has_text="Your guess")
    expect(said).to_contain_text(f"number {guess['rank'] + 1} of")
    assert guess["rank"] < N_ROWS
    assert "%" not in said.inner_text(), "its row shows its share"
    reader.key("ArrowRight", "next")  # the focus is where the answer stands
    expect(bars).to_be_hidden()
    question.fill("banana")
    reader.do(lambda: question.press("Enter"), "guess")
    assert reader.header["guess"]["rank"] >= N_ROWS
    mine = reader.live.locator(".bars-row[data-mine] td[data-col=active] .bar-number")
    expect(mine).to_have_count(1)  # its first token has a row, however far down it stands
    expect(reader.live.locator(".bars-top")).to_be_hidden()  # in German it has two lines
    reader.key("ArrowRight", "next")
    expect(bars).to_be_hidden()
    expect(question).to_have_value("")
    expect(question).to_be_focused()
    reader.live.get_by_role("button", name="Just reveal").click()
    expect(bars).to_be_visible()
    by_key(reader.page, "hide_bars").get_by_text("Guess first").click()


def test_files_hold_the_run_and_one_of_them_is_opened_again(
    newcomer: Reader, browser: Browser, tmp_path: Path
) -> None:
    reader = newcomer.open(prompt=PROMPT)  # who uploads needs a cookie, which other tests clear
    reader.press("Next")
    reader.do(reader.row(2).locator("button").click, "force")
    n_prompt, ids = reader.header["n_prompt"], reader.ids
    files = {}
    for kind in ("csv", "json", "html"):
        with reader.page.expect_download() as download:
            reader.live.locator(f".files button[data-kind={kind}]").click()
        files[kind] = tmp_path / download.value.suggested_filename
        download.value.save_as(files[kind])

    rows = list(csv.DictReader(io.StringIO(files["csv"].read_text("utf-8-sig"))))
    assert [(int(row["id"]), row["forced"]) for row in rows] == [
        (ids[n_prompt], "False"),
        (ids[n_prompt + 1], "True"),
    ]
    run = json.loads(files["json"].read_text("utf-8"))
    assert run["prompt"]["text"] == PROMPT
    replay = browser.new_page()
    replay.goto(files["html"].as_uri())
    replay.get_by_label("Tokens written").fill("2")
    expect(replay.locator(".token")).to_have_text(reader.tokens())
    replay.close()

    # the file is opened beside another text
    controls = reader.header["controls"]
    reader.write("The dragon")
    reader.live.locator(".files input[type=file]").set_input_files(files["json"])
    reader.until(lambda: reader.ids == ids, "it was not opened")
    reader.settle()
    assert reader.header["notice"] is None
    assert reader.header["steps"]["forced"] == [False, True]
    assert reader.header["controls"] == controls


def test_numbers_fit_and_add_up_and_nothing_that_is_kept_reads_zero(reader: Reader) -> None:
    reader.write("The cat sat on the")
    temperature = reader.slider("temperature")
    reader.do(lambda: temperature.fill("0.05"), "settings")
    for _ in range(2):
        reader.press("Next")
    kept = reader.live.locator("td[data-state=kept] .bar-number")
    assert [text for text in kept.all_text_contents() if text.startswith("0\u202f")] == []
    assert reader.live.locator(".bar-number").evaluate_all(OVERHANGING) == []
    reader.do(lambda: temperature.fill("0.8"), "settings")
    reader.do(reader.use("top_k").click, "settings")
    for name in ("raw", "temperature", "top_k", "top_p", "active"):
        numbers = reader.live.locator(f"[data-col={name}] .bar-number").all_text_contents()
        shares = [number.split("\u202f")[0].replace("out", "0") for number in numbers]
        percent = [float(share) for share in shares if share]
        assert sum(percent) == pytest.approx(100, abs=0.5), name
    reader.do(reader.use("top_k").click, "settings")


def test_every_slider_and_every_box_moves_something(newcomer: Reader) -> None:
    reader = newcomer.open(prompt="She looked at the", run="20")
    reader.live.get_by_text("More settings").click()
    reader.live.get_by_label("side by side").check()
    shown = reader.live.locator(".bars")
    moved = set()
    for order in ("llama.cpp", "transformers", "all"):
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


def test_a_claim_is_set_up_by_one_press_and_comes_into_view(newcomer: Reader) -> None:
    reader = newcomer.open()
    experiments = by_key(reader.page, "experiments")
    experiments.get_by_text("Try these claims").click()
    expect(experiments.get_by_role("button", name="Set up").nth(10)).to_be_attached()
    by_key(reader.page, "try_C02").get_by_role("button").click()
    reader.until(lambda: reader.header["prompt"] == PROMPT, "nothing was set up")
    reader.page.wait_for_function("() => document.querySelector('.stMain').scrollTop === 0")
    assert reader.header["notice"] is None


def test_strategies_that_were_hidden_show_the_newest_distribution(newcomer: Reader) -> None:
    reader = newcomer.open(prompt=PROMPT)
    reader.live.get_by_label("side by side").uncheck()
    for _ in range(3):
        reader.press("Next")
    reader.live.get_by_label("side by side").check()
    caught_up = reader.bars()
    reader.press("Back")
    reader.press("Next")
    assert reader.bars() == caught_up
