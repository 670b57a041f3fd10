"""A causal model's weights as the beginning of one that reads both ways.

What a causal model has learned of words and of how they go together is not lost when its causal
mask is lifted: training goes on from there, and is much shorter than from nothing (arXiv
2410.17891; for an encoder-decoder 1907.12461). Where two architectures differ, the weights are put
so that the sums come out the same, or nearly.
"""

from typing import Any

import torch
from transformers import (
    LlamaForCausalLM,
    ModernBertForMaskedLM,
    PreTrainedConfig,
    PreTrainedModel,
    T5ForConditionalGeneration,
)

from model.training.objectives import FIRST_GAP_ID, MASK_ID
from model.training.tokenizer import SENTINELS

FIRST_WORD_ID = FIRST_GAP_ID + len(SENTINELS)


class StartError(ValueError):
    """These weights cannot begin that model; the message says why."""


@torch.no_grad()
def start_from(causal: LlamaForCausalLM, model: PreTrainedModel) -> None:
    """Copies a Llama into another, or its embeddings and layers into a ModernBERT or a T5.

    Args:
        causal: stays as it is.
        model: as wide as the causal model, with as many heads; one that is no Llama may have fewer
            layers.

    Raises:
        StartError: where it is not.
    """
    mine, wanted = (widths(each.config) for each in (causal, model))
    if mine[:-1] != wanted[:-1] or mine[-1] < wanted[-1]:
        names = "vocabulary, hidden size, heads, feed-forward, layers"
        raise StartError(
            f"A model of {mine} ({names}) cannot begin one of {wanted}: give --start one that fits."
        )
    if isinstance(model, LlamaForCausalLM):
        model.load_state_dict(causal.state_dict())
    elif isinstance(model, ModernBertForMaskedLM):
        start_masked(causal, model)
    elif isinstance(model, T5ForConditionalGeneration):
        start_encoder_decoder(causal, model)


def widths(config: PreTrainedConfig) -> tuple[int, ...]:
    """Entries of the vocabulary, hidden size, heads, size of the feed-forward, layers."""
    inner = getattr(config, "d_ff", None) or config.intermediate_size
    layers = max(config.num_hidden_layers, getattr(config, "num_decoder_layers", 0))
    return config.vocab_size, config.hidden_size, config.num_attention_heads, inner, layers


def start_masked(causal: LlamaForCausalLM, masked: ModernBertForMaskedLM) -> None:
    """The first layers go into a ModernBERT: what differs is that its norms subtract the mean."""
    words, embeddings = embedded(causal), masked.model.embeddings
    size = words.square().mean().sqrt()
    embeddings.tok_embeddings.weight.copy_(words)
    embeddings.norm.weight.fill_(size)  # it brings a row to size 1: this undoes it
    for number, (source, layer) in enumerate(
        zip(causal.model.layers, masked.model.layers, strict=False)
    ):
        queries_keys_values = torch.cat(attention_of(causal, source)[:3])
        if number == 0:  # here a ModernBERT has no norm of its own
            queries_keys_values *= source.input_layernorm.weight / size
        else:
            layer.attn_norm.weight.copy_(source.input_layernorm.weight)
        layer.attn.Wqkv.weight.copy_(queries_keys_values)
        layer.attn.Wo.weight.copy_(source.self_attn.o_proj.weight)
        layer.mlp_norm.weight.copy_(source.post_attention_layernorm.weight)
        gates = [source.mlp.gate_proj.weight, source.mlp.up_proj.weight]
        layer.mlp.Wi.weight.copy_(torch.cat(gates))
        layer.mlp.Wo.weight.copy_(source.mlp.down_proj.weight)
    # the head is a plain map that begins as the gains of the last norm
    gains = causal.model.norm.weight
    masked.head.dense.weight.copy_(torch.diag(gains))
    masked.head.norm.weight.fill_(gains.square().mean().sqrt())


def start_encoder_decoder(causal: LlamaForCausalLM, model: T5ForConditionalGeneration) -> None:
    """The first layers go into the encoder, the first and the last into the decoder.

    Queries are left as they are: a T5 knows places by a bias on its attention, not by rotation, and
    the Llama's queries count on that. Looking at the encoder is learned anew, too.
    """
    layers = causal.model.layers
    n_first = len(model.decoder.block) // 2
    ends = [*layers[:n_first], *layers[n_first - len(model.decoder.block) :]]
    model.shared.weight.copy_(embedded(causal))
    stacks: Any = ((layers, model.encoder), (ends, model.decoder))
    for sources, stack in stacks:
        for source, block in zip(sources, stack.block, strict=False):
            _, keys, values, out = attention_of(causal, source)
            attention = block.layer[0].SelfAttention
            attention.k.weight.copy_(keys)
            attention.v.weight.copy_(values)
            attention.o.weight.copy_(out)
            block.layer[0].layer_norm.weight.copy_(source.input_layernorm.weight)
            block.layer[-1].layer_norm.weight.copy_(source.post_attention_layernorm.weight)
            block.layer[-1].DenseReluDense.wi_0.weight.copy_(source.mlp.gate_proj.weight)
            block.layer[-1].DenseReluDense.wi_1.weight.copy_(source.mlp.up_proj.weight)
            block.layer[-1].DenseReluDense.wo.weight.copy_(source.mlp.down_proj.weight)
    gains = causal.model.norm.weight
    model.decoder.final_layer_norm.weight.copy_(gains * model.config.hidden_size**0.5)


def embedded(causal: LlamaForCausalLM) -> torch.Tensor:
    """The embeddings; mask and sentinels, which it never saw, begin as the mean of all words."""
    words: torch.Tensor = causal.model.embed_tokens.weight.clone()
    mean = words[FIRST_WORD_ID:].mean(dim=0)
    unseen = words[MASK_ID:FIRST_WORD_ID]
    words[MASK_ID:FIRST_WORD_ID] = mean + torch.randn_like(unseen) * words.std()
    return words


def attention_of(causal: LlamaForCausalLM, layer: Any) -> list[torch.Tensor]:
    """Its queries, keys, values and output; the heads that share a key get a copy of it each."""
    shape, attention = causal.config, layer.self_attn
    n_shared = shape.num_attention_heads // (shape.num_key_value_heads or shape.num_attention_heads)
    keys, values = (
        part.weight.unflatten(0, (-1, attention.head_dim))
        .repeat_interleave(n_shared, 0)
        .flatten(0, 1)
        for part in (attention.k_proj, attention.v_proj)
    )
    return [attention.q_proj.weight, keys, values, attention.o_proj.weight]
