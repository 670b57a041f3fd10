"""One picture, one scale: the painted length of every bar is the number beside it."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect

from tests.browser import clear_storage
from tests.driving.harness import Server, wait_idle
from tests.driving.home_page import Reader
from tests.nightly import nightly

pytestmark = pytest.mark.browser

NEAR = 1.0  # pixel
# of every row that shows, in every column: the axis, its bars, its outline, and the number
PAINTED = r"""(root) => {
  const box = (node) => {
    const { left, right } = node.getBoundingClientRect();
    return [left, right];
  };
  const seen = (node) => node.getClientRects().length > 0;
  const axis = box(root.querySelector(".draw-bar"));
  const all = [...root.querySelectorAll(".bars-table tbody td")].filter(seen);
  const cells = all.filter((cell) => !cell.closest("[data-none]")).map((cell) => ({
    column: cell.dataset.col,
    track: box(cell.querySelector(".bar-track")),
    bars: [...cell.querySelectorAll(".bar")].filter(seen).map(box),
    ghost: [...cell.querySelectorAll(".bar-ghost")].filter(seen).map(box)[0] ?? null,
    number: cell.querySelector(".bar-number").textContent,
    isChosen: cell.closest("tr").dataset.chosen === "true",
  }));
  const marker = root.querySelector(".pointer-marker");
  const segments = [...root.querySelectorAll(".draw-segment")].filter(seen).map(box);
  const chosen = root.querySelector(".draw-segment[data-state=chosen]");
  const ticks = [...root.querySelectorAll("[data-col=active] .axis-tick")].filter(seen)
    .map((tick) => [parseFloat(tick.textContent), (box(tick)[0] + box(tick)[1]) / 2]);
  return { nCells: all.length, axis, cells, segments, ticks, chosen: chosen && box(chosen),
    pointer: seen(marker) ? box(marker) : null };
}"""


def share(number: str) -> float:
    """The share that a number says; nothing of what is out."""
    if number == "out":
        return 0.0
    found = re.fullmatch(r"(?:[≤≥])?(?:(\d+)·10⁻(\S+)|([\d.]+))\u202f%", number)
    assert found is not None, number
    return 0.0 if found[1] else float(found[3]) / 100


def faults(painted: Mapping[str, Any]) -> list[str]:
    """What is not as long as its number says, on the axis of the draw bar."""
    found = []
    for cell in painted["cells"]:
        left, right = cell["track"]
        wide = right - left
        long = sum(end - start for start, end in cell["bars"])
        rounding = wide * 0.0005  # the number has one decimal
        if abs(long - wide * share(cell["number"])) > NEAR + rounding:
            found.append(f"{cell['column']}: {long / wide:.3f} beside {cell['number']}")
        if (cell["number"] == "out") != (cell["ghost"] is not None and not cell["bars"]):
            found.append(f"{cell['column']}: an outline beside {cell['number']}")
        is_apart = max(abs(a - b) for a, b in zip(cell["track"], painted["axis"], strict=True))
        if cell["column"] == "active" and is_apart > NEAR:
            found.append(f"rows and draw bar lie {is_apart:.1f} pixels apart")
    start, end = painted["axis"]
    for percent, at in painted["ticks"]:
        if abs(start + (end - start) * percent / 100 - at) > NEAR:
            found.append(f"the tick of {percent} % stands elsewhere")
    return found


def painted(reader: Reader) -> dict[str, Any]:
    found: dict[str, Any] = reader.live.locator(".ott").evaluate(PAINTED)
    assert found["nCells"] >= 7
    return found


@pytest.fixture(scope="module")
def window(browser: Browser) -> Iterator[BrowserContext]:
    """A newcomer's browser, which keeps the scripts that it has compiled."""
    context = browser.new_context()
    yield context
    context.close()


@pytest.mark.parametrize(
    ("size", "more"),
    [
        ((1280, 800), {}),
        nightly(((1280, 800), {"top_p": "0.4"})),
        ((1280, 800), {"side": "1", "use": "temperature,top_k", "top_k": "3"}),
        nightly(((1280, 800), {"present": "1"})),
        ((390, 844), {"top_p": "0.6"}),
        nightly(((390, 844), {"side": "1"})),
    ],
)
def test_a_bar_is_as_long_as_its_number_and_the_pointer_crosses_what_it_takes(
    window: BrowserContext, server: Server, size: tuple[int, int], more: dict[str, str]
) -> None:
    reader = Reader(window.new_page(), server.url)
    reader.page.set_viewport_size({"width": size[0], "height": size[1]})
    reader.open(prompt="The cat sat on the", **{"side": "0", "hold": "1"} | more)
    before = painted(reader)
    assert faults(before) == []
    assert before["pointer"] is None
    assert all(
        cell["bars"][0][0] - cell["track"][0] < NEAR for cell in before["cells"] if cell["bars"]
    )

    reader.button("Next").click()
    if "present" in more:  # there the first step is slow
        expect(reader.live.locator(".bars[data-beat]")).to_be_visible()
        reader.page.keyboard.press("Escape")
    expect(reader.live.locator(".bars[data-drawn] .pointer-marker")).to_be_visible()
    wait_idle(reader.page)  # the step is answered
    reader.stand()  # the pointer has landed
    after = painted(reader)
    assert faults(after) == []
    at = sum(after["pointer"]) / 2
    start, end = after["axis"]
    assert (at - start) / (end - start) == pytest.approx(
        reader.header["steps"]["pointer"][-1], abs=0.003
    )
    assert after["chosen"][0] - NEAR <= at <= after["chosen"][1] + NEAR
    if more.get("side") != "1":  # end to end: each begins where the one before ended
        laid = sorted(bar for cell in after["cells"] for bar in cell["bars"])
        ends = [start, *(bar[1] for bar in laid)]
        assert all(abs(bar[0] - ended) < 2 * NEAR for bar, ended in zip(laid, ends, strict=False))
        (chosen,) = [cell["bars"][0] for cell in after["cells"] if cell["isChosen"]]
        assert chosen[0] - NEAR <= at <= chosen[1] + NEAR
    clear_storage(reader.page, server)
    reader.page.close()


@pytest.mark.parametrize("full", [0.25, 0.5])
def test_bars_of_another_scale_are_found(full: float) -> None:
    axis = [100.0, 900.0]
    wide = axis[1] - axis[0]

    def cell(of: float, ghost: bool = False) -> dict[str, Any]:
        bars = [[100.0, 100.0 + wide * of / full]] if of and not ghost else []
        number = "out" if ghost else f"{100 * of:.1f}\u202f%"
        outline = [100.0, 300.0] if ghost else None
        return {"column": "active", "track": axis, "bars": bars, "ghost": outline, "number": number}

    told = {"axis": axis, "ticks": [], "cells": [cell(0.2), cell(0.1)]}
    assert len(faults(told)) == 2
    out = {"axis": axis, "ticks": [], "cells": [cell(0.2, ghost=True)]}
    assert faults(out) == []
    hatched = {**out["cells"][0], "bars": [[100.0, 300.0]], "number": "0\u202f%"}
    assert len(faults({**out, "cells": [hatched]})) == 1
    apart = {**cell(0.2), "bars": [[100.0, 260.0]], "track": [100.0, 900.0]}
    assert faults({"axis": [100.0, 700.0], "ticks": [[50, 500.0]], "cells": [apart]}) != []


def test_one_token_that_is_left_has_its_name_in_the_last_row_too(reader: Reader) -> None:
    reader.open(prompt="The bird sat on the", top_k="6", top_p="1")  # five rows, and one
    lone = reader.live.locator(".bars-tail[data-lone]")
    expect(lone).to_have_count(1)
    names = reader.live.locator(".bars-row:not([hidden]) .bars-label").all_text_contents()
    name = lone.locator(".bars-label").text_content()
    token_id = lone.get_attribute("data-lone")
    segments = reader.live.locator(".draw-segment:visible")
    assert segments.nth(5).get_attribute("data-id") == token_id
    assert str(segments.nth(5).get_attribute("title")).startswith(f"{name} ")
    assert name not in names


# of the segments that no pointer crosses, their widths in pixels and whether they have a word
NAMED = """(root) => [...root.querySelectorAll(".draw-segment")]
  .filter((part) => part.checkVisibility() && part.dataset.id)
  .map((part) => [part.getBoundingClientRect().width, part.textContent !== ""])"""


@pytest.mark.parametrize("prompt", ["The bird sat on the tree", "The cat sat on the"])
def test_below_the_widest_segment_that_has_no_room_for_its_word_none_has_one(
    reader: Reader, prompt: str
) -> None:
    reader.open(prompt=prompt, side="0")
    found = sorted(reader.live.locator(".ott").evaluate(NAMED), reverse=True)
    named = [is_named for _, is_named in found]
    assert {*named} == {True, False}
    assert named == sorted(named, reverse=True)
