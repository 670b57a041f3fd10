"""Two prompts that begin alike: what of the first one's cache serves the second.

A position's keys and values depend on its token and on all before it, so the common beginning is
kept and everything from the first other token on is read again. Serving engines keep whole blocks
of positions (PagedAttention, 2309.06180). This module knows no page and draws nothing.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median

import numpy as np
from transformers import DynamicCache

from model import kv_cache
from model.batch import check_crop
from model.job import Progress, Work
from model.kv_cache.block_cache import BLOCK, whole_blocks
from model.kv_cache.records import PrefixReuse, Reread, SharedPrefix
from model.language_model import LanguageModel
from model.passes import Logits, prefill
from model.tokenizing import labels_of_text

N_CHANGES = 6  # positions at which a token is changed, from the first to the last
OTHER_WORDS = "green", "blue"  # one of them stands for the word that is changed


def n_reusable(first: Sequence[int], second: Sequence[int], block: int = 1) -> int:
    """Returns how many positions of a text's cache serve another text.

    One token at least is left to be read, for its logits.

    Args:
        first: The ids that were read.
        second: The ids that are to be read.
        block: Positions that are kept together; a block that is not whole is read again.
    """
    n_common = kv_cache.length_in_common(list(first), list(second))
    return min(n_common, len(second) - 1) // block * block


def change_token(ids: Sequence[int], position: int) -> list[int]:
    """Returns a text with another of its own tokens at a position."""
    others = [token_id for token_id in ids if token_id != ids[position]]
    other = others[0] if others else abs(ids[position] - 1)
    return [*ids[:position], other, *ids[position + 1 :]]


def change_word(text: str, share: float) -> str:
    """Returns a text with another word: the first at share 0, the last at share 1."""
    words = list(re.finditer(r"\S+", text))
    if not words:
        return text + OTHER_WORDS[0]
    word = words[round(share * (len(words) - 1))]
    other = next(other for other in OTHER_WORDS if other != word[0])
    return text[: word.start()] + other + text[word.end() :]


@dataclass
class _Reading:
    """A text whose beginning is kept, read again and again by both ways."""

    ids: Sequence[int]
    n_kept: int
    seconds: list[float] = field(default_factory=list)
    whole_seconds: list[float] = field(default_factory=list)
    logits: Logits | None = None
    truth: Logits | None = None

    def read(self, lm: LanguageModel, cache: DynamicCache, n_cached: int) -> None:
        """Reads it from nothing, then what follows the kept beginning of a cache."""
        self.truth, seconds = prefill(lm, self.ids, DynamicCache())
        self.whole_seconds.append(seconds)
        # crop a fork, so that the next reading finds the cache as it was
        twin = kv_cache.fork(cache)
        kv_cache.crop(twin, n_cached - self.n_kept)
        self.logits, seconds = prefill(lm, self.ids[self.n_kept :], twin)
        self.seconds.append(seconds)

    @property
    def found(self) -> Reread:
        """The medians, and how far the logits of the last round differ."""
        assert self.logits is not None
        assert self.truth is not None
        return Reread(
            n_tokens=len(self.ids),
            n_kept=self.n_kept,
            seconds=median(self.seconds),
            whole_seconds=median(self.whole_seconds),
            logit_gap=float(np.abs(self.logits - self.truth).max()),
            same_best=bool(self.logits.argmax() == self.truth.argmax()),
        )


def reuse_prefix(
    lm: LanguageModel, first: Sequence[int], second: Sequence[int], n_runs: int = 3
) -> Work[PrefixReuse]:
    """Reads one text, then others that begin like it: from nothing, and from the first's cache.

    In each round every text is read both ways in turn: the second, by tokens and by blocks, and the
    first with one token changed at positions from its start to its end.

    Raises:
        ValueError: where the model's cache cannot be cropped; one sentence.
    """
    check_crop(lm)
    places = np.linspace(0, len(first) - 1, N_CHANGES).round().astype(int)
    changed = [change_token(first, place) for place in sorted(set(places.tolist()))]
    readings = [
        _Reading(second, n_reusable(first, second)),
        _Reading(second, n_reusable(first, second, BLOCK)),
        *(_Reading(ids, n_reusable(first, ids)) for ids in changed),
    ]
    first_seconds, cache_bytes = list[float](), 0

    def measured() -> PrefixReuse:
        by_token, by_block, *changes = (reading.found for reading in readings)
        return PrefixReuse(
            labels=labels_of_text(lm, second),
            n_common=kv_cache.length_in_common(list(first), list(second)),
            n_first=len(first),
            n_runs=len(first_seconds),
            first_seconds=median(first_seconds),
            cache_bytes=cache_bytes,
            by_token=by_token,
            by_block=by_block,
            changes=tuple(changes),
        )

    n_total = 1 + n_runs * (1 + len(readings))
    yield Progress(0, n_total, "warming up")
    prefill(lm, second, DynamicCache())
    for n_round in range(n_runs):
        n_done, look = 1 + n_round * (1 + len(readings)), measured if n_round else None
        # first: read the first text, and keep its keys and values
        yield Progress(n_done, n_total, "reading the first prompt", look)
        cache = DynamicCache()
        seconds = prefill(lm, first, cache)[1]
        cache_bytes = kv_cache.bytes_in_use(cache, len(first))
        # others: from nothing, and from where they part
        for n_read, reading in enumerate(readings, 1):
            yield Progress(n_done + n_read, n_total, "reading what differs", look)
            reading.read(lm, cache, len(first))
        first_seconds.append(seconds)
    return measured()


def share_prefix(reuse: PrefixReuse, n_readers: int, *, is_in_blocks: bool) -> SharedPrefix:
    """Derives what as many readers cost who all send the second prompt, alone and together.

    Bytes are those of one position in the tensors, times positions, in blocks rounded up to whole
    ones; seconds are the measured ones, one reader after another. The first of them reads all.
    """
    found = reuse.by_block if is_in_blocks else reuse.by_token
    n_held = whole_blocks(found.n_tokens) if is_in_blocks else found.n_tokens
    each = reuse.cache_bytes / reuse.n_first
    return SharedPrefix(
        n_readers=n_readers,
        bytes_per_token=each,
        bytes_alone=each * n_readers * n_held,
        bytes_shared=each * (found.n_kept + n_readers * (n_held - found.n_kept)),
        seconds_alone=n_readers * found.whole_seconds,
        seconds_shared=found.whole_seconds + (n_readers - 1) * found.seconds,
    )
