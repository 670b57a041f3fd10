"""What is drawn of a class's answers: every vote once, and never more rows than can be read."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.classroom.records import ClassRound, ClassRow, Question, QuestionKind, Tally
from viz.classroom.bars import MAX_BARS, MAX_TOKENS, beside, counted, drawn, in_short, numbers

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


def test_numbers_are_dots_that_hide_none_beside_median_and_truth() -> None:
    outcome = numbers(written(("8000.5", 1)), written(("100", 2), ("1e6", 1)), 8192)
    assert outcome.dots is not None
    places = {(place, height) for place, height, _ in outcome.dots.dots}
    assert len(places) == len(outcome.dots.dots) == 4, "equal numbers are stacked"
    assert sorted(i for _, _, i in outcome.dots.dots) == [0, 1, 1, 1]
    ends = [place for place, _, i in outcome.dots.dots if i == 1]
    assert (min(ends), max(ends)) == (0, 1)
    assert outcome.dots.ticks == (), "its steps are no equal ones"
    (_, middle, _), (_, true, _) = outcome.dots.marks
    logs = [math.log10(n / 100) / 4 for n in (8000.5, 8192)]  # from 100 to a million
    assert [middle, true] == pytest.approx(logs)
    assert outcome.words, "a line that is logarithmic says so"
    assert "5.5" in numbers(written(("2", 1), ("9", 1))).words, "half of them said so, or less"


def test_numbers_say_how_many_gave_each_as_long_as_there_is_room() -> None:
    outcome = numbers(written(("3", 5), ("6", 13), ("7", 2), ("18", 1)))
    assert outcome.dots is not None
    assert outcome.dots.ends == ("0", "20"), "the line goes on behind the largest"
    assert outcome.dots.ticks == (0.25, 0.5, 0.75)
    piles = {round(20 * place): (n, label) for place, _, n, label in outcome.dots.piles}
    assert piles == {3: ("5", "3"), 6: ("13", "6"), 18: ("1", "18")}, "7 is too near"


@pytest.mark.parametrize("given", [("0",), ("0.3", "0.7"), ("1e15",), ("-5", "2"), ("-7",)])
def test_no_number_stands_at_the_end_of_its_line(given: tuple[str, ...]) -> None:
    outcome = numbers(written(*((one, 1) for one in given)))
    assert outcome.dots is not None
    assert all(0 <= place < 1 for place, *_ in outcome.dots.dots)
    assert list(outcome.dots.ticks) == sorted({at for at in outcome.dots.ticks if 0 < at < 1})


def test_one_number_alone_and_none_are_drawn_too() -> None:
    alone = numbers(written(("7", 1))).dots
    assert alone is not None
    assert alone.dots == ((7 / 8, 1, 0),)
    assert alone.ends == ("0", "8"), "the line begins at nought"
    assert numbers(written()).dots is None
    assert numbers(written()).words
