"""The pictures of the documents, made by `python -m benchmarks.pictures`."""

import re

import pytest

from benchmarks.moving import BEATS, QUESTION_MS, SCHEMES
from benchmarks.slides import MARGIN, PANEL, STEP, panel
from tests.driving.harness import ROOT
from tests.home.test_picture import PNG, frames

MAX_BYTES = 1_500_000
SECONDS = (9.5, 10.5)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_the_readme_opens_with_ten_seconds_that_move(scheme: str) -> None:
    data = (ROOT / "docs" / f"next-{scheme}.png").read_bytes()
    assert data.startswith(PNG)
    assert len(data) < MAX_BYTES
    shown = frames(data)
    milliseconds = sum(ms for _, ms, _ in shown)
    assert milliseconds == QUESTION_MS + sum(BEATS.values())
    assert SECONDS[0] <= milliseconds / 1000 <= SECONDS[1]
    assert len(shown) > 5 * len(BEATS)
    top = (ROOT / "README.md").read_text("utf-8").split("\n## ")[0]
    assert f"docs/next-{scheme}.png" in top
    assert "prefers-color-scheme: dark" in top


def test_the_slides_are_one_file_that_fetches_nothing() -> None:
    slides = (ROOT / "docs" / "slides.html").read_text("utf-8")
    asked, shown = slides.count("<section>"), slides.count('<section class="beat">')
    assert (shown, asked + shown) == (5, slides.count("</section>"))
    assert asked >= 2 * 5 + 3, "a slide asks before another one shows"
    assert not re.search(r"(?:src|href)=|url\(|@import|\bfetch\b", slides)
    pictures = re.findall(r'<svg[^>]* viewBox="([\d. ]+)"', slides)
    beats = [box for box in pictures if float(box.split()[2]) == PANEL]
    assert [float(box.split()[0]) for box in beats] == [MARGIN + n * STEP for n in range(5)]
    assert len(pictures) > len(beats) + 3
    assert "slides.html" in (ROOT / "docs" / "teaching.md").read_text("utf-8")


def test_a_panel_is_cut_from_its_strip() -> None:
    cut = panel('<svg viewBox="0 0 2756 703"><g/></svg>', 3)
    assert f'viewBox="{MARGIN + 2 * STEP} {MARGIN} {PANEL} 603"' in cut
    with pytest.raises(AssertionError):
        panel("<svg></svg>", 1)
