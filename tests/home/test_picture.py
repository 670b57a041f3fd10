"""What is on the screen, saved as a picture: what stands there is what the page shows."""

import zlib
from collections.abc import Iterator
from pathlib import Path
from xml.etree import ElementTree

import pytest
from playwright.sync_api import expect

from tests.driving.home_page import Reader, pointer_label
from tests.home.test_one_axis import share

pytestmark = pytest.mark.browser

SVG = "{http://www.w3.org/2000/svg}"
PNG = b"\x89PNG\r\n\x1a\n"
NEAR = 0.01  # of the drawing
MARGIN, LABEL, NUMBER = 40, 220, 130  # of the large picture, figures/picture_rows.js
ACROSS = 1120 - LABEL - NUMBER
SMALL_LABEL, SMALL_ACROSS, SMALL_STEP = 120, 500 - 120 - 88, 544
BEATS = ("Read", "Score", "Cut", "Draw", "Append")


def save(reader: Reader, name: str, folder: Path) -> bytes:
    """Saves a picture from the menu; returns the file."""
    if not reader.live.get_by_role("dialog", name="Save a picture").is_visible():
        reader.button("Save picture").click()
    with reader.page.expect_download() as waited:
        reader.button(f"Save {name}").click()
    waited.value.save_as(folder / "saved")
    return (folder / "saved").read_bytes()


def words(drawn: ElementTree.Element) -> list[str]:
    return ["".join(node.itertext()) for node in drawn.iter(f"{SVG}text")]


def rows(drawn: ElementTree.Element, kind: str) -> dict[int, list[tuple[float, float]]]:
    """Where the bars, or the outlines, of every row begin and how long they are."""
    found = dict[int, list[tuple[float, float]]]()
    for node in drawn.iter(f"{SVG}rect"):
        if (row := node.get(kind)) is not None:
            lies = (float(node.attrib["x"]), float(node.attrib["width"]))
            found.setdefault(int(row), []).append(lies)
    return found


def begins(drawn: ElementTree.Element) -> list[float]:
    """Where the marks of what is out begin."""
    return [x for lies in rows(drawn, "data-out").values() for x, _ in lies]


def faults(drawn: ElementTree.Element, across: float, numbers: list[str]) -> list[str]:
    """What is not as long as the number of its row says, on an axis as long as the draw bar."""
    bars, outlines = rows(drawn, "data-row"), rows(drawn, "data-out")
    found = []
    for row, number in enumerate(numbers):
        long = sum(width for _, width in bars.get(row, []))
        if abs(long - across * share(number)) > across * 0.0005 + NEAR:
            found.append(f"{long / across:.3f} beside {number}")
        if (number == "out") != (row in outlines and row not in bars):
            found.append(f"an outline beside {number}")
    return found


def chunks(data: bytes) -> Iterator[tuple[bytes, bytes]]:
    at = len(PNG)
    while at < len(data):
        length = int.from_bytes(data[at : at + 4])
        name, body = data[at + 4 : at + 8], data[at + 8 : at + 8 + length]
        assert zlib.crc32(name + body) == int.from_bytes(data[at + 8 + length : at + 12 + length])
        yield name, body
        at += 12 + length


def frames(data: bytes) -> list[tuple[tuple[int, ...], int, bytes]]:
    """The frames of a PNG that moves: width, height, x and y; milliseconds; its rows."""
    found, expected = list[tuple[tuple[int, ...], int, bytes]](), 0
    for name, body in chunks(data):
        if name == b"fcTL":
            area = tuple(int.from_bytes(body[4 * i : 4 * i + 4]) for i in range(1, 5))
            ms, of = int.from_bytes(body[20:22]), int.from_bytes(body[22:24])
            assert of == 1000
            found.append((area, ms, b""))
        elif name in (b"IDAT", b"fdAT"):
            packed = body if name == b"IDAT" else body[4:]
            found[-1] = (*found[-1][:2], zlib.decompress(packed))
        if name in (b"fcTL", b"fdAT"):
            assert int.from_bytes(body[:4]) == expected, "numbered in their order"
            expected += 1
    return found


def test_pictures_show_the_step_its_beats_and_the_story_on_the_axis_of_the_page(
    reader: Reader, tmp_path: Path
) -> None:
    reader.live.get_by_role("checkbox", name="Show draws").check()
    side = reader.live.get_by_role("checkbox", name="side by side")
    side.uncheck()
    reader.write("The <b> & ]]> sat on the")
    reader.button("Next").click()  # the step is held, so nothing settles
    expect(reader.chips).to_have_count(reader.header["n_prompt"] + 1)
    reader.until(lambda: reader.wire.n_open == 0, "no answer")
    tokens, pointer = reader.tokens()[1:], reader.header["steps"]["pointer"][-1]
    seen = ".bars-table tbody tr:not([hidden]) td[data-col=active] .bar-number"
    numbers = reader.live.locator(seen).all_text_contents()

    drawn = ElementTree.fromstring(save(reader, "this picture as SVG", tmp_path))
    assert words(drawn)[1 : 1 + len(tokens)] == tokens  # the first is the start
    assert faults(drawn, ACROSS, numbers) == []
    (line,) = drawn.iterfind(f"{SVG}line[@data-pointer]")
    left = MARGIN + LABEL
    assert min(begins(drawn)) > left + ACROSS, "what is out lies beyond the bar"
    assert float(line.attrib["x1"]) == pytest.approx(left + ACROSS * pointer, abs=NEAR)
    assert any(pointer_label(pointer) in text for text in words(drawn))
    assert words(drawn)[-1].startswith("storyteller, temperature")
    longest = max(width for lies in rows(drawn, "data-row").values() for _, width in lies)
    assert faults(drawn, longest, numbers) != [], "an axis as long as the longest bar"

    data = save(reader, "this picture as PNG", tmp_path)
    assert data.startswith(PNG)
    assert int.from_bytes(data[16:20]) == 2 * 1200

    strip = ElementTree.fromstring(save(reader, "the five beats as SVG", tmp_path))
    said = [text for text in words(strip) if text[:3] in {f"{n}  " for n in range(1, 6)}]
    assert said == [f"{n}  {word}" for n, word in enumerate(BEATS, start=1)]
    at_append = MARGIN + 4 * SMALL_STEP + SMALL_LABEL
    pointers = [float(x.attrib["x1"]) for x in strip.iterfind(f"{SVG}line[@data-pointer]")]
    assert pointers[-1] == pytest.approx(at_append + SMALL_ACROSS * pointer, abs=NEAR)
    assert len(pointers) == 2, "before the draw there is none"
    # in Cut where it lay, then beyond the bar
    assert len({round((x - MARGIN) % SMALL_STEP) for x in begins(strip)}) == len(begins(drawn)) + 1
    whole = sum(sum(width for _, width in lies) for lies in rows(strip, "data-row").values())
    assert whole == pytest.approx(4 * SMALL_ACROSS, abs=1), "every beat but Read has all of it"

    story = ElementTree.fromstring(save(reader, "the story as SVG", tmp_path))
    assert words(story)[1 : 1 + len(tokens)] == tokens
    (mark,) = story.iterfind(f"{SVG}line[@data-step]")
    ground = [n for n in story.iter(f"{SVG}rect") if n.get("fill-opacity")][-1]
    under = float(ground.attrib["x"]) + float(ground.attrib["width"]) * pointer
    assert float(mark.attrib["x1"]) == pytest.approx(under, abs=NEAR)

    moving = frames(save(reader, "the five beats, moving", tmp_path))
    assert sum(ms for _, ms, _ in moving) == 5 * 14 * 90 + 4 * 1100 + 2500
    width, height = moving[0][0][:2]
    assert width == 1200
    assert len(moving) > 5 * 7
    for (wide, high, x, y), _, pixels in moving:
        assert x + wide <= width
        assert y + high <= height
        assert len(pixels) == high * (1 + 3 * wide)
    side.check()
    reader.live.get_by_role("checkbox", name="Show draws").uncheck()


def test_what_makes_pictures_has_come_once_the_server_is_gone(
    reader: Reader, tmp_path: Path
) -> None:
    """It is fetched after the first press; if it does not come, the button says to try again."""
    page = reader.open(prompt="The bird sat on the", seed="0").page
    empty = {"content_type": "text/javascript", "body": "export const nothing = 0;"}
    page.route("**/picture_maker.js", lambda route: route.fulfill(**empty))
    reader.button("Save picture").click()
    saver = reader.button("Save this picture as SVG")
    saver.click()
    expect(saver).to_have_text("Try again")
    page.unroute("**/picture_maker.js")
    with page.expect_response("**/picture_maker.js"):
        page.reload()
        reader.button("Next").click()  # any press
    page.wait_for_timeout(300)
    page.context.set_offline(True)
    try:
        assert save(reader, "the story as SVG", tmp_path).startswith(b"<svg")
    finally:
        page.context.set_offline(False)
