"""Figures for the back row."""

from __future__ import annotations

from viz.chart import Chart, new_figure
from viz.presenter import enlarge


def test_every_letter_grows_and_the_small_figure_stays_as_it_was() -> None:
    figure = new_figure("light")
    figure.add_bar(x=[1], y=[2], text=["a"], textfont={"size": 10}, marker={"color": "#123456"})
    figure.update_layout(height=100)
    small = Chart(figure, "c", "a")
    large = enlarge(small, 2).figure
    assert large.data[0].textfont.size == 20
    assert large.layout.height == 200
    assert large.layout.legend.font.size == 24
    assert large.layout.template.layout.xaxis.tickfont.size == 24
    assert list(large.data[0].y) == [2]
    assert large.data[0].marker.color == "#123456"
    assert small.figure.data[0].textfont.size == 10
    assert small.figure.layout.height == 100
