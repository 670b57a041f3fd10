"""From a distribution to a token: the one order, the pointer, the draw; how far draws agree.

The randomness is an argument: a pointer in [0, 1) that can be shown, replayed and tested. This
module knows stages and no strategy; numpy only.
"""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Sequence

import numpy as np
import numpy.typing as npt

from model.records import Candidate, Distribution, FloatArray, IntArray, Stage

MAX_HELD = 4_096  # logits of a large vocabulary that are held one by one
_MAX_BINS = 256  # of the histogram
_WIDENING = 12.0  # nats: so much further down a bin is e times as wide
# nats below the best of the tail at which a bin begins, narrow ones first
_DEPTHS = -_WIDENING * np.log1p(-np.arange(1, _MAX_BINS - 3) / (_MAX_BINS - 3))
_MAX_VARIANCE = 1e12  # that of a bin far down, which weighs nothing, may have no bounds
_64_BITS = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def rank_order(scores: FloatArray) -> npt.NDArray[np.intp]:
    """Returns the ids by score, best first, ties by id: the one order of every sum and list."""
    if scores.dtype != np.float32:
        scores = np.asarray(scores, dtype=np.float64)
    n_bits = 8 * scores.itemsize
    # read as whole numbers, the bits of positive floats rise with them, those of negative ones fall
    bits = (scores + scores.dtype.type(0)).view(f"i{scores.itemsize}")  # no -0.0
    falling = bits ^ (~bits >> (n_bits - 1) & np.iinfo(bits.dtype).max)
    # sort by 16 bits at a time, the lowest first; each pass leaves equals as they stand
    digits = falling.view(np.uint16).reshape(scores.size, -1)  # the lowest first, as in memory
    order = np.argsort(digits[:, 0], kind="stable")
    for column in digits.T[1:]:
        order = order[np.argsort(column[order], kind="stable")]
    return order


def best_ids(scores: FloatArray, n: int) -> npt.NDArray[np.intp]:
    """Returns the first n of `rank_order`, without sorting the rest."""
    n = min(n, len(scores))
    least = np.partition(scores, -n)[-n]
    ids = np.flatnonzero(scores >= least)
    return ids[rank_order(scores[ids])][:n]


def place_of(scores: FloatArray, token_id: int) -> int:
    """Returns how many come before a token in the one order: 0 for the best."""
    own = scores[token_id]
    return int(np.count_nonzero(scores > own) + np.count_nonzero(scores[:token_id] == own))


def best_except(scores: FloatArray, ids: Iterable[int]) -> int:
    """Returns the best token that is not one of these; of equals the lowest id."""
    others = scores.copy()
    others[list(ids)] = -np.inf
    return int(others.argmax())


def uniform_at(seed: int, position: int) -> float:
    """Returns the pointer for a position of a text: a number in [0, 1) of 53 random bits.

    A function of the two numbers alone (splitmix64's mixer, applied to the seed and then to the
    seed's stream at `position`), so that no rewind, fork or forced token can disturb it.
    """
    return (_mix(_mix(seed + _GOLDEN) + (position + 1) * _GOLDEN) >> 11) / (1 << 53)


def second_toss(pointer: float) -> float:
    """Returns the later digits of a pointer, in [0, 1): the earlier ones do not tell them."""
    return pointer * (1 << 27) % 1.0


def _mix(number: int) -> int:
    """Scrambles 64 bits (Steele, Lea and Flood 2014, variant 13 of Stafford)."""
    number &= _64_BITS
    number = (number ^ (number >> 30)) * 0xBF58476D1CE4E5B9 & _64_BITS
    number = (number ^ (number >> 27)) * 0x94D049BB133111EB & _64_BITS
    return number ^ (number >> 31)


def draw(stage: Stage, pointer: float) -> int:
    """Returns the token on which the pointer falls."""
    return int(draw_many(stage.order, stage.best_probs, [pointer])[0])


def draw_from(probs: FloatArray, pointer: float) -> int:
    """Does what `draw` does, for probabilities by id, (vocab,)."""
    ids = np.flatnonzero(probs)
    ids = ids[rank_order(probs[ids])]
    return int(draw_many(ids, probs[ids], [pointer])[0])


def draw_many(ids: IntArray, probs: FloatArray, pointers: Sequence[float] | FloatArray) -> IntArray:
    """Returns the token on which each pointer falls.

    The probabilities are laid end to end, best first, as a bar from 0 to 1; the token drawn is the
    one whose piece of the bar holds the pointer, its left end included and its right end not.

    Args:
        ids: (n,) tokens, best first.
        probs: (n,) theirs; they need not sum to exactly 1.
        pointers: any number of them, in [0, 1).
    """
    ends = np.cumsum(probs)
    drawn: IntArray = ids[np.searchsorted(ends, np.asarray(pointers) * ends[-1], side="right")]
    return drawn


def count_draws(stage: Stage, n: int, seed: int = 0) -> npt.NDArray[np.int64]:
    """Draws n tokens, the i-th by the seed's pointer of position i; returns how often each came."""
    pointers = [uniform_at(seed, position) for position in range(n)]
    drawn = draw_many(stage.order, stage.best_probs, pointers)
    return np.bincount(drawn, minlength=stage.n_vocab)


def agreement(answers: Sequence[Hashable]) -> float:
    """Returns the chance that two of the answers, taken at random, are the same; 1 for one."""
    n = len(answers)
    same = sum(count * (count - 1) for count in Counter(answers).values())
    return same / (n * (n - 1)) if n > 1 else 1.0


def candidates(
    stages: Sequence[Stage], labels: Callable[[int], str], drawn_id: int, n: int = 12
) -> tuple[Candidate, ...]:
    """Returns the n best tokens by raw score, with what every stage made of them.

    Args:
        stages: what `process` returned, "raw" first.
        labels: gives the visible text of an id.
        drawn_id: of the token that gets a row wherever it ranks.
        n: how many rows, or one more if that token is not among them.
    """
    ids = stages[0].order[:n].tolist()
    if drawn_id not in ids:
        ids.append(drawn_id)
    scores, probs, kept = zip(*(stage.of(ids) for stage in stages), strict=True)
    columns = (
        ids,
        map(labels, ids),
        scores[0].tolist(),
        map(tuple, np.transpose(probs).tolist()),
        map(tuple, np.transpose(kept).tolist()),
    )
    return tuple(Candidate(*row) for row in zip(*columns, strict=True))


def summarise(
    logits: FloatArray, limit: int = MAX_HELD, order: IntArray | None = None
) -> Distribution:
    """Keeps the best `limit` logits one by one and the rest as a histogram.

    The bins are slices of the one order, the first one being the best token of the tail alone and
    the last one whatever is at -inf. At the top they are narrow, a twentieth of a nat, and they
    widen downwards. Each is held as its count, mean and variance, which is enough to normalise the
    best ones to about a millionth, at any temperature up to 2.

    Args:
        logits: (vocab,) raw.
        limit: how many are kept one by one.
        order: what `rank_order` gives for them, where it is known; one that leaves tokens out is
            not used.
    """
    logits = np.asarray(logits, dtype=np.float32)
    n_vocab = len(logits)
    if n_vocab <= limit:
        return Distribution(n_vocab, ids=None, logits=logits.copy())
    if order is None or len(order) < n_vocab:
        order = rank_order(logits)
    tail = logits[order[limit:]].astype(np.float64)
    n_finite = np.count_nonzero(tail > -np.inf)
    # np.unique drops the bins that would be empty
    starts = np.unique([0, 1, n_finite, *np.searchsorted(-tail, _DEPTHS - tail[0])])
    starts = starts[starts < tail.size]
    counts = np.diff(np.append(starts, tail.size))
    means = np.add.reduceat(tail, starts) / counts
    squares = np.zeros(tail.size)
    squares[:n_finite] = (tail[:n_finite] - np.repeat(means, counts)[:n_finite]) ** 2
    variances = np.add.reduceat(squares, starts) / counts
    return Distribution(
        n_vocab=n_vocab,
        ids=order[:limit].astype(np.int32),
        logits=logits[order[:limit]],
        tail_counts=counts.astype(np.int32),
        tail_logits=means,
        tail_variances=np.minimum(variances, _MAX_VARIANCE),
    )
