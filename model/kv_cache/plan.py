"""What the caches of models would take that are not loaded.

Everything here is derived: a config says how many numbers a token leaves behind, the rest is
multiplication. Grouped queries: 2305.13245; latent attention: 2405.04434.
"""

from typing import Any

from model.kv_cache import cache_shape
from model.kv_cache.records import CachePlan
from model.records import CacheShape
from model.weights.published_shapes import ModelShape

BITS = (16, 8, 4)


def plan_cache(
    model: ModelShape, n_tokens: int, cache_bits: int, weight_bits: int, memory: float
) -> CachePlan:
    """Computes what one sequence of a model would take, and how many fit beside the weights.

    Args:
        model: Its shape.
        n_tokens: Length of one sequence, prompt and answer together.
        cache_bits: Of one number in the cache, of BITS; a quantised cache has scales besides.
        weight_bits: Of one weight, of BITS.
        memory: Bytes for weights and caches together.

    Raises:
        ValueError: One sentence with the remedy.
    """
    if n_tokens < 1 or memory <= 0:
        raise ValueError("A context has 1 token or more and a memory more than 0 bytes.")
    # numbers, at one byte each
    config = model.config.get_text_config(decoder=True)
    shape = cache_shape(config, 1)
    numbers = shape.bytes_per_token
    if not numbers:
        raise ValueError(
            f"{model.name} keeps no keys and values by position, so its cache does not grow: "
            "choose another model."
        )
    per_token = numbers * cache_bits / 8
    weights = model.n_parameters * weight_bits / 8
    return CachePlan(
        name=model.name,
        attention=_attention(shape),
        numbers_per_token=numbers,
        numbers_all_heads=shape.n_layers * shape.n_heads * _pair_size(config, shape),
        bytes_per_token=per_token,
        bytes_per_sequence=per_token * n_tokens,
        weight_bytes=weights,
        n_sequences=max(0, int((memory - weights) // (per_token * n_tokens))),
        context_length=int(getattr(config, "max_position_embeddings", None) or n_tokens),
    )


def _attention(shape: CacheShape) -> str:
    """Says how query heads share keys and values."""
    if shape.is_latent:
        return f"{shape.n_heads} heads share a latent of {shape.head_dim}"
    if shape.n_heads == shape.n_kv_heads:
        return f"{shape.n_heads} heads, all kept"
    return f"{shape.n_heads} heads share {shape.n_kv_heads}"


def _pair_size(config: Any, shape: CacheShape) -> int:
    """Counts the numbers of a key and a value of one query head, if it kept its own."""
    if shape.is_latent:
        return int(config.qk_nope_head_dim + config.qk_rope_head_dim + config.v_head_dim)
    return 2 * shape.head_dim
