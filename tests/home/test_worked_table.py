"""Below the bars: the worked table, a row for each step, and the figures of the passes."""

import pytest
from playwright.sync_api import expect

from tests.driving.home_page import Reader

pytestmark = pytest.mark.browser

OPEN = "Write 20 tokens at once"
N_ROWS_OF_BLOCK = 32
HEIGHTS = "(all) => all.map((block) => block.getBoundingClientRect().height)"
# "auto 56px": the height that is kept for a block which was never in sight
KEPT = """(all) => all.map((block) =>
  Number(/([\\d.]+)px/.exec(getComputedStyle(block).containIntrinsicBlockSize)[1]))"""
# cells that are longer than any machine or model makes them, in a wide font, lines 1.5 em apart
WIDE = """(row) => {
  row.style.cssText = "font-family: monospace; line-height: 1.5; letter-spacing: 0.12em";
  for (const cell of row.children) cell.textContent = "12 345.6 ms \u65e5 " + "of it ".repeat(20);
}"""


def test_rows_come_and_go_with_the_text_and_the_figures_follow(reader: Reader) -> None:
    for _ in range(3):
        reader.press(OPEN)
    table = reader.live.get_by_role("table", name=None).last
    rows = reader.live.locator(".steps-table tbody tr")
    blocks = reader.live.locator(".steps-table tbody")
    expect(rows).to_have_count(60)
    expect(blocks).to_have_count(2)
    n_prompt = reader.header["n_prompt"]

    # what the model read, chose and cached, as Python said it
    first, last = rows.first.locator("td"), rows.last.locator("td")
    expect(first.nth(1)).to_have_text("prefill")
    expect(last.nth(1)).to_have_text("decode")
    expect(last.nth(0)).to_have_text("60")
    expect(last.nth(5)).to_contain_text(f"{-reader.header['logprob']:.2f}")
    expect(last.nth(6)).to_have_text(f"K,V for position {n_prompt + 58}")
    assert table.get_by_role("columnheader").count() == first.count() == 9

    # a block out of sight is as high as its rows, whatever they hold: else the scroll's bar jumps
    blocks.evaluate_all("(all) => all.forEach((b) => { b.style.contentVisibility = 'visible'; })")
    kept = blocks.evaluate_all(KEPT)
    assert blocks.evaluate_all(HEIGHTS) == pytest.approx(kept, abs=0.5)
    for row in (rows.first, rows.last):
        row.evaluate(WIDE)
    assert blocks.evaluate_all(HEIGHTS) == pytest.approx(kept, abs=0.5)

    # a figure says what is under the pointer
    figure = reader.live.locator("[data-figure=cache]")
    figure.scroll_into_view_if_needed()
    drawing = figure.locator("svg")
    wide = f"0 0 {n_prompt + 60} "
    reader.until(lambda: str(drawing.get_attribute("viewBox")).startswith(wide), "the figure stays")
    box = drawing.bounding_box()
    assert box is not None
    reader.page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 2)
    expect(figure.locator(".passes-pointed")).to_contain_text("pass 61, decode")

    # a rewind takes rows and whole blocks away; going on fills the block again
    reader.choose_at(n_prompt + 10, "Rewind to before it", "rewind")
    expect(rows).to_have_count(10)
    expect(blocks).to_have_count(1)
    for _ in range(2):
        reader.press(OPEN)
    expect(rows).to_have_count(len(reader.header["steps"]["prob"]))
    expect(blocks.first.locator("tr")).to_have_count(N_ROWS_OF_BLOCK)
