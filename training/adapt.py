"""A causal model's weights as the beginning of one with more heads, or of one that reads both ways.

What a causal model has learned of words and of how they go together is not lost when it is given
more room (arXiv 1511.05641), nor when its causal mask is lifted: training goes on from there, and
is much shorter than from nothing (2410.17891; for an encoder-decoder 1907.12461). Where two
architectures differ, the weights are put so that the sums come out the same, or nearly.
"""

from typing import Any

import torch
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    ModernBertForMaskedLM,
    PreTrainedConfig,
    PreTrainedModel,
    T5ForConditionalGeneration,
)

from training.objectives import FIRST_GAP_ID, MASK_ID
from training.tokenizer import SENTINELS

FIRST_WORD_ID = FIRST_GAP_ID + len(SENTINELS)


class StartError(ValueError):
    """These weights cannot begin that model; the message says why."""


@torch.no_grad()
def start_from(causal: LlamaForCausalLM, model: PreTrainedModel) -> None:
    """Copies a Llama into one of its size or with more heads, or into a ModernBERT or a T5.

    Args:
        causal: stays as it is.
        model: as wide as the causal model. A Llama has as many layers and at least as many heads
            and keys; another has as many heads, and may have fewer layers.

    Raises:
        StartError: where it is not.
    """
    if not fits(causal.config, model.config):
        mine, wanted = (widths(each.config) for each in (causal, model))
        names = "vocabulary, hidden size, heads, keys, feed-forward, layers"
        raise StartError(
            f"A model of {mine} ({names}) cannot begin one of {wanted}: give --start one that fits."
        )
    if isinstance(model, LlamaForCausalLM):
        start_llama(causal, model)
    elif isinstance(model, ModernBertForMaskedLM):
        start_masked(causal, model)
    elif isinstance(model, T5ForConditionalGeneration):
        start_encoder_decoder(causal, model)


def fits(causal: PreTrainedConfig, other: PreTrainedConfig) -> bool:
    """Whether a Llama's weights have their places in a model of this shape."""
    vocab, hidden, heads, keys, inner, layers = widths(causal)
    *_, more_heads, more_keys, _, fewer_layers = wanted = widths(other)
    if not isinstance(other, LlamaConfig):
        same = (vocab, hidden, heads, more_keys, inner, fewer_layers)
        return wanted == same and fewer_layers <= layers
    is_as_wide = wanted == (vocab, hidden, more_heads, more_keys, inner, layers)
    has_heads = more_heads >= heads and more_keys % keys == 0
    return is_as_wide and has_heads and other.head_dim == causal.head_dim


def widths(config: PreTrainedConfig) -> tuple[int, ...]:
    """Entries of the vocabulary, hidden size, heads, keys, size of the feed-forward, layers."""
    heads = config.num_attention_heads
    keys = getattr(config, "num_key_value_heads", None) or heads
    inner = getattr(config, "d_ff", None) or config.intermediate_size
    layers = max(config.num_hidden_layers, getattr(config, "num_decoder_layers", 0))
    return config.vocab_size, config.hidden_size, heads, keys, inner, layers


def start_llama(causal: LlamaForCausalLM, wider: LlamaForCausalLM) -> None:
    """Every key of the wider model is a copy of an old one; heads that are new add nothing yet."""
    shape: Any = causal.config
    wanted: Any = wider.config
    n_copies = wanted.num_key_value_heads // shape.num_key_value_heads
    n_shared = shape.num_attention_heads // shape.num_key_value_heads
    n_more = wanted.num_attention_heads // wanted.num_key_value_heads
    # an old head goes to a copy of its own key, and those of one key to its copies in turn
    keys_and_turns = (divmod(head, n_shared) for head in range(shape.num_attention_heads))
    places = [
        (key * n_copies + turn % n_copies) * n_more + turn // n_copies
        for key, turn in keys_and_turns
    ]
    others = {name: each for name, each in causal.state_dict().items() if "self_attn" not in name}
    wider.load_state_dict(others, strict=False)
    for source, layer in zip(causal.model.layers, wider.model.layers, strict=True):
        old, new = source.self_attn, layer.self_attn
        heads = (-1, old.head_dim)
        for mine, given in ((old.k_proj, new.k_proj), (old.v_proj, new.v_proj)):
            copies = mine.weight.unflatten(0, heads).repeat_interleave(n_copies, dim=0)
            given.weight.copy_(copies.flatten(0, 1))
        new.q_proj.weight.unflatten(0, heads)[places] = old.q_proj.weight.unflatten(0, heads)
        added = new.o_proj.weight.zero_().unflatten(1, heads)
        added[:, places] = old.o_proj.weight.unflatten(1, heads)


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
