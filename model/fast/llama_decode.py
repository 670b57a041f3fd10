"""The pass over one token or a few, written out by hand, for small Llama-shaped models on the CPU.

In a small model half of a pass is not arithmetic but the way to it: modules, checks, many small
operations. Written out, with the projections of a layer joined, the gains of the norms multiplied
into them, and a product taken in the way that is quickest here for few rows, a step takes a third
to two thirds of the time and gives the same logits but for rounding. It reads and fills the same
cache as the model beside which it lives, and whatever it does not know it leaves to that model.

Shapes: n tokens read, h hidden, d head size, H query heads, K key-value heads, t positions in the
cache.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import torch
from torch.nn.functional import scaled_dot_product_attention, silu
from transformers import DynamicCache

from model.fast.layout import Matrix, both_ways, quickest_way

if TYPE_CHECKING:
    from transformers import PreTrainedConfig, PreTrainedModel

Tensor: TypeAlias = torch.Tensor

_SMALL = 30e6  # parameters: the weights here are copies
_FEW = 5  # rows for which the ways of a product are timed, as well as for one
_MAX_POSITIONS = 8192  # positions with their rotation, kept as a table


class _Layer(NamedTuple):
    """The matrices of one layer, those of the same input joined."""

    qkv: Matrix  # ((H + 2K) d, h), gains of the norm before it included
    out: Matrix  # (h, H d)
    gate_up: Matrix  # (2 inner, h), gains of the norm before it included
    down: Matrix  # (h, inner)


class FastDecode:
    """The passes of one model; make it with `fast_decode`."""

    max_prompt = 96  # tokens, with the logits of the last; beyond, the model's own is as quick
    max_tokens = 16  # with the logits of each

    @torch.inference_mode()
    def __init__(self, config: PreTrainedConfig, weights: Mapping[str, Tensor]) -> None:
        """Puts the weights of a LlamaForCausalLM into the order in which a pass reads them.

        Args:
            config: of a shape that `knows_shape` knows.
            weights: float32, by the model's own names; those that are not joined are not copied.

        Raises:
            KeyError: where a weight is missing.
        """
        self._n_heads, self._n_kv = config.num_attention_heads, config.num_key_value_heads
        self._size = config.head_dim
        # x / sqrt(mean(x^2) + epsilon) is sqrt(h) x / hypot(|x|, sqrt(h epsilon))
        root = config.hidden_size**0.5
        self._least = torch.tensor(root * config.rms_norm_eps**0.5, dtype=torch.float32)
        self._embeddings = weights["model.embed_tokens.weight"]
        head = self._embeddings if config.tie_word_embeddings else weights["lm_head.weight"]
        parts = (f"model.layers.{index}." for index in range(config.num_hidden_layers))
        self._layers = [_join(weights, part, root) for part in parts]
        self._head = both_ways(head * (root * weights["model.norm.weight"]))
        matrices = [*chain.from_iterable(self._layers), self._head]
        self._one, self._few = (quickest_way(matrices, n_rows) for n_rows in (1, _FEW))
        theta, n_positions = config.rope_parameters["rope_theta"], config.max_position_embeddings
        self._cos, self._sin = _rope_tables(self._size, theta, n_positions)

    @torch.inference_mode()
    def read(self, ids: Sequence[int], cache: DynamicCache, only_last: bool = False) -> Tensor:
        """Adds tokens to the cache and returns the logits after each, or the last, (n, vocab)."""
        n_past, n_new = cache.get_seq_length(), len(ids)
        rotation = (self._cos[n_past : n_past + n_new], self._sin[n_past : n_past + n_new])
        n_shared = self._n_heads // self._n_kv
        bias = _causal_mask(n_shared, n_past, n_new) if n_new > 1 else None
        x = self._embeddings[list(ids)]
        multiply = self._one if n_new == 1 else self._few
        for index, layer in enumerate(self._layers):
            # attend: each token looks at all before it and at itself
            heads = multiply(self._rms_norm(x), layer.qkv)
            x = x + multiply(self._attend(heads, index, cache, rotation, bias), layer.out)
            # feed forward: each token by itself
            gate, up = multiply(self._rms_norm(x), layer.gate_up).chunk(2, dim=-1)
            x = x + multiply(silu(gate) * up, layer.down)
        return multiply(self._rms_norm(x[-1:] if only_last else x), self._head)

    def _attend(
        self,
        heads: Tensor,
        index: int,
        cache: DynamicCache,
        rotation: tuple[Tensor, Tensor],
        bias: Tensor | None,
    ) -> Tensor:
        """Returns what each token finds at the positions that it may see, (n, H d)."""
        n_heads, n_kv, size, n_new = self._n_heads, self._n_kv, self._size, len(heads)
        heads = heads.view(n_new, -1, size)
        # rotate queries and keys by the angle of their position
        rotated = heads[:, : n_heads + n_kv]
        rotated = torch.addcmul(
            rotated * rotation[0], rotated.roll(size // 2, dims=-1), rotation[1]
        )
        keys, values = cache.update(
            rotated[:, n_heads:].transpose(0, 1)[None],
            heads[:, n_heads + n_kv :].transpose(0, 1)[None],
            index,
        )
        # the queries that share a key-value head look at it as if they were positions
        queries = rotated[:, :n_heads].reshape(n_new, n_kv, -1, size).transpose(0, 1)
        context = scaled_dot_product_attention(
            queries.reshape(1, n_kv, -1, size), keys, values, attn_mask=bias
        )
        context = context.view(n_kv, n_new, -1, size).transpose(0, 1)
        return context.reshape(n_new, n_heads * size)

    def _rms_norm(self, x: Tensor) -> Tensor:
        """Brings each row to length 1, or nearly; gains and sqrt(h) are in the next weights."""
        length = torch.linalg.vector_norm(x, dim=-1, keepdim=True)
        return x / torch.hypot(length, self._least)


def fast_decode(model: PreTrainedModel) -> FastDecode | None:
    """Returns the fast pass of a model; None where its shape is not exactly what this one knows."""
    is_here = model.device.type == "cpu" and model.dtype == torch.float32
    if not (is_here and knows_shape(model.config, model.num_parameters())):
        return None
    return FastDecode(model.config, dict(model.named_parameters()))


def knows_shape(config: Any, n_parameters: int) -> bool:
    """Tells whether a config is that of a small, plain Llama."""
    return (
        config.model_type == "llama"
        and n_parameters <= _SMALL
        and config.hidden_act == "silu"
        and not config.attention_bias
        and not config.mlp_bias
        and config.rope_parameters["rope_type"] == "default"
        and config.max_position_embeddings <= _MAX_POSITIONS
    )


def _rope_tables(size: int, theta: float, n_positions: int) -> tuple[Tensor, Tensor]:
    """Returns cosine and sine of each position's angles, (positions, 1, d) each (arXiv 2104.09864).

    Rotating a half is rolling by a half, the first half negated: that sign is in the sine.
    """
    pace = 1 / theta ** (torch.arange(0, size, 2).float() / size)
    angles = torch.outer(torch.arange(n_positions).float(), pace)
    cos, sin = angles.cos(), angles.sin()
    return torch.cat([cos, cos], dim=-1)[:, None], torch.cat([-sin, sin], dim=-1)[:, None]


def _causal_mask(n_shared: int, n_past: int, n_new: int) -> Tensor:
    """Returns what is added to scores, -inf where a new token must not look.

    Returns:
        (n_new n_shared, n_past + n_new), a row for each query of a key-value head.
    """
    new = torch.full((n_new, n_new), -torch.inf, dtype=torch.float32).triu(1)
    past = torch.zeros(n_new, n_past, dtype=torch.float32)
    return torch.cat([past, new], dim=1).repeat_interleave(n_shared, dim=0)


def _join(weights: Mapping[str, Tensor], layer: str, root: float) -> _Layer:
    """Puts together the weights of a layer that read the same input."""
    attention = [weights[f"{layer}self_attn.{name}_proj.weight"] for name in "qkv"]
    feed = [weights[f"{layer}mlp.{name}_proj.weight"] for name in ("gate", "up")]
    return _Layer(
        qkv=both_ways(torch.cat(attention) * (root * weights[f"{layer}input_layernorm.weight"])),
        out=both_ways(weights[f"{layer}self_attn.o_proj.weight"]),
        gate_up=both_ways(
            torch.cat(feed) * (root * weights[f"{layer}post_attention_layernorm.weight"])
        ),
        down=both_ways(weights[f"{layer}mlp.down_proj.weight"]),
    )
