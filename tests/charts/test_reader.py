"""A figure as its reader sees it: in their theme, and for the back row."""

from __future__ import annotations

import json

import numpy as np
import plotly.graph_objects as go

from viz.chart import add_bars, add_line, add_points, new_figure
from viz.figure import Figure, as_seen, numbers_of
from viz.labels import place_rows
from viz.palette import code, colour, sheer


def a_figure() -> Figure:
    figure = new_figure(100)
    tones = [colour("kept"), sheer(colour("ink"), 0.25), "rgba(0,0,0,0)"]
    figure.add_bar(x=[1, 2, 3], y=[2, 3, 4], marker={"color": tones}, textfont={"size": 10})
    figure.add_heatmap(z=[[1]], colorscale=[[0, sheer(colour("keys"))], [1, colour("keys")]])
    figure.add_annotation(text=colour("kept"), bgcolor=colour("paper"))
    return figure


def test_every_letter_grows_and_the_small_figure_stays_as_it_was() -> None:
    small = a_figure()
    described = as_seen(small, "light", 2).to_dict()
    (bars, _), layout = described["data"], described["layout"]
    assert bars["textfont"]["size"] == 20
    assert layout["height"] == 200
    assert layout["legend"]["font"]["size"] == 24
    assert layout["template"]["layout"]["xaxis"]["tickfont"]["size"] == 24
    assert bars["y"] == [2, 3, 4]
    assert small.to_dict() == a_figure().to_dict()


def test_an_array_is_packed_as_plotly_packs_it() -> None:
    figure = new_figure()
    figure.add_heatmap(z=np.array([[0.5, np.nan], [1, 2]]), text=np.array([["a", "b"], ["c", "d"]]))
    (packed,) = as_seen(figure, "dark").to_dict()["data"]
    (theirs,) = go.Figure(figure.data).to_dict()["data"]
    assert packed["z"] == theirs["z"]
    assert packed["text"] == theirs["text"].tolist()


def test_every_role_is_painted_and_no_text_is() -> None:
    described = as_seen(a_figure(), "dark").to_dict()
    bars, cells = described["data"]
    assert bars["marker"]["color"] == [
        code("kept", "dark"),
        "rgba(236,238,242,0.25)",
        "rgba(0,0,0,0)",
    ]
    assert cells["colorscale"] == [[0, "rgba(127,139,51,0.6)"], [1, code("keys", "dark")]]
    (note,) = described["layout"]["annotations"]
    assert note["bgcolor"] == code("paper", "dark")
    assert note.pop("text") == "var(--kept)", "what a reader writes stays"
    assert described["layout"]["template"]["layout"]["colorway"][0] == code("kept", "dark")
    assert "var(" not in json.dumps(described, default=str)


def test_who_hears_the_page_is_told_each_mark_and_the_ends_of_a_line() -> None:
    rows = new_figure()
    add_bars(rows, "kept", [0, 1], [0.5, 0.25], ["<b>50 %</b>", "25 %"])
    add_points(rows, "", [0.1], [1], {}, text=["&lt;unk&gt;"])
    place_rows(rows, ["cat", "dog"])
    assert numbers_of(rows) == "kept: cat 50 %, dog 25 %. dog <unk>."
    lines = new_figure()
    add_line(lines, "measured", range(100), [i / 3 for i in range(100)], "", hover="%{y}")
    add_line(lines, "a frame", [0, 1], [0, 1], "")
    assert numbers_of(lines) == "measured: 0 at 0, 33.0 at 99."
