"""Shannon's estimate: how many guesses it took bounds the entropy of a text.

Let q_i be how often the i-th guess is right. Then the entropy of a token lies between
sum i (q_i - q_(i+1)) log2 i and -sum q_i log2 q_i (C. E. Shannon 1951, "Prediction and entropy of
printed English", Bell System Technical Journal 30, 50-64), if the guesses come in the best order,
for which q never rises. Counts of a short game do rise: Shannon smoothed his by hand, here the
most likely q that never rises is taken (Grenander 1956), which is the least concave curve above
the counts so far.
"""

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import TypeAlias

from model.guess.records import MODEL, EntropyBounds, GuessRound

Span: TypeAlias = tuple[int, int]  # ranks between which one token's lies, from 1, both included
Block: TypeAlias = tuple[int, float]  # last rank of a run of equal ones, probability of each


def estimate(rounds: Sequence[GuessRound]) -> list[EntropyBounds]:
    """Returns Shannon's estimate for all who played, and for the model, from a round or more."""
    n_vocab = rounds[0].n_vocab
    turns: dict[str, list[tuple[int | None, int, float]]] = {}  # rank, guesses, bits
    for done in rounds:
        for player in done.players:
            turn = player.rank, len(player.guesses), player.bits
            turns.setdefault(player.name, []).append(turn)
    turns[MODEL] = [(done.model_rank, n_vocab, done.model_bits) for done in rounds]
    bounds = []
    for name, own in turns.items():
        ranks, n_guesses, scores = zip(*own, strict=True)
        lower, upper = entropy_bounds(ranks, n_guesses, n_vocab)
        mean = sum(scores) / len(scores)
        bounds.append(EntropyBounds(name, len(own), lower, upper, mean, ranks.count(None)))
    return bounds


def entropy_bounds(
    ranks: Sequence[int | None], n_guesses: Sequence[int], n_vocab: int
) -> tuple[float, float]:
    """Returns the lower and the upper bound in bits per token.

    A miss has a rank that nobody knows. The lower bound takes it for the next guess, the upper one
    for any of the tokens that were not guessed, all equally likely: the least and the most it can
    be.

    Args:
        ranks: Of the true token among the guesses, from 1; None for a miss.
        n_guesses: How many guesses there were each time.
        n_vocab: How many tokens there are to guess.
    """
    pairs = list(zip(ranks, n_guesses, strict=True))
    early = [(rank, rank) if rank else (n + 1, n + 1) for rank, n in pairs]
    late = [(rank, rank) if rank else (n + 1, n_vocab) for rank, n in pairs]
    return lower_bound(isotonic_fit(early)), upper_bound(isotonic_fit(late))


def isotonic_fit(spans: Sequence[Span]) -> list[Block]:
    """Returns the most likely probabilities by rank that never rise, as blocks of equal ones.

    Args:
        spans: For each token the ranks between which its own lies, evenly likely.
    """
    ends = sorted({0, *(first - 1 for first, _ in spans), *(last for _, last in spans)})
    points = [(end, sum(_share_up_to(span, end) for span in spans) / len(spans)) for end in ends]
    # the hull: drop a point wherever the slope after it is no smaller than the slope before it
    hull: list[tuple[int, float]] = []
    for point in points:
        while len(hull) > 1 and _slope(hull[-1], point) >= _slope(hull[-2], hull[-1]):
            hull.pop()
        hull.append(point)
    return [(end[0], _slope(start, end)) for start, end in pairwise(hull)]


def upper_bound(blocks: Sequence[Block]) -> float:
    """Returns -sum q log2 q: the entropy of the ranks, from which the text can be restored."""
    first, total = 0, 0.0
    for last, prob in blocks:
        total -= (last - first) * prob * math.log2(prob) if prob > 0 else 0.0
        first = last
    return total


def lower_bound(blocks: Sequence[Block]) -> float:
    """Returns sum i (q_i - q_(i+1)) log2 i, whose terms are 0 but where a block ends."""
    following = [prob for _, prob in blocks[1:]] + [0.0]
    return math.fsum(
        last * (prob - after) * math.log2(last)
        for (last, prob), after in zip(blocks, following, strict=True)
    )


def _share_up_to(span: Span, end: int) -> float:
    first, last = span
    return min(max(end - first + 1, 0) / (last - first + 1), 1.0)


def _slope(start: tuple[int, float], end: tuple[int, float]) -> float:
    return (end[1] - start[1]) / (end[0] - start[0])
