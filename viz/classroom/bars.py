"""How a class answered, as a few bars, or as dots along a line; the pages of a room draw them.

People have the colour of the prompt, the model that of its shares, as everywhere. There are at most
five rows, and one for all that has none: more cannot be read from the back of a room.
"""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from model.classroom.records import (
    Bar,
    ClassRound,
    ClassRow,
    ClassScore,
    Dots,
    Outcome,
    Question,
    Tally,
)
from model.sentences import Numeral, Sentence
from viz.format import count, in_full, percent

MAX_BARS = 5
MAX_TOKENS = 5  # of the model beside a class: as many as a class is offered
MAX_TICKS = 5  # along the line of numbers
N_PLACES = 40  # dots that have room beside each other
N_LABELS = 14  # and numbers below them
WIDE = 1000  # times the least number is the largest: their line is logarithmic
CLASS, MODEL = (Sentence("the class"), "prompt"), (Sentence("the model"), "kept")
SHARE = (Sentence("share of the bar"), "expected")  # a line across the bar beside which it stands
NOW = (Sentence("now"), "prompt")
BEFORE = (Sentence("before the discussion"), "rejected")
NO_VOTES = Sentence("Nobody voted.")


def counted(tally: Tally, earlier: Tally | None = None, right: str = "") -> Outcome:
    """Draws the votes of a question, and those of the first time where it was asked twice.

    Without a vote the answers on offer stand there without bars.
    """
    now, before = _votes(tally), _votes(earlier) if earlier else {}
    if not any((*now.values(), *before.values())):
        some = list(now) if len(now) <= MAX_BARS else _most_frequent(list(now), now, right)
        rows = tuple(_votes_bar(name, [0], [{}], right) for name in some)
        return Outcome((CLASS,), rows, words=NO_VOTES)
    names = list(dict.fromkeys([*now, *before]))
    if tally.question.kind != "choice" or not tally.question.options:
        names.sort(key=lambda name: -now.get(name, 0))
    shown = names if len(names) <= MAX_BARS else _most_frequent(names, now, right)
    rounds = [now, before] if earlier else [now]
    bars = [
        _votes_bar(name, [votes.get(name, 0) for votes in rounds], rounds, right) for name in shown
    ]
    if len(shown) < len(names):
        others = [sum(n for name, n in votes.items() if name not in shown) for votes in rounds]
        bars.append(_votes_bar(Sentence("all other answers"), others, rounds, "", is_rest=True))
    return Outcome((NOW, BEFORE) if earlier else (CLASS,), tuple(bars))


def _votes(tally: Tally) -> dict[str, int]:
    """Returns how often each answer was given: those on offer, and those that were written."""
    return dict(zip(tally.question.options, tally.counts, strict=True)) | dict(tally.words)


def _most_frequent(names: Sequence[str], votes: Mapping[str, int], right: str) -> list[str]:
    """Returns what is right and the most frequent names in their order: others share a row."""
    is_wrong = {name: name.casefold() != right.casefold() for name in names}
    best = sorted(names, key=lambda name: (is_wrong[name], -votes.get(name, 0)))[: MAX_BARS - 1]
    return [name for name in names if name in best]


def _votes_bar(
    name: str,
    votes: Sequence[int],
    rounds: Sequence[Mapping[str, int]],
    right: str,
    *,
    is_rest: bool = False,
) -> Bar:
    of = [sum(each.values()) for each in rounds]
    return Bar(
        name,
        tuple(n / max(1, all_) for n, all_ in zip(votes, of, strict=True)),
        tuple(_of(n, all_) if all_ else "" for n, all_ in zip(votes, of, strict=True)),
        is_marked=bool(right) and name.casefold() == right.casefold(),
        is_rest=is_rest,
    )


def beside(found: ClassRound, came: int | None = None) -> Outcome:
    """Draws the votes of each token beside the model's probability, all others in one row.

    A token without a vote has the model's bar alone.

    Args:
        found: The class beside the model.
        came: The token that was appended; it is marked, and takes nobody's row.
    """
    n = found.n_answers

    def weight(row: ClassRow) -> float:
        return -max(row.n_votes / max(1, n), row.model_prob)

    def bar(name: str, n_votes: int, prob: float, **more: bool) -> Bar:
        votes = _of(n_votes, n) if n_votes else ""
        return Bar(name, (n_votes / max(1, n), prob), (votes, Numeral(percent(prob))), **more)

    kept = sorted(found.rows, key=weight)[:MAX_TOKENS]
    rows = [row for row in found.rows if row in kept or row.token_id == came]
    bars = [
        bar(row.label, row.n_votes, row.model_prob, is_drawn=row.token_id == came) for row in rows
    ]
    n_others = n - sum(row.n_votes for row in rows)
    others = max(0.0, 1 - math.fsum(row.model_prob for row in rows))
    bars.append(bar(Sentence("all other tokens"), n_others, others, is_rest=True))
    return Outcome((CLASS, MODEL), tuple(bars))


def given(score: ClassScore, n_answers: int) -> list[Sentence]:
    """Says how many voted for the token that came, what the model gave it, and who was surest."""
    if not n_answers:
        return []
    said = Sentence(
        "{votes} voted for it, the model gave it {probability}.",
        votes=_of(score.n_votes, n_answers),
        probability=Numeral(percent(score.model_prob)),
    )
    best = score.best_name
    return [said, Sentence("Surest of it was {name}.", name=best)] if best else [said]


def drawn(asked: Question, landed: Sequence[int]) -> Outcome:
    """Draws how many of a class's pointers fell on each token, across its share of the bar."""
    n = sum(landed)
    if not n:
        return Outcome((CLASS,), words=NO_VOTES)
    bars = [
        Bar(name, (k / n, share), (_of(k, n), ""))
        for name, share, k in zip(asked.options, asked.shares, landed, strict=True)
    ]
    if asked.has_rest:
        bars[-1] = replace(bars[-1], is_rest=True)
    return Outcome((CLASS, SHARE), tuple(bars))


def numbers(tally: Tally, earlier: Tally | None = None, truth: float | None = None) -> Outcome:
    """Draws the numbers that a class wrote as stacked dots along a line from 0, and their median.

    The line goes beyond the largest number, so that this is not taken for the largest there is.

    Args:
        tally: What was written.
        earlier: The same of the first time, where it was asked twice.
        truth: The true number, where the class may see it.
    """
    rounds = [_numbers(each) for each in (tally, earlier) if each is not None]
    every = [*rounds[0], *(rounds[1] if earlier else ()), *([] if truth is None else [truth])]
    series = (NOW, BEFORE) if earlier else (CLASS,)
    if not every:
        return Outcome(series, words=Sentence("Nobody wrote a number."))
    low, high = min(every), max(every)
    is_wide = low > 0 and high >= WIDE * low
    steps = [] if is_wide else _steps(min(0.0, low), max(0.0, high))
    low, high = (low, high) if is_wide else (steps[0], steps[-1])
    place = _scale(low, high, is_log=is_wide)
    heights = [_stacked(list(map(place, of_round))) for of_round in rounds]
    dots = [
        (place(number), height, i)
        for i, of_round in enumerate(rounds)
        for number, height in zip(of_round, heights[i], strict=True)
    ]
    marks = []
    if rounds[0]:
        middle = float(np.median(rounds[0]))
        marks.append(
            (Sentence("median {number}", number=Numeral(in_full(middle))), place(middle), "prompt")
        )
    if truth is not None:
        marks.append(
            (Sentence("true {number}", number=Numeral(in_full(truth))), place(truth), "generated")
        )
    words = Sentence("Logarithmic: each step to the right multiplies.") if is_wide else ""
    if rounds[0] and not is_wide:
        words = Sentence("Half of you said {number} or less.", number=Numeral(in_full(middle)))
    piles = _piles(rounds[0], place, [dot[:2] for dot in dots])
    ends = Numeral(in_full(low)), Numeral(in_full(high))
    drawn_dots = Dots(tuple(dots), tuple(marks), ends, tuple(map(place, steps[1:-1])), piles)
    return Outcome(series, dots=drawn_dots, words=words)


def _steps(low: float, high: float) -> list[float]:
    """Returns round numbers a step apart, the last one above all of a line: there is air."""
    wanted = ((high - low) or 1.0) / MAX_TICKS
    power = 10.0 ** math.floor(math.log10(wanted))
    step = next(n * power for n in (1, 2, 5, 10) if n * power >= wanted)
    first = math.floor(low / step)
    return [float(f"{step * i:.12g}") for i in range(first, math.floor(high / step) + 2)]


def _piles(
    given: Sequence[float],
    place: Callable[[float], float],
    dots: Sequence[tuple[float, int]],
) -> tuple[tuple[float, int, str, str], ...]:
    """Returns how many gave each number, above all dots that are near it.

    Where not all have room, the most frequent ones have.
    """
    found: list[tuple[float, int, str, str]] = []
    for number, n in Counter(given).most_common():
        at = place(number)
        if all(abs(at - other) >= 1 / N_LABELS for other, *_ in found):
            top = max(height for other, height in dots if abs(other - at) < 0.5 / N_LABELS)
            is_at_end = min(at, 1 - at) < 1 / N_LABELS  # the end's number stands there
            found.append((at, top, count(n), "" if is_at_end else Numeral(in_full(number))))
    return tuple(sorted(found))


def in_short(tally: Tally, right: str = "") -> tuple[float, Bar | None]:
    """Returns the share of a class that was right, and its answers as one bar.

    The bar is that of the right answer, or of the most frequent one where none is right; of numbers
    it is the median beside the true one. Who is within a tenth of that is right.

    Returns:
        The share, 1 where nothing is right or nobody answered; and None where nobody did.
    """
    if tally.question.kind == "number":
        return _numbers_in_short(_numbers(tally), right)
    votes = _votes(tally)
    n = sum(votes.values())
    if not n:
        return 1.0, None
    names = [name for name in votes if name.casefold() == right.casefold()]
    name = right or max(votes, key=lambda one: votes[one])
    n_votes = sum(votes[one] for one in names) if right else votes[name]
    bar = Bar(name, (n_votes / n,), (_of(n_votes, n),), is_marked=bool(right))
    return n_votes / n if right else 1.0, bar


def _numbers_in_short(given: Sequence[float], right: str) -> tuple[float, Bar | None]:
    if not given:
        return 1.0, None
    middle = Sentence("median {number}", number=Numeral(in_full(float(np.median(given)))))
    if not right:
        return 1.0, Bar("", (), (middle,))
    truth = float(right)
    n_near = sum(abs(number - truth) <= abs(truth) / 10 for number in given)
    true = Sentence("true {number}", number=Numeral(in_full(truth)))
    return n_near / len(given), Bar(true, (), (middle,))


def _of(n: int, all_: int) -> Sentence:
    return Sentence("{n} of {all}", n=count(n), all=count(all_))


def _numbers(tally: Tally) -> list[float]:
    return sorted(float(number) for number, n in tally.words for _ in range(n))


def _scale(low: float, high: float, *, is_log: bool) -> Callable[[float], float]:
    """Returns what gives a number its place from 0 to 1: by its size, or by its logarithm."""
    if is_log:
        return lambda number: math.log(number / low) / math.log(high / low)
    return lambda number: (number - low) / (high - low) if high > low else 0.5


def _stacked(places: Sequence[float]) -> list[int]:
    """Returns a height for each place, rising ones: the lowest where no dot is in the way."""
    lasts: list[float] = []  # at each height, where the last dot stands
    heights: list[int] = []
    for place in places:
        free = (i for i, last in enumerate(lasts) if place > last + 1 / N_PLACES)
        height = next(free, len(lasts))
        lasts[height : height + 1] = [place]
        heights.append(height + 1)
    return heights
