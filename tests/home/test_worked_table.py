"""The worked table in the page: a row for each step, in blocks that are skipped out of sight."""

from __future__ import annotations

from pathlib import Path

import pytest
from playwright.sync_api import expect

from benchmarks.home_page import Reader
from tests.tiny_models import bare_model, save

pytestmark = pytest.mark.browser

OPEN = "Write 20 tokens at once"
N_ROWS_OF_BLOCK = 32


def test_rows_come_and_go_with_the_text(reader: Reader) -> None:
    for _ in range(6):
        reader.press(OPEN)
    table = reader.live.get_by_role("table", name=None).last
    rows = reader.live.locator(".steps-table tbody tr")
    blocks = reader.live.locator(".steps-table tbody")
    expect(rows).to_have_count(120)
    expect(blocks).to_have_count(4)
    n_prompt = reader.header["n_prompt"]

    # what the model read, chose and cached, as Python said it
    first, last = rows.first.locator("td"), rows.last.locator("td")
    expect(first.nth(1)).to_have_text("prefill")
    expect(last.nth(1)).to_have_text("decode")
    expect(last.nth(0)).to_have_text("120")
    total = f"{-reader.header['logprob']:.2f}"
    expect(last.nth(5)).to_contain_text(total)
    expect(last.nth(6)).to_have_text(f"K,V for position {n_prompt + 118}")
    assert table.get_by_role("columnheader").count() == first.count() == 9

    # a block out of sight is as high as its rows: else the bar of the scroll would jump
    reader.live.locator(".steps-scroll").scroll_into_view_if_needed()
    kept = blocks.evaluate_all("(all) => all.map((block) => block.offsetHeight)")
    blocks.evaluate_all("(all) => all.forEach((b) => { b.style.contentVisibility = 'visible'; })")
    whole = blocks.evaluate_all("(all) => all.map((block) => block.offsetHeight)")
    assert whole == pytest.approx(kept, abs=1), "but for rounding to whole pixels"

    # a rewind takes rows and whole blocks away; going on fills the block again
    reader.choose_at(n_prompt + 10, "Rewind to before it", "rewind")
    expect(rows).to_have_count(10)
    expect(blocks).to_have_count(1)
    reader.press(OPEN)
    reader.press(OPEN)
    expect(rows).to_have_count(len(reader.header["steps"]["prob"]))
    expect(blocks.first.locator("tr")).to_have_count(N_ROWS_OF_BLOCK)


def test_the_figures_of_the_passes_follow_the_text_and_say_what_is_under_the_pointer(
    reader: Reader,
) -> None:
    reader.press(OPEN)
    figure = reader.live.locator("[data-figure=cache]")
    figure.scroll_into_view_if_needed()
    n_prompt, cache = reader.header["n_prompt"], reader.header["cache"]
    assert cache["tokens"] == n_prompt + 20
    drawing = figure.locator("svg")
    reader.until(
        lambda: str(drawing.get_attribute("viewBox")).startswith(f"0 0 {n_prompt + 20} "),
        "the figure does not follow",
    )
    box = drawing.bounding_box()
    assert box is not None
    reader.page.mouse.move(box["x"] + box["width"] - 2, box["y"] + box["height"] - 2)
    told = figure.locator(".passes-pointed").inner_text()
    assert "pass 21, decode" in told


def test_a_model_without_keys_and_values_is_said_to_have_none(
    newcomer: Reader, tmp_path: Path
) -> None:
    reader = newcomer.open(model=str(save(tmp_path, bare_model("mamba"))), run="3")
    cell = reader.live.locator(".steps-table tbody tr").last.locator("td").nth(6)
    expect(cell).to_have_text("none: the state is rewritten")
    expect(reader.live.locator(".loop-cache-box")).to_contain_text("state: ")
    said = reader.live.evaluate(
        """(place) => [...place.querySelectorAll("*")].flatMap(({ shadowRoot }) =>
          [shadowRoot?.textContent ?? "", ...[...shadowRoot?.querySelectorAll("[aria-label]") ?? []]
            .map((node) => node.getAttribute("aria-label"))]).join(" ")"""
    )
    assert "The state after each pass" in said
    assert "KV cache" not in said
    assert "K,V" not in said
