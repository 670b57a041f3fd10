"""The figures of the constrained-decoding lesson."""

from __future__ import annotations

from dataclasses import replace

import pytest

from model.constraints.records import ConstrainedStep, MaskedDistribution, MaskedToken, MethodResult
from tests.charts.drawn_charts import checked, column
from viz.constraints.mask_chart import mask_figure, mass_figure
from viz.constraints.methods_chart import methods_figure, methods_table
from viz.palette import colour

SEEN = MaskedDistribution(
    (
        MaskedToken("␣food", 0.6, 0.0, is_allowed=False),
        MaskedToken("␣x", 0.1, 0.25, is_allowed=True),
        MaskedToken("␣<b>", 0.3, 0.75, is_allowed=True),
    ),
    0.4,
    2,
    1000,
)


def test_forbidden_bars_are_hatched_and_argmax_outlines_what_it_takes() -> None:
    chart = mask_figure(SEEN, temperature=0.0)
    allowed, forbidden, masked = checked(chart).data
    assert (list(allowed.x), list(forbidden.x), list(masked.x)) == ([0.1, 0.3], [0.6], [0.25, 0.75])
    assert forbidden.marker.pattern.shape == "/"
    assert allowed.marker.line.color == colour("kept")
    layout = checked(chart).layout
    assert layout.xaxis.range == layout.xaxis2.range  # what is scaled up can be seen
    assert layout.yaxis.ticktext == ("␣food", "␣x", "␣&lt;b&gt;")
    outlined = {(round(box.y0 + box.y1) / 2, box.xref) for box in layout.shapes}
    assert outlined == {(2.0, "x domain"), (2.0, "x2 domain")}
    assert not checked(mask_figure(SEEN)).layout.shapes
    for number in ("2 of 1\u202f000", "40.0\u202f%", "60.0\u202f%"):
        assert number in chart.caption


def step(label: str, mass: float) -> ConstrainedStep:
    return ConstrainedStep(label, mass / 2, mass, "wanted", 0.5)


def test_columns_sum_to_one_and_a_dead_end_is_named() -> None:
    chart = mass_figure([step("␣a", 0.5), step("␣q", 0.002)])
    allowed, removed = checked(chart).data
    assert [a + b for a, b in zip(allowed.y, removed.y, strict=True)] == pytest.approx([1, 1])
    assert list(removed.y) == pytest.approx([0.5, 0.998])
    assert "token 2" in chart.caption
    assert "0.10\u202f%" in chart.caption  # the product
    assert "Dead end" not in mass_figure([step("␣a", 0.5)]).caption
    for n_steps, angles in ((2, {0}), (9, {-90}), (40, set())):  # upright where they are close
        notes = checked(mass_figure([step("␣q", 0.002)] * n_steps)).layout.annotations
        assert {note.textangle for note in notes} == angles
        assert {note.text for note in notes} <= {"<b>99.8\u202f%</b>"}
    coming = mass_figure([], 0.25)  # before the first token: what it will be drawn from
    assert [list(bars.y) for bars in checked(coming).data] == [[0.25], [0.75]]


METHODS = (
    MethodResult("argmax", 0.0, 1, 1, " her shoes", 1.0, 0.0, -44.0, 0.1),
    MethodResult("T = 0.2", 0.2, 20, 20, " her shoes", 0.6, 0.25, -34.0, 2.0),
    MethodResult("4 beams", None, 1, 1, " some bread", 1.0, 1.0, -4.5, 0.1),
)


def test_methods_are_drawn_and_described_as_they_came() -> None:
    chart = methods_figure(METHODS)
    assert [list(panel.x) for panel in checked(chart).data] == [
        *([0.0, 0.25, 1.0], [1.0, 0.6, 1.0], [44.0, 34.0, 4.5])
    ]
    assert "25.0\u202f% of 20 texts" in chart.caption
    assert "“some bread”" in chart.caption
    assert "limit" not in chart.caption
    stuck = [METHODS[0], replace(METHODS[1], n_complete=17, escape_rate=0.0)]
    assert "does not escape" in methods_figure(stuck).caption
    assert "3 texts" in methods_figure(stuck).caption
    assert column(methods_table(stuck), "complete") == [1, 17]
    assert column(methods_table(METHODS), "time per text") == ["100\u202fms"] * 3
