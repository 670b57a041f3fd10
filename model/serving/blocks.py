"""The account of a cache that is kept in blocks of 16 positions (PagedAttention, arXiv 2309.06180).

Derived from the lengths of the texts: our tensors are rectangles, and no block is moved.
"""

from collections.abc import Sequence
from itertools import pairwise

from model.kv_cache.block_cache import BLOCK
from model.language_model import LanguageModel
from model.serving.records import BlockMemory, ServingRun


def count_blocks(
    texts: Sequence[Sequence[int]], lengths: Sequence[int], *, shares_prefix: bool
) -> int:
    """Counts the blocks that hold the first positions of some texts.

    Args:
        texts: their ids.
        lengths: positions of each that are in memory.
        shares_prefix: whether a full block is stored once for all texts that are the same up to
            its end: keys and values depend on every token before them.
    """
    blocks = set[tuple[int, ...]]()
    for row, (ids, length) in enumerate(zip(texts, lengths, strict=True)):
        for end in range(BLOCK, length + BLOCK, BLOCK):
            is_common = shares_prefix and end <= length
            blocks.add(tuple(ids[:end]) if is_common else (row, end))
    return len(blocks)


def fullest_moment(lm: LanguageModel, run: ServingRun) -> BlockMemory:
    """Returns what the cache takes after the pass that left most positions in it."""
    texts = [
        [*request.prompt_ids, *output.token_ids]
        for request, output in zip(run.requests, run.outputs, strict=True)
    ]
    lengths = max((a_pass.lengths for a_pass in run.passes), key=sum)
    # what a request adds to those above it is less than its own blocks by those in common
    totals = [
        count_blocks(texts[:n], lengths[:n], shares_prefix=True) for n in range(len(texts) + 1)
    ]
    own = [
        count_blocks([ids], [n], shares_prefix=False) for ids, n in zip(texts, lengths, strict=True)
    ]
    n_common = tuple(
        n - (after - before) for n, (before, after) in zip(own, pairwise(totals), strict=True)
    )
    context = lm.context_length or max(map(len, texts))
    n_reserved = context * sum(length > 0 for length in lengths)
    return BlockMemory(lengths, n_common, BLOCK, n_reserved)
