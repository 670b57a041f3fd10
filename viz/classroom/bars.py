"""How a class answered, as a few bars, or as dots along a line; the pages of a room draw them.

People have the colour of the prompt, the model that of its shares, as everywhere. There are at most
five rows, and one for all that has none: more cannot be read from the back of a room.
"""

import math
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from itertools import chain, pairwise

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
MAX_WHOLE = 12  # whole numbers that each have a tick
N_PLACES = 30  # columns of dots that have room beside each other
N_DIGITS = 36  # and digits below them
FAR = 4  # times the median, or the true number, is far away
LEAST_FAR = 10.0  # and nothing below this
MAX_FAR = 0.25  # of the numbers: more of them have their place on the line
CLASS, MODEL = (Sentence("the class"), "prompt"), (Sentence("the model"), "kept")
POINTERS = (Sentence("pointers of the class"), "prompt")
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
    if tally.question.kind == "next":
        shown = _offered_first(names, tally)
    else:
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
    votes: Counter[str] = Counter()
    for name, n in chain(zip(tally.question.options, tally.counts, strict=True), tally.words):
        votes[name] += n  # a word that is on offer as well is one answer
    return votes


def _most_frequent(names: Sequence[str], votes: Mapping[str, int], right: str) -> list[str]:
    """Returns what is right and the most frequent names in their order: others share a row."""
    is_wrong = {name: name.casefold() != right.casefold() for name in names}
    best = sorted(names, key=lambda name: (is_wrong[name], -votes.get(name, 0)))[: MAX_BARS - 1]
    return [name for name in names if name in best]


def _offered_first(names: Sequence[str], tally: Tally) -> list[str]:
    """Returns the tokens that have a row: those on offer, then written ones while there is room.

    A written one that most gave has a row in any case.
    """
    votes, offered = _votes(tally), tally.question.options
    ranked = sorted(names, key=lambda name: (name not in offered, -votes.get(name, 0)))
    kept = {*ranked[:MAX_BARS], *names[:1]}
    return [name for name in names if name in kept]


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


def beside(found: ClassRound, came: int | None = None, offered: Collection[int] = ()) -> Outcome:
    """Draws the votes of each token beside the model's probability, all others in one row.

    A token without a vote has the model's bar alone.

    Args:
        found: The class beside the model.
        came: The token that was appended; it is marked, and takes nobody's row.
        offered: Tokens that had a button: they have their rows before what was written.
    """
    n = found.n_answers

    def weight(row: ClassRow) -> tuple[bool, float]:
        return row.token_id not in offered, -max(row.n_votes / max(1, n), row.model_prob)

    def bar(name: str, n_votes: int, prob: float, **more: bool) -> Bar:
        votes = _of(n_votes, n) if n_votes else ""
        return Bar(name, (n_votes / max(1, n), prob), (votes, Numeral(percent(prob))), **more)

    kept = sorted(found.rows, key=weight)[:MAX_TOKENS]
    if offered:  # what most wrote has a row in any case
        kept.append(max(found.rows, key=lambda row: (row.n_votes, row in kept)))
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
    return Outcome((POINTERS, SHARE), tuple(bars))


def numbers(tally: Tally, earlier: Tally | None = None, truth: float | None = None) -> Outcome:
    """Draws the numbers that a class wrote as columns of dots along a line from 0.

    The line goes beyond the largest number, so that this is not taken for the largest there is. A
    few that are many times as large as the others are told at its end: they would leave no room.

    Args:
        tally: What was written.
        earlier: The same of the first time, where it was asked twice.
        truth: The true number, where the class may see it; without it the median is marked.
    """
    rounds = [_numbers(each) for each in (tally, earlier) if each is not None]
    truths = [] if truth is None else [truth]
    series = (NOW, BEFORE) if earlier else (CLASS,)
    if not any(rounds) and not truths:
        return Outcome(series, words=Sentence("Nobody wrote a number."))
    far = _far([number for of_round in rounds for number in of_round], truths)
    near = [[number for number in of_round if abs(number) < far] for of_round in rounds]
    every = [*chain.from_iterable(near), *truths]
    steps = _steps(min(0.0, *every), max(0.0, *every))
    low, high = steps[0], steps[-1]

    def place(number: float) -> float:
        return (number - low) / (high - low)

    columns = _columns(every, place)
    dots = [
        (place(columns[number][0]), height, i)
        for i, of_round in enumerate(near)
        for column in _by_column(of_round, columns)
        for height, number in enumerate(column, start=1)
    ]
    middle = float(np.median(rounds[0])) if rounds[0] else None
    marks: list[tuple[str, float, str]] = []
    if truth is not None:
        words = Sentence("true {number}", number=Numeral(in_full(truth)))
        marks.append((words, place(truth), "generated"))
    elif middle is not None:
        words = Sentence("median {number}", number=Numeral(in_full(middle)))
        marks.append((words, place(middle), "prompt"))
    ticks = [(place(number), words) for number, words in _labels(steps, truths, place).items()]
    piles = _piles(near[0], columns, dots, place)
    beyond = tuple(
        _more([number for number in rounds[0] if number * sign >= far]) for sign in (-1, 1)
    )
    drawn_dots = Dots(tuple(dots), tuple(marks), tuple(ticks), piles, (beyond[0], beyond[1]))
    said = Sentence("Half of you said {number} or less.", number=Numeral(in_full(middle or 0)))
    return Outcome(series, dots=drawn_dots, words="" if middle is None else said)


def _far(given: Sequence[float], truths: Sequence[float]) -> float:
    """Returns from which size on numbers lie behind the end; infinity where too many would."""
    middle = float(np.median(given)) if given else 0.0
    far = max(LEAST_FAR, FAR * max(abs(middle), *map(abs, truths), 0.0))
    n_far = sum(abs(number) >= far for number in given)
    return far if 0 < n_far <= MAX_FAR * len(given) else math.inf


def _more(numbers_behind: Sequence[float]) -> str:
    """Says how many numbers lie behind an end, and which."""
    if not numbers_behind:
        return ""
    those = list(dict.fromkeys(in_full(number) for number in numbers_behind))
    named = " … ".join((those[0], those[-1])) if len(those) > 1 else those[0]
    return Sentence("{n} more: {numbers}", n=count(len(numbers_behind)), numbers=Numeral(named))


def _steps(low: float, high: float) -> list[float]:
    """Returns round numbers a step apart, the last one above all of a line: there is air.

    Few whole numbers are all there: a class counts along them.
    """
    wanted = ((high - low) or 1.0) / MAX_TICKS
    power = 10.0 ** math.floor(math.log10(wanted))
    step = next(n * power for n in (1, 2, 5, 10) if n * power >= wanted)
    if step >= 1 and math.floor(high) + 2 - math.floor(low) <= MAX_WHOLE:
        step = 1.0
    first = math.floor(low / step)
    return [float(f"{step * i:.12g}") for i in range(first, math.floor(high / step) + 2)]


def _columns(
    every: Sequence[float], place: Callable[[float], float]
) -> dict[float, tuple[float, ...]]:
    """Returns for each number those that share its column: itself, or all within a dot's width."""
    columns: list[list[float]] = []
    for number in sorted(set(every)):
        if columns and place(number) - place(columns[-1][0]) < 0.999 / N_PLACES:
            columns[-1].append(number)
        else:
            columns.append([number])
    return {number: tuple(column) for column in columns for number in column}


def _by_column(
    given: Sequence[float], columns: Mapping[float, tuple[float, ...]]
) -> list[list[float]]:
    found: dict[tuple[float, ...], list[float]] = {}
    for number in given:
        found.setdefault(columns[number], []).append(number)
    return list(found.values())


def _piles(
    given: Sequence[float],
    columns: Mapping[float, tuple[float, ...]],
    dots: Sequence[tuple[float, int, int]],
    place: Callable[[float], float],
) -> tuple[tuple[float, int, str], ...]:
    """Returns how many stand in each column, and how high."""
    found: list[tuple[float, int, str]] = []
    for column in _by_column(given, columns):
        at = place(columns[column[0]][0])
        top = max(height for other, height, _ in dots if other == at)
        found.append((at, top, count(len(column))))
    return tuple(sorted(found))


def _labels(
    steps: Sequence[float], truths: Sequence[float], place: Callable[[float], float]
) -> dict[float, str]:
    """Returns what stands below the line at each step, and at the true number.

    The labels are evenly apart: where not all have room, every second or fifth has, and none that
    would touch the true number's.
    """

    def are_apart(one: float, other: float) -> bool:
        n_digits = (len(in_full(one)) + len(in_full(other))) / 2 + 0.6
        return abs(place(one) - place(other)) >= n_digits / N_DIGITS

    every = (1, 2, 5, len(steps))
    labelled = next(
        some
        for some in (steps[::n] for n in every)
        if len(some) == 1 or all(are_apart(one, other) for one, other in pairwise(some))
    )
    free = [one for one in labelled if all(are_apart(one, truth) for truth in truths)]
    said = {*free, *truths}
    return {
        number: Numeral(in_full(number)) if number in said else ""
        for number in sorted({*steps, *truths})
    }


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
