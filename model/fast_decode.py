"""A decode step written out by hand, for small Llama-shaped models on the CPU.

In a small model half of a step is not arithmetic but the way to it: modules, checks, many small
operations. Written out, with the projections of a layer joined, a step takes two thirds of the
time and gives the same logits but for rounding. It reads and fills the same cache as the model
beside which it lives, and whatever it does not know it leaves to that model.

Shapes: h hidden, d head size, H query heads, K key-value heads, t positions in the cache.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

import torch
from torch.nn.functional import linear, rms_norm, scaled_dot_product_attention, silu
from transformers import DynamicCache, PreTrainedModel

Tensor: TypeAlias = torch.Tensor

_SMALL = 30e6  # parameters: the joined projections are copies
_LONGEST = 8192  # positions with their rotation, kept as a table


@dataclass(frozen=True, slots=True)
class _Layer:
    """The weights of one layer, those that read the same input joined."""

    norm_1: Tensor  # (h,)
    qkv: Tensor  # ((H + 2K) d, h)
    out: Tensor  # (H d, h), transposed
    norm_2: Tensor  # (h,)
    gate_up: Tensor  # (2 inner, h)
    down: Tensor  # (inner, h), transposed


class FastDecode:
    """One decode step of one model; make it with `fast_decode`."""

    @torch.inference_mode()
    def __init__(self, model: Any) -> None:
        """Copies the weights of a LlamaForCausalLM into the order in which a step reads them."""
        config, inner = model.config, model.model
        self._n_heads, self._n_kv = config.num_attention_heads, config.num_key_value_heads
        self._size, self._epsilon = config.head_dim, config.rms_norm_eps
        self._embeddings = inner.embed_tokens.weight
        self._norm, self._head = inner.norm.weight, model.lm_head.weight
        self._layers = [_join(layer) for layer in inner.layers]
        positions = torch.arange(config.max_position_embeddings)[None]
        cos, sin = inner.rotary_emb(self._embeddings, positions)
        # rotating a half is rolling by a half, the first half negated
        sign = torch.ones(self._size)
        sign[: self._size // 2] = -1
        self._cos, self._sin = cos[0].clone(), sin[0] * sign

    @torch.inference_mode()
    def __call__(self, token_id: int, cache: DynamicCache) -> Tensor:
        """Returns the logits after one more token, (vocab,), and adds the token to the cache."""
        position = cache.get_seq_length()
        cos, sin = self._cos[position], self._sin[position]
        x = self._embeddings[token_id : token_id + 1]
        for index, layer in enumerate(self._layers):
            x = self._attend(x, layer, index, cache, cos, sin)
            gate, up = linear(self._normed(x, layer.norm_2), layer.gate_up).chunk(2, dim=-1)
            x = torch.addmm(x, silu(gate) * up, layer.down)
        return linear(self._normed(x, self._norm), self._head)[0]

    def _attend(
        self, x: Tensor, layer: _Layer, index: int, cache: DynamicCache, cos: Tensor, sin: Tensor
    ) -> Tensor:
        """Adds what the new token finds at all positions before it, and at its own."""
        n_heads, n_kv, size = self._n_heads, self._n_kv, self._size
        heads = linear(self._normed(x, layer.norm_1), layer.qkv).view(-1, size)
        # turn queries and keys by the angle of their position
        turned = heads[: n_heads + n_kv]
        turned = torch.addcmul(turned * cos, turned.roll(size // 2, dims=-1), sin)
        keys, values = cache.update(
            turned[n_heads:].view(1, n_kv, 1, size),
            heads[n_heads + n_kv :].view(1, n_kv, 1, size),
            index,
        )
        # the queries that share a key-value head look at it as if they were positions
        queries = turned[:n_heads].view(1, n_kv, n_heads // n_kv, size)
        found = scaled_dot_product_attention(queries, keys, values)
        return torch.addmm(x, found.view(1, n_heads * size), layer.out)

    def _normed(self, x: Tensor, weight: Tensor) -> Tensor:
        return rms_norm(x, weight.shape, weight, self._epsilon)


def fast_decode(model: PreTrainedModel) -> FastDecode | None:
    """Returns the fast step of a model; None where its shape is not exactly what this one knows."""
    config = model.config
    if config.model_type != "llama" or model.num_parameters() > _SMALL:
        return None
    is_plain = (
        config.hidden_act == "silu"
        and not config.attention_bias
        and not config.mlp_bias
        and config.rope_parameters["rope_type"] == "default"
        and config.max_position_embeddings <= _LONGEST
    )
    is_here = model.device.type == "cpu" and model.dtype == torch.float32
    return FastDecode(model) if is_plain and is_here else None


def _join(layer: Any) -> _Layer:
    """Puts together the weights of a layer that read the same input."""
    attention, feed = layer.self_attn, layer.mlp
    qkv = (attention.q_proj.weight, attention.k_proj.weight, attention.v_proj.weight)
    return _Layer(
        norm_1=layer.input_layernorm.weight,
        qkv=torch.cat(qkv),
        out=attention.o_proj.weight.t(),
        norm_2=layer.post_attention_layernorm.weight,
        gate_up=torch.cat((feed.gate_proj.weight, feed.up_proj.weight)),
        down=feed.down_proj.weight.t(),
    )
