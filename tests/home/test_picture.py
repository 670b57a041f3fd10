"""What is on the screen, saved as a picture: what stands there is what the page shows."""

from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import Download, expect

from benchmarks.home_page import Reader

pytestmark = pytest.mark.browser

SVG = "{http://www.w3.org/2000/svg}"
PNG = b"\x89PNG\r\n\x1a\n"
INNER, MARGIN = 1120, 40  # of the drawing, pages/home/live/picture.js


def saved(reader: Reader, kind: str) -> Download:
    with reader.page.expect_download() as waited:
        reader.live.get_by_role("button", name=f"Save this picture as {kind}").click()
    return waited.value


def test_a_picture_shows_the_text_the_bars_and_where_the_pointer_fell(
    reader: Reader, tmp_path: Path
) -> None:
    reader.live.get_by_role("checkbox", name="Hold").check()
    reader.write("The <b> & ]]> sat on the")
    reader.button("Next").click()  # the step is held, so nothing settles
    expect(reader.chips).to_have_count(reader.header["n_prompt"] + 1)
    reader.until(lambda: reader.wire.n_open == 0, "no answer")
    saved(reader, "SVG").save_as(tmp_path / "a.svg")
    drawn = ElementTree.parse(tmp_path / "a.svg").getroot()
    words = [node.text for node in drawn.iter(f"{SVG}text")]
    assert words[1 : len(reader.ids)] == reader.tokens()[1:]  # the first is the start
    pointer = reader.header["steps"]["coin"][-1]
    (path,) = drawn.iter(f"{SVG}path")
    left = float(path.attrib["d"].removeprefix("M").split(" ")[0]) + 9
    assert left == pytest.approx(MARGIN + INNER * pointer, abs=0.01)
    assert any(f"{pointer:.3f}" in (text or "") for text in words)
    assert words[-1].startswith("storyteller, temperature")

    saved(reader, "PNG").save_as(tmp_path / "a.png")
    data = (tmp_path / "a.png").read_bytes()
    assert data.startswith(PNG)
    assert int.from_bytes(data[16:20]) == 2 * 1200
    reader.live.get_by_role("checkbox", name="Hold").uncheck()
