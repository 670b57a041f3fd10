"""What is drawn of a class's answers: every vote once, and never more rows than can be read."""

import math
from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.classroom.records import (
    ClassRound,
    ClassRow,
    Outcome,
    Question,
    QuestionKind,
    Tally,
)
from viz.classroom.bars import (
    MAX_BARS,
    MAX_TOKENS,
    N_PLACES,
    beside,
    counted,
    drawn,
    in_short,
    numbers,
)

counts = st.lists(st.integers(0, 60), min_size=2, max_size=8)


def tally(
    votes: Sequence[int], written: Sequence[tuple[str, int]] = (), kind: QuestionKind = "choice"
) -> Tally:
    options = tuple(f"answer {i}" for i in range(len(votes)))
    return Tally(Question(1, kind, "Which?", options), tuple(votes), tuple(written))


@given(counts, st.dictionaries(st.sampled_from("abcdefgh"), st.integers(1, 5)))
def test_every_vote_is_in_one_of_at_most_five_rows(votes: list[int], words: dict[str, int]) -> None:
    bars = counted(tally(votes, list(words.items()))).bars
    assert len(bars) <= MAX_BARS
    n = sum(votes) + sum(words.values())
    assert math.fsum(bar.values[0] for bar in bars) == pytest.approx(1 if n else 0)
    said = [bar.texts[0].split(" of ") for bar in bars if bar.texts[0]]
    assert sum(int(k) for k, _ in said) == n
    assert {all_ for _, all_ in said} == ({str(n)} if n else set()), "no votes are no bars"


def test_a_word_that_was_typed_and_pressed_is_counted_once_and_both_add_up() -> None:
    both = tally([9, 0], [("answer 0", 1)], kind="next")
    assert [(bar.label, *bar.texts) for bar in counted(both).bars] == [
        ("answer 0", "10 of 10"),
        ("answer 1", "0 of 10"),
    ]
    share, bar = in_short(both, "answer 0")
    assert (share, bar and bar.texts) == (1, ("10 of 10",))


def test_choices_keep_their_order_and_words_come_by_their_votes() -> None:
    assert [bar.label for bar in counted(tally([1, 5, 2])).bars] == [
        "answer 0",
        "answer 1",
        "answer 2",
    ]
    of_next = counted(tally([1, 5, 2], kind="next"), right="ANSWER 2")
    assert [bar.label for bar in of_next.bars] == ["answer 1", "answer 2", "answer 0"]
    assert [bar.is_marked for bar in of_next.bars] == [False, True, False]


def test_what_is_right_has_a_row_even_if_nobody_said_it() -> None:
    bars = counted(tally([4, 4, 4, 4, 4, 4, 0]), right="answer 6").bars
    assert [bar.label for bar in bars if bar.is_marked] == ["answer 6"]
    assert (len(bars), bars[-1].texts) == (MAX_BARS, ("12 of 24",))


def test_a_second_vote_stands_beside_the_first() -> None:
    outcome = counted(tally([1, 3]), earlier=tally([3, 3]))
    assert [name for name, _ in outcome.series] == ["now", "before the discussion"]
    assert [bar.texts for bar in outcome.bars] == [("1 of 4", "3 of 6"), ("3 of 4", "3 of 6")]
    assert [bar.values for bar in outcome.bars] == [(0.25, 0.5), (0.75, 0.5)]


probs = st.lists(st.floats(1e-6, 1), min_size=1, max_size=12)


@given(probs, st.data())
def test_class_and_model_each_fill_their_bars_and_what_came_is_among_them(
    weights: list[float], data: st.DataObject
) -> None:
    whole = 2 * sum(weights)  # half of it lies elsewhere
    votes = data.draw(st.lists(st.integers(0, 9), min_size=len(weights), max_size=len(weights)))
    rows = [
        ClassRow(i, f"word {i}", n, w / whole)
        for i, (n, w) in enumerate(zip(votes, weights, strict=True))
    ]
    came = data.draw(st.sampled_from(range(len(rows))))
    n_answers = sum(votes) + 1  # one is no token
    outcome = beside(ClassRound(n_answers, tuple(rows)), came)
    for bar in outcome.bars:
        said, _, of = bar.texts[0].partition(" of ")
        assert bar.values[0] == (int(said) / int(of) if said else 0), "a vote is a count, or none"
    assert len(outcome.bars) <= MAX_TOKENS + 2, "those on offer, what came, and all others"
    before = [bar.label for bar in beside(ClassRound(n_answers, tuple(rows))).bars]
    assert set(before) <= {bar.label for bar in outcome.bars}, "what came takes nobody's row"
    for i in (0, 1):
        assert math.fsum(bar.values[i] for bar in outcome.bars) == pytest.approx(1)
    assert [bar.label for bar in outcome.bars if bar.is_drawn] == [f"word {came}"]
    assert not any(bar.is_marked for bar in outcome.bars), "nothing is right"
    assert [bar.is_rest for bar in outcome.bars] == [False] * (len(outcome.bars) - 1) + [True]


def test_what_was_on_offer_has_a_row_before_what_was_written() -> None:
    words = [("roof", 2), ("shed", 1)]
    names = [bar.label for bar in counted(tally([1, 6, 1, 1, 0], words, kind="next")).bars]
    assert sorted(names[:-1]) == [f"answer {i}" for i in range(5)], "those with one vote, too"
    most = [bar.label for bar in counted(tally([1, 6, 1, 1, 0], [("roof", 7)], kind="next")).bars]
    assert (most[0], len(most)) == ("roof", 6), "what most wrote has a row more"

    votes = [1, 6, 1, 1, 0, 2, 0]
    rows = tuple(ClassRow(i, f"word {i}", n, 0.1 - 0.01 * i) for i, n in enumerate(votes))
    beside_it = beside(ClassRound(11, rows), None, range(5)).bars
    assert [bar.label for bar in beside_it[:-1]] == [f"word {i}" for i in range(5)]
    rows = (*rows[:5], ClassRow(5, "word 5", 7, 0.01), rows[6])
    assert [bar.label for bar in beside(ClassRound(16, rows), 6, range(5)).bars[:-1]] == [
        f"word {i}" for i in range(7)
    ]


def of_pointers(*, has_rest: bool = False) -> Question:
    return Question(1, "sampler", "Where?", ("a", "b"), (0.25, 0.75), has_rest)


def test_pointers_are_counted_beside_the_shares_of_the_bar() -> None:
    bars = drawn(of_pointers(has_rest=True), [1, 3]).bars
    assert [bar.is_rest for bar in bars] == [False, True]
    assert [bar.values for bar in bars] == [(0.25, 0.25), (0.75, 0.75)]
    assert [bar.texts[0] for bar in bars] == ["1 of 4", "3 of 4"]


def test_where_nobody_voted_one_sentence_says_so_and_no_bar() -> None:
    nothing, some = tally([0, 0]), tally([1, 1])
    for outcome in (
        counted(nothing),
        counted(nothing, nothing, "answer 1"),
        drawn(of_pointers(), [0] * 2),
    ):
        assert (len(outcome.series), bool(outcome.words)) == (1, True)
        assert not any((*bar.values, *filter(None, bar.texts)) != (0,) for bar in outcome.bars)
    late = counted(tally([0] * 8), right="answer 7").bars
    assert [bar.label for bar in late if bar.is_marked] == ["answer 7"], "also of many"
    again = counted(
        nothing, earlier=some
    )  # who voted before is still shown, and nobody as "0 of 0"
    assert [bar.texts for bar in again.bars] == [("", "1 of 2")] * 2


def test_a_class_is_remembered_by_one_number_and_the_share_that_was_right() -> None:
    share, bar = in_short(tally([1, 3]), "ANSWER 0")
    assert bar is not None
    assert (share, bar.values, bar.texts, bar.is_marked) == (0.25, (0.25,), ("1 of 4",), True)
    share, bar = in_short(tally([1, 3]))  # nothing is right: what most said
    assert bar is not None
    assert (share, bar.label, bar.is_marked) == (1, "answer 1", False)
    share, bar = in_short(tally([], [("cat", 2)], kind="next"), "dog")  # which nobody said
    assert bar is not None
    assert (share, bar.label, bar.texts) == (0, "dog", ("0 of 2",))
    share, bar = in_short(written(("28", 1), ("30", 1), ("6", 2)), "30")
    assert bar is not None
    assert (share, bar.values) == (0.5, ())
    assert ["17" in bar.texts[0], "30" in bar.label] == [True, True]
    for nobody in (tally([0, 0]), written()):
        assert in_short(nobody, "30") == (1, None)


def written(*those: tuple[str, int]) -> Tally:
    return tally([], those, "number")


def test_numbers_are_dots_in_columns_and_none_hangs_in_the_air() -> None:
    given = written(("1", 2), ("2", 1), ("5", 1), ("6", 3), ("7", 1))
    outcome = numbers(given, written(("5", 2), ("20", 1)), 6)
    assert outcome.dots is not None
    by_place: dict[tuple[float, int], list[int]] = {}
    for place, height, i in outcome.dots.dots:
        by_place.setdefault((place, i), []).append(height)
    assert sorted(map(sorted, by_place.values())) == [[1], [1], [1], [1], [1, 2], [1, 2], [1, 2, 3]]
    assert sum(map(len, by_place.values())) == 11, "each answer is a dot"
    assert [role for _, _, role in outcome.dots.marks] == ["generated"], "the true one alone"
    assert (outcome.dots.marks[0][1], "6") in outcome.dots.ticks
    closed = numbers(given).dots
    assert closed is not None
    assert [role for _, _, role in closed.marks] == ["prompt"], "the median, until then"
    assert "5.5" in numbers(written(("2", 1), ("9", 1))).words, "half of them said so, or less"


@pytest.mark.parametrize("sign", [1, -1])
def test_a_few_that_are_far_away_are_told_at_the_end_of_the_line(sign: int) -> None:
    those = [("1", 1), ("2", 2), ("5", 2), ("6", 3), ("7", 2)]
    dots = numbers(written(*those, (str(1000 * sign), 1)), truth=6).dots
    assert dots is not None
    assert len(dots.dots) == 10
    said = dots.beyond[sign > 0]
    assert ("1 more" in said, "000" in said, dots.beyond[sign < 0]) == (True, True, "")
    labels = [float(words.replace("\u202f", "")) for _, words in dots.ticks if words]
    assert max(map(abs, labels)) <= 10, "the others have the line"
    half = numbers(written(("1", 2), ("2000", 2))).dots  # these are no exception
    assert half is not None
    assert (len(half.dots), half.beyond) == (4, ("", ""))


@given(st.dictionaries(st.integers(-50, 10**6), st.integers(1, 9), min_size=1, max_size=12))
def test_every_number_is_a_dot_or_told_at_an_end(of: dict[int, int]) -> None:
    dots = numbers(written(*((str(number), n) for number, n in of.items())), truth=30).dots
    assert dots is not None
    n_told = sum(int(words.split(" ")[0]) for words in dots.beyond if words)
    assert len(dots.dots) + n_told == sum(of.values())
    assert all(0 <= place <= 1 for place, *_ in dots.dots)
    places = sorted({place for place, *_ in dots.dots})
    assert all(b - a > 0.99 / N_PLACES for a, b in pairwise(places)), "no column hides another"


def test_numbers_say_how_many_gave_each_and_the_right_one_has_its_number() -> None:
    outcome = numbers(written(("3", 5), ("6", 13), ("7", 2), ("18", 1)), truth=7)
    assert outcome.dots is not None
    piles = {round(20 * place): n for place, _, n in outcome.dots.piles}
    assert piles == {3: "5", 6: "13", 7: "2", 18: "1"}
    assert labels_of(outcome) == ["0", "5", "7", "10", "15", "20"]
    nobody = numbers(written(("3", 1)), truth=7).dots
    assert nobody is not None
    assert [n for *_, n in nobody.piles] == ["1"]


def labels_of(outcome: Outcome) -> list[str]:
    assert outcome.dots is not None
    return [words for _, words in outcome.dots.ticks if words]


def test_labels_are_evenly_apart_and_none_is_left_out_between() -> None:
    few = numbers(written(("3", 5), ("4", 1), ("8", 2)), truth=6)
    assert labels_of(few) == [str(n) for n in range(10)]
    half = numbers(written(("3.5", 1), ("10", 2)))
    assert labels_of(half) == [str(n) for n in range(12)]
    long = labels_of(numbers(written(("3000000", 1), ("4000000", 1))))
    assert [int(words.replace("\u202f", "")) // 10**6 for words in long] == [0, 2, 4]


@pytest.mark.parametrize("given", [("0",), ("0.3", "0.7"), ("1e15",), ("-5", "2"), ("-7",)])
def test_no_number_stands_at_the_end_of_its_line(given: tuple[str, ...]) -> None:
    outcome = numbers(written(*((one, 1) for one in given)))
    assert outcome.dots is not None
    assert all(0 <= place < 1 for place, *_ in outcome.dots.dots)
    places = [at for at, _ in outcome.dots.ticks]
    assert (places, places[0], places[-1]) == (sorted({*places}), 0, 1)


def test_one_number_alone_and_none_are_drawn_too() -> None:
    alone = numbers(written(("7", 1))).dots
    assert alone is not None
    assert alone.dots == ((7 / 8, 1, 0),)
    assert labels_of(numbers(written(("7", 1)))) == [*map(str, range(9))], "from nought on"
    assert numbers(written()).dots is None
    assert numbers(written()).words
