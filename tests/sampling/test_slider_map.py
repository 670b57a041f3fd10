"""The map of the sliders on the first page, and a reader's own sampler in the one file."""

from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from model.loading import LanguageModel
from pages.home.in_page_file import live_page
from tests.driving.harness import Witness
from tests.driving.home_page import Reader

pytestmark = pytest.mark.browser

PAINTED = """(canvas) => {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
  return new Set(new Uint32Array(data.buffer)).size;
}"""


def test_the_map_comes_when_it_is_opened_and_its_point_is_the_sliders(page: Page, url: str) -> None:
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    reader = Reader(page, url).open(prompt="The cat sat on the", seed="3")
    assert not [address for address in asked if "/lazy/" in address]
    section = reader.live.locator("[data-lazy=slider_map]")
    section.locator("summary").click()
    expect(section.locator(".slider-map[data-ms]:not([data-stale])")).to_be_visible()
    canvas = section.locator(".map-stage canvas")
    assert canvas.evaluate("(n) => [n.width, n.height]") == [200, 120]
    assert canvas.evaluate(PAINTED) > 10
    stage = section.locator(".map-stage")
    stage.scroll_into_view_if_needed()
    box = stage.bounding_box()
    assert box is not None
    n_asked = len(reader.wire.asked)
    page.mouse.move(box["x"] + 0.1 * box["width"], box["y"] + 0.9 * box["height"])
    page.mouse.down()
    page.mouse.move(box["x"] + 0.25 * box["width"], box["y"] + 0.5 * box["height"])
    expect(reader.slider("temperature")).to_have_value("0.5")
    assert len(reader.wire.asked) == n_asked, "while it is dragged nothing is sent"
    page.mouse.up()
    reader.until(lambda: not reader.wire.n_open, "the release is not answered")
    assert abs(float(reader.slider("top_p").input_value()) - 0.53) <= 0.02
    before = section.locator(".map-sentence").inner_text()
    reader.button("Next").click()
    expect(section.locator(".map-sentence")).not_to_have_text(before)
    expect(section.locator(".slider-map:not([data-stale])")).to_be_visible()


def test_a_sampler_writes_the_text_of_the_one_file(
    browser: Browser, storyteller: LanguageModel, tmp_path: Path, witness: Witness
) -> None:
    path = tmp_path / "one-token.html"
    path.write_text(live_page(storyteller), "utf-8")
    page = browser.new_page()
    witness.watch(page)
    page.goto(path.as_uri())
    expect(page.locator(".token").first).to_be_visible()
    n_before = page.locator(".token").count()
    page.locator("[data-lazy=own_sampler] summary").click()
    editor = page.locator(".own-code")
    editor.fill("function pick(probs) { return probs.indexOf(Math.max(...probs)); }")
    page.get_by_role("button", name="Write 10 tokens").click()
    expect(page.locator(".token")).to_have_count(n_before + 10)
    greedy = page.evaluate("() => oneToken.ids.slice(-10)")
    page.get_by_role("button", name="Back").first.click()
    expect(page.locator(".token")).to_have_count(n_before + 9)
    editor.fill("const pick = () => { for (;;) {} }")
    page.get_by_role("button", name="Write 10 tokens").click()
    expect(page.locator(".own-verdict")).not_to_be_empty()
    expect(page.locator(".token")).to_have_count(n_before + 9)
    assert len(greedy) == 10
    assert "pick" not in page.url
    assert not witness.errors
    page.close()
