"""A pass over a few tokens at once, written out by hand beside the decode step of one token.

Speculative decoding reads a handful of tokens in one pass, too many for `FastDecode` and too few
for the routines that a prefill runs on. A product of a weight and so few rows is quickest with the
rows as columns: of five rows in half the time, measured with MKL on the CPU, and for a single row
it pays to take it twice. Same weights, same cache, same logits but for rounding.

Shapes as in `model.fast_decode`, and n tokens read.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias
from weakref import WeakKeyDictionary

import torch
from torch.nn.functional import scaled_dot_product_attention, silu
from transformers import DynamicCache

from model.fast_decode import FastDecode
from model.loading import LanguageModel

Tensor: TypeAlias = torch.Tensor

MOST_TOKENS = 16  # beyond that the model's own pass is as quick
_NARROW = 256  # hidden size below which one token is quicker by the decode step


class FastRead(FastDecode):
    """One pass over a few tokens; make it with `fast_read`."""

    def __init__(self, by_hand: FastDecode) -> None:
        """Takes over the weights of the decode step; nothing is copied."""
        vars(self).update(vars(by_hand))

    @torch.inference_mode()
    def read(self, ids: Sequence[int], cache: DynamicCache) -> Tensor:
        """Returns the logits after each of these tokens, (n, vocab), and adds them to the cache."""
        n_past, n_new = cache.get_seq_length(), len(ids)
        if n_new == 1 and len(self._norm) < _NARROW:
            return self(ids[0], cache)[None]
        here = slice(n_past, n_past + n_new)
        turn = (self._cos[here, None], self._sin[here, None])
        seen = self._seen(n_new, n_past)
        x = self._embeddings[list(ids)]
        for index, layer in enumerate(self._layers):
            # attend: each token looks at all before it and at itself
            heads = _product(layer.qkv, self._normed(x, layer.norm_1))
            found = self._look(heads, index, cache, turn, seen)
            x = x + _product(layer.out.t(), found)
            # feed forward: each token by itself
            inner = _product(layer.gate_up, self._normed(x, layer.norm_2))
            gate, up = inner.chunk(2, dim=-1)
            x = x + _product(layer.down.t(), silu(gate) * up)
        return _product(self._head, self._normed(x, self._norm))

    def _look(
        self,
        heads: Tensor,
        index: int,
        cache: DynamicCache,
        turn: tuple[Tensor, Tensor],
        seen: Tensor | None,
    ) -> Tensor:
        """Returns what each token finds at the positions that it may see, (n, H d)."""
        n_heads, n_kv, size, n_new = self._n_heads, self._n_kv, self._size, len(heads)
        heads = heads.reshape(n_new, -1, size)
        turned = heads[:, : n_heads + n_kv]
        turned = torch.addcmul(turned * turn[0], turned.roll(size // 2, dims=-1), turn[1])
        keys, values = cache.update(
            turned[:, n_heads:].transpose(0, 1)[None],
            heads[:, n_heads + n_kv :].transpose(0, 1)[None],
            index,
        )
        # the queries that share a key-value head look at it as if they were positions
        queries = turned[:, :n_heads].view(n_new, n_kv, -1, size).permute(1, 2, 0, 3)
        found = scaled_dot_product_attention(
            queries.reshape(1, n_kv, -1, size), keys, values, attn_mask=seen
        )
        found = found.view(n_kv, -1, n_new, size).permute(2, 0, 1, 3)
        return found.reshape(n_new, n_heads * size)

    def _seen(self, n_new: int, n_past: int) -> Tensor | None:
        """Adds -inf to what a query may not see, (H / K n, t); one token sees all positions."""
        if n_new == 1:
            return None
        rows = torch.full((n_new, n_past + n_new), -torch.inf).triu(n_past + 1)
        return rows.repeat(self._n_heads // self._n_kv, 1)


def _product(weight: Tensor, x: Tensor) -> Tensor:
    """Returns `linear(x, weight)`, the rows of x taken as columns."""
    if len(x) == 1:
        return torch.mm(weight, x.expand(2, -1).contiguous().t())[:, :1].t()
    return torch.mm(weight, x.contiguous().t()).t()


_MADE: WeakKeyDictionary[LanguageModel, FastRead] = WeakKeyDictionary()


def fast_read(lm: LanguageModel) -> FastRead | None:
    """Returns the pass by hand of a model, made once; None where its shape is not known."""
    if lm.fast_decode is None:
        return None
    if lm not in _MADE:
        _MADE[lm] = FastRead(lm.fast_decode)
    return _MADE[lm]
