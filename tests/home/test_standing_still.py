"""What is pressed stays where it is, from the first question to the end of the text."""

import re

import pytest
from playwright.sync_api import Browser, expect

from pages.frame.terms import BY_NAME
from tests.driving.home_page import Reader
from tests.frame.by_eye import MAX_SHIFT, SHIFTS, shifts

pytestmark = pytest.mark.browser

NEAR = 1  # pixel
ENDING = "They sang and played together. And the bird was never lonely again."
BOXES = """(root) => [".thumb .is-primary", ".thumb .button:nth-child(3)", ".draw-bar", ".settings",
    ".seldom .button:last-child"]
  .map((selector) => root.querySelector(selector).getBoundingClientRect())
  .filter(({ width }) => width > 0)
  .flatMap(({ left, top, right, bottom }) => [left, top, right, bottom])"""
WORDS = """(root) => {
  const texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const range = document.createRange();
  const seen = [];
  while (texts.nextNode()) {
    range.selectNode(texts.currentNode);
    const { bottom, width } = range.getBoundingClientRect();
    const isHeard = texts.currentNode.parentElement.closest(".spoken, .bars-head-box");
    if (width > 0 && bottom <= innerHeight && !isHeard) seen.push(texts.currentNode.data);
  }
  return seen.join(" ");
}"""
UNEXPLAINED = re.compile(r"\b(nats?|logits?|log p|prefill|decode)\b", re.IGNORECASE)
EDGES = """(one) => {
  const { left, right } = one.getBoundingClientRect();
  return [left, right];
}"""
# labels, numbers and tracks of the rows that show, whose words may not run over one another
ROWS = """(root) => [...root.querySelectorAll(".bars-table tbody tr:not([hidden])")].map((row) =>
  [".bars-label", ".bar-track", ".bar-number"].map((part) => {
    const node = row.querySelector(`td[data-col=active] ${part}`) ?? row.querySelector(part);
    const range = document.createRange();
    range.selectNodeContents(node);
    const box = node.getBoundingClientRect();
    if (part === ".bar-track") return [box.left, box.right];
    const words = range.getBoundingClientRect();
    const isCut = getComputedStyle(node).overflowX === "hidden"; // with an ellipsis
    return isCut ? [box.left, Math.min(box.right, words.right)] : [words.left, words.right];
  }))"""


@pytest.mark.parametrize("size", [(1280, 800), (390, 844)])
def test_nothing_moves_on_load_at_a_press_and_at_the_end(
    browser: Browser, url: str, size: tuple[int, int]
) -> None:
    context = browser.new_context(viewport={"width": size[0], "height": size[1]})
    context.add_init_script(SHIFTS)
    reader = Reader(context.new_page(), url).open()
    root, bars = reader.live.locator(".ott"), reader.live.locator(".bars")
    expect(bars).to_have_attribute("data-covered", "true")
    reader.button("Just reveal").click()
    expect(bars).not_to_have_attribute("data-covered", "true")
    assert sum(shift["value"] for shift in shifts(reader.page)) <= MAX_SHIFT
    words = root.evaluate(WORDS)
    assert "Temperature" in words
    assert not UNEXPLAINED.search(words)
    term = reader.live.get_by_role("button", name="Top-p", exact=True)
    note = reader.live.locator(".term-note:popover-open")
    term.press("Enter")
    expect(note).to_have_text(BY_NAME["top-p"].says)
    left, right = note.evaluate(EDGES)
    reader.page.keyboard.press("Escape")
    expect(note).to_have_count(0)
    assert 0 <= left < right <= size[0]
    reader.write(ENDING)
    reader.live.get_by_role("textbox", name="Prompt").blur()
    assert reader.header["hide_bars"] is False
    expect(bars).not_to_have_attribute("data-covered", "true")  # who was asked is not asked again

    reader.use("temperature").scroll_into_view_if_needed()
    before = root.evaluate(BOXES)
    shifts(reader.page)
    reader.page.keyboard.press("ArrowRight")
    reader.page.keyboard.press("Escape")  # the first step is slow
    reader.until(lambda: reader.header["finished"] == "eos", "it does not end")
    expect(reader.button("Next")).to_have_attribute("aria-disabled", "true")
    expect(reader.live.locator(".reason")).not_to_be_empty()
    after = root.evaluate(BOXES)
    moved = [abs(a - b) for a, b in zip(before, after, strict=True)]
    assert max(moved) <= NEAR, moved
    assert sum(shift["value"] for shift in shifts(reader.page)) <= MAX_SHIFT
    for label, track, number in root.evaluate(ROWS):
        assert label[1] <= track[0] + NEAR
        assert track[1] <= number[0] + NEAR
    context.close()
