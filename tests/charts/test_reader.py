"""A figure as its reader sees it: in their theme, and for the back row."""

import json

import numpy as np
import plotly.graph_objects as go

from viz.chart import add_bars, add_cells, add_line, add_points, new_figure
from viz.figure import Figure, as_seen
from viz.labels import place_rows
from viz.numbers import number_tables, numbers_html, numbers_of
from viz.palette import code, colour, sheer
from viz.serving.lanes_chart import add_boxes


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


def test_all_that_a_figure_draws_stands_in_tables_and_no_label_is_markup() -> None:
    figure = new_figure(x="tokens", y="seconds")
    add_line(figure, "measured", [1, 2], [0.25, 1 / 3], "", hover="%{y}")
    add_line(figure, "", [0, 9], [7, 7], "")  # only guides the eye
    marks, cells = number_tables(figure), new_figure()
    assert marks == [
        [
            {"series": "measured", "tokens": "1", "seconds": "0.2500"},
            {"series": "measured", "tokens": "2", "seconds": "0.3333"},
        ]
    ]
    labels = ["&lt;b&gt;", "a", "a"]
    ticks = {"tickvals": [0, 1, 2], "ticktext": labels, "title": {"text": "token"}}
    cells.update_layout(xaxis=ticks, yaxis={"tickvals": [0], "ticktext": ["layer 1"]})
    add_cells(cells, np.array([[0.5, np.nan, 3]]), ["", ""])
    assert number_tables(cells) == [[{"row": "layer 1", "<b>": "0.5000", "2: a": "–", "3: a": "3"}]]
    written = numbers_html(cells)
    assert "<b>" not in written
    assert '<th scope="row">layer 1</th>' in written
    spans = new_figure(x="seconds")
    add_boxes(spans, "waiting", [(0, 1, 2.5), (1, 0, 4)], "rejected")
    add_bars(spans, "run", ["a"], [2], base=[1])
    place_rows(spans, ["first", "second"])
    assert [
        (row["row"], row["seconds, from"], row["seconds, to"]) for row in number_tables(spans)[0]
    ] == [
        ("first", "1", "2.500"),
        ("second", "0", "4"),
        ("a", "1", "3"),
    ]


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
