"""What a model does: writes from left to right, fills masks, or reads one text to write another."""

from __future__ import annotations

from typing import Any, Literal, TypeAlias

from model.sentences import cut
from model.weights.check import LoadError

Kind: TypeAlias = Literal["causal", "masked", "seq2seq"]


def kind_of(config: dict[str, Any], name: str) -> Kind:
    """Tells what a model does, by the class that its config names."""
    from transformers.models.auto import modeling_auto as auto

    architectures = set(config["architectures"])
    if config.get("is_encoder_decoder"):
        return "seq2seq"
    if architectures & _classes(auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES):
        return "causal"
    if architectures & _classes(auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES):
        return "masked"
    # one without its head, or one that sees as well: its text half is a causal model
    has_text_half = architectures <= _classes(auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES)
    is_bare = all(architecture.endswith("Model") for architecture in architectures)
    is_causal = config["model_type"] in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    if is_causal and (is_bare or has_text_half):
        return "causal"
    raise LoadError(
        f"{name} is no language model but “{cut(min(architectures))}”: choose one whose "
        "config.json names a class that ends in ForCausalLM or LMHeadModel."
    )


def _classes(mapping: dict[str, Any]) -> set[str]:
    """Returns the class names of one of transformers' mappings, each of which may be several."""
    values = (value if isinstance(value, tuple) else (value,) for value in mapping.values())
    return {name for names in values for name in names}
