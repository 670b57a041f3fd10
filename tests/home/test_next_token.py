"""Every answer names the next token: a press shows it at once, its distribution with its answer."""

import re
from collections.abc import Iterator
from itertools import groupby

import numpy as np
import pytest
from playwright.sync_api import Locator, expect

from model.generation import Generation
from model.language_model import LanguageModel
from pages.home.controls import Controls
from tests.driving.home_page import PATIENCE_MS, Reader, pointer_label
from tests.home.conftest import PROMPT, held_wire

pytestmark = pytest.mark.browser

COUNT_FLIGHTS = """(place) => {
  globalThis.flights = 0;
  const root = [...place.querySelectorAll("*")].find((node) => node.shadowRoot).shadowRoot;
  const count = (changes) => changes.forEach(({ addedNodes }) => addedNodes.forEach((node) => {
    if (node.classList?.contains("flight")) globalThis.flights += 1;
  }));
  new MutationObserver(count).observe(root, { childList: true, subtree: true });
}"""

MOTION = "no-preference"  # the light and the flight of a token are what is looked at
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

    n_before, n_events = len(reader.ids), len(reader.events)
    temperature.evaluate(MOVE, ["0.3", "input", "change"])
    reader.button("Next").evaluate(CLICK_FAST, 3)
    expect(reader.chips).to_have_count(n_before + 3, timeout=PATIENCE_MS)
    reader.settle()
    kinds = [event["kind"] for event in reader.events[n_events:]]
    assert kinds == ["settings", "next", "next", "next"]
    assert reader.header["controls"]["temperature"] == 0.3


def test_nothing_of_the_draw_is_told_before_it_or_after_it_forgotten_unless_one_peeks(
    newcomer: Reader,
) -> None:
    masks = {"temperature": "1.9", "repetition_penalty": "1.3"}
    reader = newcomer.open(prompt=PROMPT, order="llama.cpp", **masks)
    pointers = reader.live.locator(".bar-pointer:visible, .pointer-marker:visible")
    sentence = reader.live.locator(".pointer-sentence")
    loop = reader.live.locator(".loop-band")
    look_back = reader.live.get_by_role("button", name="look back at it")
    expect(look_back).to_be_hidden()
    for _ in range(3):
        expect(pointers).to_have_count(0)
        pointer = pointer_label(reader.header["pointer"])
        expect(sentence).not_to_contain_text(pointer)
        expect(loop).to_contain_text("no id yet")
        expect(loop).not_to_contain_text(f"id {reader.header['next_id']}")
        reader.press("Next")
        share = reader.header["steps"]["chosen_prob"][-1]
        expect(sentence).to_contain_text(
            f"{pointer} fell on {reader.tokens()[-1]}, {100 * share:.1f}"
        )

    look_back.click()
    chosen = reader.live.locator(".bars-row[data-chosen=true]")
    expect(chosen).to_have_attribute("data-id", str(reader.ids[-1]))
    expect(sentence).to_contain_text(f"The pointer {pointer} fell on {reader.tokens()[-1]}")
    assert pointers.count() > 0

    # the mark lies on the token that Next appends
    reader.page.keyboard.press("Escape")
    reader.live.get_by_label("Pointer first").check()
    for _ in range(4):
        expect(sentence).to_contain_text(re.compile("[0-9]\u202f% falls on"))
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
    expect(reader.chips).to_have_count(n_before + N_FAST, timeout=PATIENCE_MS)
    reader.settle()


def test_hold_keeps_the_finished_step_until_the_next_press(reader: Reader) -> None:
    reader.live.get_by_label("Show draws").check()
    chosen = reader.live.locator(".bars-row[data-chosen=true]")
    pointer = reader.live.locator(".pointer-marker")
    for n in (1, 2):
        before = reader.header["pointer"]
        reader.button("Next").click()
        reader.until(lambda n=n: len(reader.ids) == reader.header["n_prompt"] + n, "no answer")
        reader.page.wait_for_timeout(AFTER_THE_LIGHT)
        expect(chosen).to_have_attribute("data-id", str(reader.ids[-1]))
        left = pointer.evaluate("(mark) => parseFloat(mark.style.left)")
        assert left == pytest.approx(100 * before, abs=1e-3)
    reader.live.get_by_label("Show draws").uncheck()
    expect(chosen).to_have_count(0)
    expect(pointer).to_be_hidden()


def test_a_press_on_the_bar_takes_the_token_at_that_place_and_replaces_a_held_one(
    newcomer: Reader, storyteller: LanguageModel
) -> None:
    reader, prompt = newcomer, "One day, a little girl named Lily found a"

    def place_at(share: float) -> tuple[int, float]:
        """A whole pixel of the bar, for a browser may round a press to one, and its exact share."""
        box = reader.live.locator(".draw-segments").bounding_box()
        assert box is not None
        x = round(box["x"] + share * box["width"])
        return x, (x - box["x"]) / box["width"]

    def press_at(share: float, n_tokens: int) -> None:
        before, box = reader.ids, reader.live.locator(".draw-segments").bounding_box()
        assert box is not None
        reader.page.mouse.click(place_at(share)[0], box["y"] + box["height"] / 2)
        reader.until(
            lambda: reader.ids != before and len(reader.ids) == n_tokens, "no token was taken"
        )

    reader.open(prompt=prompt, hold="0")
    text = Generation(storyteller, prompt)
    for share in (0.9, 0.3):  # among the thin segments that are drawn together; on a wide one
        shown = text.stages_for(Controls().settings())[-1]
        ends = np.cumsum(shown.probs[shown.order])
        n_hit = int(np.searchsorted(ends, place_at(share)[1], side="right"))
        text.step(token_id=int(shown.order[n_hit]))
        press_at(share, len(text.ids))
        assert reader.ids == text.ids
        reader.settle()

    reader.press("Reset")
    reader.live.get_by_role("checkbox", name="Show draws").check()
    n_before = len(reader.ids)
    reader.button("Next").click()
    reader.until(lambda: len(reader.ids) == n_before + 1, "no answer")
    expect(reader.live.locator(".bars[data-drawn]")).to_have_count(1)
    press_at(0.99, n_before + 1)  # of the bar that is shown still: another token in its place
    assert reader.ids[:-1] == text.prompt_ids


def test_mirostat_s_limit_goes_along_with_the_text(newcomer: Reader) -> None:
    """Taken back, drawn again, looked back at, and begun anew where the target is moved."""
    how = {"order": "llama.cpp", "mirostat": "2", "temperature": "1", "use": "temperature"}
    reader = newcomer.open(prompt="The dragon", **how)
    reader.live.get_by_text("More settings").click()
    slider = reader.slider("mirostat")
    expect(slider).to_have_value("2")
    note = slider.locator("xpath=following-sibling::span")

    def limit() -> float:
        found = re.search(r"up to ([\d.]+) bits", note.text_content() or "")
        return float(found[1]) if found else 0.0

    seen = [limit()]
    for _ in range(4):
        reader.press("Next")
        assert limit() == pytest.approx(reader.header["memory"]["mu"], abs=0.006)
        seen.append(limit())
    assert seen[0] == 4
    assert len({seen[2], seen[3], seen[4]}) == 3
    reader.press("Back")
    assert limit() == seen[3]
    reader.press("Next")
    assert limit() == seen[4]
    reader.choose_at(reader.header["n_prompt"] + 2, "Look at its bars", "inspect")
    assert limit() == seen[2]
    slider.evaluate(MOVE, ["3", "input"])
    reader.until(lambda: limit() == 6, "another target begins at twice as much")


def test_a_token_flies_to_the_text_where_there_is_time_for_it(reader: Reader) -> None:
    """Under Play at more than two a second each would cost a quarter of the token's time."""
    reader.live.evaluate(COUNT_FLIGHTS)
    reader.press("Next")
    reader.page.wait_for_function("globalThis.flights > 0")
    reader.settle()
    before = reader.page.evaluate("flights")
    n_tokens = reader.chips.count()
    reader.button("Play").click()
    reader.until(lambda: reader.chips.count() > n_tokens + 3, "Play writes nothing")
    assert reader.page.evaluate("flights") == before  # the last token, after Pause, has time
    reader.button("Pause").click()
    reader.settle()
