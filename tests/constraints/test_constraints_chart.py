"""The figures of the constraint lesson."""

from __future__ import annotations

import pytest

from model.constraints.records import (
    ConstrainedStep,
    MaskedDistribution,
    MaskedToken,
    WayOut,
)
from viz.constraints.mask_chart import mask_figure, mass_figure
from viz.constraints.ways_chart import ways_figure, ways_table
from viz.palette import THEMES, Theme, colour

SEEN = MaskedDistribution(
    (
        MaskedToken(5, "␣food", 0.6, 0.0, is_allowed=False),
        MaskedToken(7, "␣<b>", 0.3, 0.75, is_allowed=True),
        MaskedToken(8, "␣x", 0.1, 0.25, is_allowed=True),
    ),
    0.4,
    2,
    1000,
)


@pytest.mark.parametrize("theme", THEMES)
def test_forbidden_bars_are_hatched_and_stand_left_alone(theme: Theme) -> None:
    figure = mask_figure(SEEN, 7, theme).figure
    allowed, forbidden, left = figure.data
    assert list(allowed.x) == [0.3, 0.1]
    assert list(forbidden.x) == [0.6]
    assert forbidden.marker.pattern.shape == "/"
    assert allowed.marker.line.color == colour("kept", theme)
    assert list(left.x) == [0.75, 0.25]
    assert left.xaxis == "x2"
    assert figure.layout.yaxis.ticktext == ("␣food", "␣&lt;b&gt;", "␣x")
    outlined = {(round(box.y0 + box.y1) / 2, box.xref) for box in figure.layout.shapes}
    assert outlined == {(1.0, "x domain"), (1.0, "x2 domain")}


def test_the_right_side_says_at_which_temperature_it_is_drawn() -> None:
    cold = mask_figure(SEEN, None, temperature=0.0).figure
    assert cold.layout.xaxis2.title.text == "masked, at T = 0"
    assert mask_figure(SEEN, None).figure.layout.xaxis2.title.text == "masked, at T = 1"


def test_the_caption_says_what_is_thrown_away() -> None:
    caption = mask_figure(SEEN, None).caption
    assert "2 of 1\u202f000 tokens, which have 40.0\u202f%" in caption
    assert "60.0\u202f% is thrown away" in caption


def step(label: str, mass: float) -> ConstrainedStep:
    return ConstrainedStep(1, label, mass / 2, 1.0, mass, 3, "wanted", 0.5)


def test_columns_sum_to_one_and_a_corner_is_named() -> None:
    chart = mass_figure([step("␣a", 0.5), step("␣q", 0.002)])
    left, thrown = chart.figure.data
    assert [a + b for a, b in zip(left.y, thrown.y, strict=True)] == pytest.approx([1, 1])
    assert list(thrown.y) == pytest.approx([0.5, 0.998])
    assert "corner at token 2" in chart.caption
    assert "0.10\u202f%" in chart.caption  # the product
    assert "corner" not in mass_figure([step("␣a", 0.5)]).caption


def test_above_each_column_stands_what_was_thrown_away_upright_where_they_are_close() -> None:
    few = mass_figure([step("␣a", 0.5), step("␣q", 0.002)]).figure.layout.annotations
    assert [note.text for note in few] == ["50.0\u202f%", "<b>99.8\u202f%</b>"]
    assert {note.textangle for note in few} == {0}
    many = mass_figure([step("a", 0.5)] * 9).figure.layout.annotations
    assert {note.textangle for note in many} == {-90}
    assert not mass_figure([step("a", 0.5)] * 40).figure.layout.annotations


WAYS = [
    WayOut("argmax", 0.0, 1, 1, " her shoes", 1.0, 0.0, -44.0, 0.1),
    WayOut("T = 0.2", 0.2, 20, 20, " her shoes", 0.6, 0.25, -34.0, 2.0),
    WayOut("4 beams", None, 1, 1, " some bread", 1.0, 1.0, -4.5, 0.1),
]


def test_ways_out_are_drawn_and_said_as_they_came() -> None:
    chart = ways_figure(WAYS)
    escaped, agree, likely = chart.figure.data
    assert list(escaped.x) == [0.0, 0.25, 1.0]
    assert list(agree.x) == [1.0, 0.6, 1.0]
    assert list(likely.x) == [-44.0, -34.0, -4.5]
    assert escaped.y[0] == "argmax"
    assert chart.figure.layout.yaxis.categoryarray[-1] == "argmax"  # on top
    assert "gets out in 25.0\u202f% of 20 texts" in chart.caption
    assert "The beam finds “some bread”" in chart.caption
    assert "limit on length" not in chart.caption
    stuck = [WAYS[0], WayOut("T = 0.2", 0.2, 20, 17, " her shoes", 1.0, 0.0, -44.0, 2.0)]
    assert "does not get out" in ways_figure(stuck).caption
    assert "3 texts came to the limit on length" in ways_figure(stuck).caption
    assert list(ways_table(stuck)["complete"]) == [1, 17]
    assert list(ways_table(WAYS)["time per text"]) == [
        "100\u202fms",
        "100\u202fms",
        "100\u202fms",
    ]
