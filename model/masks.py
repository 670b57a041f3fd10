"""One small function per strategy: what each does to a distribution, and nothing else.

Every strategy here is given the scores of the tokens that are *still in play, best first* (ties by
id), as finite float64, or their probabilities where it is one of OF_PROBS. A penalty or the
temperature returns new scores; a mask returns which of the tokens it keeps, and always keeps one.
None knows ids, order of stages or what came before.

Sums run one by one from the first number to the last, as `numpy.cumsum` does, so that the page's
twin of this file repeats them to the last bit.

Sources: top-k 1805.04833, top-p 1904.09751, min-p 2407.01082, typical 2202.00666, epsilon and eta
2210.15191, top-n-sigma 2411.07641, Min-k 2604.11012, Top-H 2509.02510, p-less 2509.23234,
mirostat 2007.14966 (its second version), repetition penalty 1909.05858; bounds and ties are those
of transformers 5.23 `generation/logits_process.py`. DRY and XTC come from pull requests 5677 and
6335 of text-generation-webui; their bounds and constants are those of llama.cpp b11549, but for
DRY's sequence breakers and its window of 64 tokens: here the whole text counts. Mirostat's rate is
llama.cpp's own.
"""

import math
from collections.abc import Callable, Collection
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from model.records import BoolArray, FloatArray

DRY_BASE = 1.75  # by which the penalty grows with every token of the repeated stretch
DRY_ALLOWED = 2  # tokens that may be repeated without one
_DRY_MOST = 158  # further tokens that count: llama.cpp's bound, beyond which float32 overflows
TOP_H_MOST = 100  # tokens that Top-H looks at, as in transformers
XTC_THRESHOLD = 0.1  # the probability from which a token is a top choice

Scores: TypeAlias = FloatArray  # float64 here
LogProbs: TypeAlias = npt.NDArray[np.float64]
Counts: TypeAlias = npt.NDArray[np.intp]
Mask: TypeAlias = BoolArray


def total(numbers: Scores) -> float:
    """Adds up the numbers one after another."""
    return float(np.cumsum(numbers)[-1]) if numbers.size else 0.0


def softmax(scores: Scores) -> Scores:
    """Turns scores into probabilities: the exponentials, divided by their sum."""
    # the best score is taken off first, so that no exponential can overflow
    weights = np.exp(scores - scores[0])
    return np.asarray(weights / total(weights))


def softmax_and_entropy(scores: Scores) -> tuple[Scores, float]:
    """Returns `softmax`, and `entropy` but for rounding: the exponentials are taken once for both.

    This entropy is for the eye; no token is kept or dropped by it.
    """
    shifted = scores - scores[0]
    weights = np.exp(shifted)
    weight = total(weights)
    # in place, for with 50,000 tokens a fresh array costs more than the arithmetic
    shifted *= weights
    undecided = float(np.log(weight) - shifted.sum() / weight)
    weights /= weight
    return weights, undecided


def log_softmax(scores: FloatArray) -> LogProbs:
    """Turns scores, in any order, into log-probabilities over the last axis, in float64.

    A token has one even where its probability underflows to 0.
    """
    raw = np.asarray(scores, dtype=np.float64)
    shifted: LogProbs = raw - raw.max(axis=-1, keepdims=True)
    weights = np.exp(shifted)
    # in place, for with 50,000 tokens a fresh array costs more than the arithmetic
    np.cumsum(weights, axis=-1, out=weights)
    shifted -= np.log(weights[..., -1:])
    return shifted


def without(scores: Scores, banned: Collection[int]) -> Scores:
    """Returns scores in which some tokens cannot be drawn; what was given stays as it is."""
    if not banned:
        return scores
    left = scores.copy()
    left[..., list(banned)] = -np.inf
    return left


def divergence(first: LogProbs, second: LogProbs, *, merged: BoolArray | None = None) -> LogProbs:
    """Returns KL(first || second) over the last axis, in nats; never below 0 by rounding.

    Args:
        first: log-probabilities.
        second: log-probabilities, compared as -10,000 where they are less.
        merged: tokens that count as one, for only their sum is known: KL is at least what is
            returned then.
    """
    if merged is not None and merged.any():
        first, second = _merge(first, merged), _merge(second, merged)
    # what the first never says costs nothing, whatever the second thinks of it
    gaps = np.where(first > -np.inf, first - np.maximum(second, -1e4), 0.0)
    return np.asarray(np.maximum(0.0, (np.exp(first) * gaps).sum(axis=-1)))


def _merge(logprobs: LogProbs, merged: BoolArray) -> LogProbs:
    """Puts the sum of some tokens behind all others, and leaves nothing in their places."""
    with np.errstate(divide="ignore"):
        one = np.log(np.exp(logprobs).sum(axis=-1, where=merged, keepdims=True))
    return np.concatenate([np.where(merged, -np.inf, logprobs), one], axis=-1)


def entropy(scores: Scores) -> float:
    """Returns how undecided the distribution is, in nats: 0 for one token, log n for n equals."""
    shifted = scores - scores[0]
    weights = np.exp(shifted)
    weight = total(weights)
    return float(np.log(weight) - total(shifted * weights) / weight)


def repetition_penalty(scores: Scores, counts: Counts, penalty: float) -> Scores:
    """Makes each token that is in the text less likely, however often it is there.

    A negative score is multiplied and any other divided, so that both move down.
    """
    penalised = np.where(scores < 0, scores * penalty, scores / penalty)
    return np.where(counts > 0, penalised, scores)


def presence_penalty(scores: Scores, counts: Counts, penalty: float) -> Scores:
    """Takes the penalty off each token that was written, once."""
    return scores - penalty * (counts > 0)


def frequency_penalty(scores: Scores, counts: Counts, penalty: float) -> Scores:
    """Takes the penalty off each token as often as it was written."""
    return scores - penalty * counts


def dry(scores: Scores, lengths: Counts, multiplier: float) -> Scores:
    """Takes more off a token the longer the stretch of the text is that it would repeat ("DRY").

    Args:
        scores: (n,) of the tokens in play.
        lengths: (n,) what `repeated` says of them.
        multiplier: of the penalty at the shortest stretch that has one.
    """
    # each power from the one before, so that the page's twin repeats it to the last bit
    powers = np.cumprod([1.0] + [DRY_BASE] * _DRY_MOST)
    excess = np.clip(lengths - DRY_ALLOWED, 0, _DRY_MOST)
    return scores - np.where(lengths >= DRY_ALLOWED, multiplier * powers[excess], 0.0)


def repeated(ids: Counts, minlength: int) -> Counts:
    """Counts, for each token, how many tokens at the end of the text stood before it earlier.

    Args:
        ids: (n,) the text.
        minlength: size of the vocabulary, by `numpy.bincount`'s name.

    Returns:
        (vocab,) the longest such stretch; 0 for a token that continues none.
    """
    lengths = np.zeros(minlength, dtype=np.intp)
    for place in np.flatnonzero(ids[:-1] == ids[-1:]) + 1:
        differs = np.flatnonzero(ids[:place][::-1] != ids[-place:][::-1])
        length = int(differs[0]) if differs.size else place
        lengths[ids[place]] = max(lengths[ids[place]], length)
    return lengths


def temperature(scores: Scores, value: float) -> Scores:
    """Divides the scores: below 1 sharpens the distribution, above 1 flattens it."""
    return scores / value


def greedy(scores: Scores) -> Mask:
    """Keeps the best token alone; of equals, the lowest id."""
    return np.arange(scores.size) < 1


def top_k(scores: Scores, k: int) -> Mask:
    """Keeps the k best tokens, and all that tie with the last of them."""
    last = min(k, scores.size) - 1
    return scores >= float(scores[last])


def top_p(probs: Scores, p: float) -> Mask:
    """Keeps the smallest set of best tokens that reaches p; the one that crosses p is in it."""
    # from the worst upwards, remove while what is removed is at most 1 - p
    removed_mass: Scores = np.cumsum(probs[::-1])[::-1]
    kept = removed_mass > 1 - p
    kept[0] = True
    return kept


def min_p(probs: Scores, fraction: float) -> Mask:
    """Keeps the tokens at least `fraction` as likely as the best one."""
    return probs >= fraction * float(probs[0])


def typical_p(scores: Scores, mass: float) -> Mask:
    """Keeps the tokens whose surprise is nearest to the entropy, until they reach `mass`.

    All that are as near as the last one are kept. The best token may well go.
    """
    distance: Scores = np.abs(-log_softmax(scores) - entropy(scores))
    nearest_first = np.argsort(distance, kind="stable")
    reached = np.cumsum(softmax(scores)[nearest_first])
    last = min(int(np.count_nonzero(reached < mass)), scores.size - 1)
    return distance <= float(distance[nearest_first[last]])


def epsilon(scores: Scores, cutoff: float) -> Mask:
    """Keeps the tokens with at least the probability `cutoff`, and the best one in any case."""
    kept = softmax(scores) >= cutoff
    kept[scores >= float(scores[0])] = True  # and its equals
    return kept


def eta(scores: Scores, cutoff: float) -> Mask:
    """Keeps what epsilon keeps, with a lower cutoff where the distribution is undecided."""
    return epsilon(scores, min(cutoff, math.sqrt(cutoff) * math.exp(-entropy(scores))))


def top_n_sigma(scores: Scores, n: float) -> Mask:
    """Keeps the tokens whose score is within n standard deviations of the best one."""
    mean = total(scores) / scores.size
    deviation = math.sqrt(total((scores - mean) ** 2) / scores.size)
    return scores >= float(scores[0]) - n * deviation


def min_k(scores: Scores, tau: float) -> Mask:
    """Keeps what stands before the steepest fall of the sorted scores, and all that tie with it.

    A fall counts for less the further down it is. Where all scores lie close, at least tau over
    their range are kept.
    """
    spread = float(scores[0] - scores[-1])
    if spread == 0:
        return np.ones(scores.size, dtype=np.bool_)
    falls = -np.diff(scores) / spread / np.arange(1, scores.size)
    n_at_least = min(tau / spread, scores.size)
    return top_k(scores, max(int(np.argmax(falls)) + 1, int(n_at_least)))


def top_h(scores: Scores, share: float) -> Mask:
    """Keeps the best tokens while what they add to the entropy is at most `share` of it.

    As in transformers only the 100 best are looked at, and their entropy is meant.
    """
    probs = softmax(scores[:TOP_H_MOST])
    kept = np.zeros(scores.size, dtype=np.bool_)
    possible = probs > 0
    terms = -probs[possible] * np.log(probs[possible])
    kept[: terms.size] = np.cumsum(terms) <= share * total(terms)
    kept[0] = True
    return kept


def p_less(scores: Scores, _: float) -> Mask:
    """Keeps the tokens at least as likely as two draws are to be equal: no knob.

    That chance, the sum of the squared probabilities, is never above the best token's.
    """
    probs = softmax(scores)
    return epsilon(scores, total(probs**2))


def mirostat(probs: Scores, mu: float) -> Mask:
    """Keeps the tokens whose surprise is at most mu bits, and the best one in any case.

    What mu is, the tokens drawn before decide: see `model.records.Memory`.
    """
    kept: Mask = probs >= 2.0**-mu
    kept[0] = True
    return kept


def xtc(probs: Scores, is_due: bool) -> Mask:
    """Drops the top choices but the least likely of them ("exclude top choices"), if it is due."""
    kept = np.ones(probs.size, dtype=np.bool_)
    n_top = int(np.count_nonzero(probs >= XTC_THRESHOLD)) if is_due else 0
    kept[: max(0, n_top - 1)] = False
    return kept


PENALTIES: dict[str, Callable[[Scores, Counts, float], Scores]] = {
    "repetition_penalty": repetition_penalty,
    "presence_penalty": presence_penalty,
    "frequency_penalty": frequency_penalty,
    "dry": dry,
}
MASKS: dict[str, Callable[..., Mask]] = {
    "top_k": top_k,
    "top_p": top_p,
    "min_p": min_p,
    "typical_p": typical_p,
    "epsilon": epsilon,
    "eta": eta,
    "top_n_sigma": top_n_sigma,
    "min_k": min_k,
    "top_h": top_h,
    "p_less": p_less,
    "mirostat": mirostat,
    "xtc": xtc,
}
OF_PROBS = {"top_p", "min_p", "mirostat", "xtc"}  # the masks that are given probabilities instead
