"""Every answer names the next token: a press shows it at once, its distribution with its answer."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import groupby

import pytest
from playwright.sync_api import Locator, expect

from benchmarks.home_page import PATIENCE, Reader
from tests.home.conftest import PROMPT, held_wire

pytestmark = pytest.mark.browser

N_FAST = 10
AFTER_THE_LIGHT = 400  # milliseconds; the light takes 250
IDS_OF_ROWS = "(rows) => rows.map((row) => row.dataset.id)"
CLICK_FAST = "(button, times) => { for (let i = 0; i < times; i += 1) button.click(); }"
NOTE_CHOSEN = """(bars) => {
  globalThis.seen = [];
  new MutationObserver(() => {
    const rows = [...bars.querySelectorAll(".bars-row")].map((row) => row.dataset.id);
    const chosen = bars.querySelector("[data-chosen]")?.dataset.id ?? null;
    globalThis.seen.push([bars.dataset.drawn ? chosen : null, rows]);
  }).observe(bars, { attributeFilter: ["data-drawn", "data-id"], subtree: true });
}"""
MOVE = """(input, [value, ...kinds]) => {
  input.value = value;
  for (const kind of kinds) input.dispatchEvent(new Event(kind, { bubbles: true }));
}"""


@pytest.fixture
def temperature(reader: Reader) -> Iterator[Locator]:
    """Its slider, put back after the test."""
    slider = reader.slider("temperature")
    yield slider
    reader.do(lambda: slider.fill("0.8"), "settings")


def press_until_it_goes_on(reader: Reader) -> None:
    """Where the text has ended, no token follows."""
    reader.press("Next")
    while reader.header["finished"]:
        reader.press("Reset")
        reader.press("Next")


def test_a_press_shows_the_named_token_and_the_distribution_when_the_answer_comes(
    reader: Reader,
) -> None:
    press_until_it_goes_on(reader)
    n_before, before = reader.chips.count(), reader.bars()
    named = reader.header["next_id"]
    with held_wire(reader):
        reader.button("Next").click()
        expect(reader.chips).to_have_count(n_before + 1)
        reader.button("Next").click()
        expect(reader.live.locator(".reason")).to_contain_text("1 more pressed")
        shown = reader.chips.all_inner_texts()
        assert len(shown) == n_before + 1, "one press is under way at a time"
    expect(reader.chips).to_have_count(n_before + 2)
    reader.settle()
    assert reader.ids[n_before] == named
    assert reader.chips.all_inner_texts()[: n_before + 1] == shown
    assert reader.bars() != before


def test_a_press_while_a_slider_is_held_or_just_released_waits_for_the_answer(
    reader: Reader, temperature: Locator
) -> None:
    temperature.evaluate(MOVE, ["2", "input"])
    with held_wire(reader):
        reader.page.keyboard.press("ArrowRight")
        expect(reader.chips.last).to_have_text("…")  # a place is kept free
    assert reader.header["controls"]["temperature"] == 2
    expect(reader.live.locator(".token.is-pending")).to_have_count(0)

    n_before, n_events = len(reader.ids), len(reader.wire.events)
    temperature.evaluate(MOVE, ["0.3", "input", "change"])
    reader.button("Next").evaluate(CLICK_FAST, 3)
    expect(reader.chips).to_have_count(n_before + 3, timeout=PATIENCE)
    reader.settle()
    kinds = [event["kind"] for event in reader.wire.events[n_events:]]
    assert kinds == ["settings", "next", "next", "next"]
    assert reader.header["controls"]["temperature"] == 0.3


def test_nothing_of_the_draw_is_told_before_it_or_after_it_forgotten_unless_one_peeks(
    newcomer: Reader,
) -> None:
    masks = {"temperature": "1.9", "repetition_penalty": "1.3"}
    reader = newcomer.open(prompt=PROMPT, order="llama.cpp", **masks)
    coins = reader.live.locator(".bar-coin:visible, .coin-marker:visible")
    sentence = reader.live.locator(".coin-sentence")
    loop = reader.live.locator(".loop-band")
    look_back = reader.live.get_by_role("button", name="look back at it")
    expect(look_back).to_be_hidden()
    for _ in range(3):
        expect(coins).to_have_count(0)
        expect(sentence).not_to_contain_text(f"{reader.header['coin']:.3f}")
        expect(loop).to_contain_text("no id yet")
        expect(loop).not_to_contain_text(f"id {reader.header['next_id']}")
        coin = int(1e4 * reader.header["coin"]) / 1e4
        reader.press("Next")
        share = reader.header["steps"]["chosen_prob"][-1]
        expect(sentence).to_contain_text(
            f"{coin:.4f} fell on {reader.tokens()[-1]}, {100 * share:.1f}"
        )

    look_back.click()
    chosen = reader.live.locator(".bars-row[data-chosen=true]")
    expect(chosen).to_have_attribute("data-id", str(reader.ids[-1]))
    expect(sentence).to_contain_text(f"The pointer {coin:.4f} fell on {reader.tokens()[-1]}")
    assert coins.count() > 0

    # the mark lies on the token that Next appends
    reader.page.keyboard.press("Escape")
    reader.live.get_by_label("Peek").check()
    for _ in range(4):
        expect(sentence).to_contain_text(re.compile("[0-9] falls on"))
        told = sentence.inner_text()
        reader.press("Next")
        assert f"falls on {reader.tokens()[-1]}," in told


def test_a_press_lights_the_bar_that_it_chose_and_the_next_press_is_not_held_up(
    reader: Reader,
) -> None:
    press_until_it_goes_on(reader)
    rows = reader.live.locator(".bars-row")
    before = rows.evaluate_all(IDS_OF_ROWS)
    reader.live.locator(".bars").evaluate(NOTE_CHOSEN)
    reader.press("Next")
    after = rows.evaluate_all(IDS_OF_ROWS)
    assert after != before
    seen = reader.page.evaluate("() => globalThis.seen")
    assert seen[0] == [str(reader.ids[-1]), before], "the bars that it was drawn from light first"
    assert seen[-1] == [None, after]
    assert len([state for state, _ in groupby(seen)]) == 2

    n_before = len(reader.ids)
    reader.button("Next").evaluate(CLICK_FAST, N_FAST)
    expect(reader.chips).to_have_count(n_before + N_FAST, timeout=PATIENCE)
    reader.settle()


def test_hold_keeps_the_finished_step_until_the_next_press(reader: Reader) -> None:
    reader.live.get_by_label("Hold").check()
    chosen = reader.live.locator(".bars-row[data-chosen=true]")
    coin = reader.live.locator(".coin-marker")
    for n in (1, 2):
        before = reader.header["coin"]
        reader.button("Next").click()
        reader.until(lambda n=n: len(reader.ids) == reader.header["n_prompt"] + n, "no answer")
        reader.page.wait_for_timeout(AFTER_THE_LIGHT)
        expect(chosen).to_have_attribute("data-id", str(reader.ids[-1]))
        left = coin.evaluate("(mark) => parseFloat(mark.style.left)")
        assert left == pytest.approx(100 * before, abs=1e-3)
    reader.live.get_by_label("Hold").uncheck()
    expect(chosen).to_have_count(0)
    expect(coin).to_be_hidden()
