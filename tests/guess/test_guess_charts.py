"""What the guessing game draws and says: scores in points and bits, names that are no markup."""

import dataclasses
import math
from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from model.guess.records import (
    EntropyBounds,
    GuessRead,
    GuessRound,
    GuessRow,
    PlayerRound,
    points,
)
from pages.lessons.guess.state import read_names
from tests.charts.drawn_charts import as_json, checked, column
from viz.format import THIN
from viz.guess.score_charts import (
    bounds_figure,
    mean_bits,
    rounds_table,
    rows_to_draw,
    running_figure,
)
from viz.guess.words import as_word, end_words, gains, rule_words, totals, verdict

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


def test_names_are_data_and_not_markup() -> None:
    assert "<b>Ben" not in as_json(checked(running_figure([one_round()])))


def test_a_verdict_says_what_came_and_what_everyone_gave_it() -> None:
    done = one_round()
    ada, ben, model = verdict(done)
    for word in ("mat", f"50{THIN}%"):
        assert word in ada
    assert "%" not in ben, "of a miss the word is enough"
    assert f"25.0{THIN}%" in model
    assert gains(done) == {"Ada": 110, "<b>Ben": 60, "the model": 100}
    for player, told in zip(done.players, ("50", "mat"), strict=True):
        (said,) = verdict(dataclasses.replace(done, players=(player,)))
        assert told in said
        assert f"25.0{THIN}%" in said
    silent = dataclasses.replace(done, players=(PlayerRound("Ada", (), 2**-12, None),))
    assert gains(silent)["Ada"] == 0, "who knows nothing of 4,096 tokens"
    assert "nothing" in verdict(silent)[0]


@pytest.mark.parametrize(("label", "word"), [("␣mat", "mat"), ("ing", "…ing"), (".", ".")])
def test_a_token_is_written_as_a_person_would(label: str, word: str) -> None:
    assert as_word(label) == word


def test_a_round_ends_with_the_points_of_both_and_what_made_the_difference() -> None:
    hit, miss = one_round(5, 0.5), one_round(6, 0.5)
    (ada, _) = hit.players
    missed = dataclasses.replace(ada, prob=2**-13, rank=None)
    alone = [dataclasses.replace(hit, players=(ada,)), dataclasses.replace(miss, players=(missed,))]
    assert totals(alone, ["Ada"]) == {"Ada": 110 - 10, "the model": 200}
    head, score = end_words(alone, ["Ada"])
    assert "1 of 2" in head
    assert [words in score for words in ("100 points", "200", "won")] == [True, True, False]
    assert all(n in rule_words() for n in ("120", "110", "25"))
    assert "68" in rule_words(0.028)  # a small share earns points, and why is said
    head, score = end_words(alone[:1], ["Ada"])
    assert "1 of 1" in head
    assert [words in score for words in ("110 points", "won")] == [True, True]
    (several,) = end_words([hit], ["Ada", "<b>Ben"])
    assert several.startswith("Ada won with 110 points; the model 100")


def test_the_bars_of_before_stay_and_what_came_and_was_named_join_them() -> None:
    """Adversary: a chart of the heaviest rows drops a bar that was there for the word that came."""
    last = one_round()
    rows = tuple(GuessRow(20 + i, f"␣w{i}", 0.1 / (i + 1), (0.01, 0.01)) for i in range(6))
    last = dataclasses.replace(last, rows=(*rows, *last.rows[::-1]))
    drawn = [row.token_id for row in rows_to_draw(last, 5, 2)]
    assert drawn == [20, 21, 22, 23, 24, MAT, FLOOR]
    assert [row.token_id for row in rows_to_draw(last, 5, 1)][5:] == [MAT]
    assert [row.token_id for row in rows_to_draw(one_round(), 2, 2)] == [FLOOR, MAT]


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
        return points(share)

    assert expected(of_page, said) <= expected(of_page, belief) + 1, "points are whole"
    if (belief, said) == (0.6, 0.99):  # a point a percent, which this refuses
        assert expected(lambda share: 100 * share, said) > 100 * (0.6**2 + 0.4**2) + 1
