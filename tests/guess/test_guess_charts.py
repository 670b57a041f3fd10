"""Figures of the guessing game: what is drawn, in whose colour, and that names are no markup."""

import dataclasses
import math
import re
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from model.guess.records import (
    EntropyBounds,
    GuessRead,
    GuessRound,
    GuessRow,
    HiddenText,
    PlayerRound,
)
from pages.lessons.guess.state import read_names
from tests.charts.drawn_charts import as_json, checked, column
from viz.guess.covered_bar import covered_bar
from viz.guess.score_charts import (
    bounds_figure,
    mean_bits,
    revealed_figure,
    rounds_table,
    rows_to_draw,
    running_figure,
)
from viz.guess.text import points, text_html, tiles_html
from viz.palette import colour

MAT, FLOOR, TAG = 7, 8, 9


def player(name: str, token_id: int, share: float, prob: float) -> PlayerRound:
    read = GuessRead("mat", "␣mat", token_id, 1, share)
    return PlayerRound(name, (read,), prob, 1 if prob == share else None)


def one_round(position: int = 5, ada: float = 0.5) -> GuessRound:
    players = (player("Ada", MAT, ada, ada), player("<b>Ben", FLOOR, 0.25, 1 / 64))
    rows = (
        GuessRow(FLOOR, "␣floor", 0.5, (0.01, 0.25)),
        GuessRow(MAT, "␣mat", 0.25, (ada, 1 / 64)),
        GuessRow(TAG, "<script>", 0.125, (0.01, 0.01)),
    )
    return GuessRound(position, MAT, "␣mat", 4096, math.log(0.25), 2, players, rows)


def test_the_distribution_sums_to_one_and_everyone_is_marked_at_what_they_named() -> None:
    chart = revealed_figure(one_round())
    bars, ada, ben = checked(chart).data
    assert sum(bars.x) == pytest.approx(1)
    assert list(bars.marker.line.width) == [1, 3, 1, 0]  # the true token's is outlined
    assert bars.marker.line.color[1] == colour("chosen")
    assert checked(chart).layout.yaxis.ticktext[1] == "<b>␣mat</b> ✓"
    assert checked(chart).layout.yaxis.ticktext[-1].endswith("093 others")
    assert "rank 2" in chart.caption
    assert (list(ada.x), list(ada.y)) == ([0.5], [1])
    assert (list(ben.x), list(ben.y)) == ([0.25], [0])
    assert ada.marker.symbol != ben.marker.symbol


def test_names_and_labels_are_data_and_not_markup() -> None:
    for chart in (revealed_figure(one_round()), running_figure([one_round()])):
        assert "<b>Ben" not in as_json(checked(chart))
    hidden = HiddenText(("One", " <script>", " two"), (None, 3.0, 5.0), 2)
    shown = text_html(hidden) + tiles_html([one_round()], in_bits=True)
    assert "<script>" not in shown
    assert "<b>Ben" not in shown
    assert "3.0 bits for the model" in shown
    assert shown.count("outline:2.5px") == 1  # around the newest
    assert "and 1 more token hidden" in shown
    assert "1.0\u202fbits" in shown
    assert "Ada, best" in shown


def test_the_covered_bar_lays_the_shares_end_to_end() -> None:
    bar = covered_bar((0.5, 0.25, 0.01))
    widths = [float(width) for width in re.findall(r"flex:0 0 ([\d.]+)%", bar)]
    assert widths == pytest.approx([50, 25, 1, 24])
    assert re.findall(r">([^<]+)<", bar) == ["50.0\u202f%", "25.0\u202f%"], "no word stands in it"


def test_the_true_token_is_drawn_however_unlikely() -> None:
    assert [row.token_id for row in rows_to_draw(one_round(ada=0.02), 2)] == [FLOOR, MAT]
    assert [row.token_id for row in rows_to_draw(one_round(), 1)] == [MAT]


def test_the_running_score_is_the_mean_of_the_bits_from_where_one_joined() -> None:
    late = dataclasses.replace(one_round(7), players=(player("Cleo", MAT, 0.25, 0.25),))
    rounds = [one_round(5, 0.5), one_round(6, 0.125), late]
    lines = mean_bits(rounds)
    assert lines["Ada"] == [(1, pytest.approx(1)), (2, pytest.approx(2))]
    assert lines["Cleo"] == [(3, pytest.approx(2))]
    assert lines["the model"][-1][1] == pytest.approx(2)
    assert lines["uniform"][-1][1] == pytest.approx(12)
    drawn = {
        line.name.partition(":")[0]: list(line.y) for line in checked(running_figure(rounds)).data
    }
    assert drawn["Ada"] == pytest.approx([1, 2])
    assert column(rounds_table(rounds), "bits: Cleo")[:2] == [None, None]


def test_bounds_are_drawn_from_lower_to_upper_with_the_score_beside() -> None:
    one = EntropyBounds("Ada", 6, 1.25, 3.5, 4.0, 2)
    bars, score = checked(bounds_figure([one])).data
    assert (bars.base[0], bars.base[0] + bars.x[0]) == (1.25, 3.5)
    assert list(score.x) == [4.0]
    assert "2 of 6 missed" in bounds_figure([one]).caption


def test_names_are_read_kept_apart_and_cleaned() -> None:
    assert read_names("Ada, Ben,, Cléo", "percent") == ("Ada", "Ben", "Cléo")
    assert read_names("", "percent") == ("You",)
    assert read_names("  ", "hands") == ("The class",)
    assert read_names("<b>*Ada*", "percent") == ("bAda",)
    for written, remedy in (
        ("Ada, ada", "of their own"),
        ("The model", "of their own"),
        ("a,b,c,d,e,f,g", "6 fit"),
        ("x" * 17, "16 letters"),
    ):
        with pytest.raises(ValueError, match=remedy):
            read_names(written, "percent")


SHARES = st.floats(0.01, 0.99)


@given(SHARES, SHARES)
@example(0.6, 0.99)
def test_who_says_what_they_believe_can_expect_the_most_points(belief: float, said: float) -> None:
    def expected(score: Callable[[float], float], stated: float) -> float:
        return belief * score(stated) + (1 - belief) * score(1 - stated)

    def of_page(share: float) -> float:
        return points(-math.log2(share))

    assert expected(of_page, said) <= expected(of_page, belief) + 1, "points are whole"
    if (belief, said) == (0.6, 0.99):  # a point a percent, which this refuses
        assert expected(lambda share: 100 * share, said) > 100 * (0.6**2 + 0.4**2) + 1
