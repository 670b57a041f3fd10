"""Tiny seeded models that fill: a masked one (ModernBERT) and an encoder-decoder (T5)."""

import functools

import transformers
from transformers import PreTrainedTokenizerFast

from model.loading import LanguageModel
from tests.tiny_models import CONTEXT, VOCAB_SIZE, loaded, seeded, tokenizer

MASK, PAD = "<|mask|>", "<|pad|>"
SENTINELS = ("<extra_id_0>", "<extra_id_1>", "<extra_id_2>")


def filling_tokenizer() -> PreTrainedTokenizerFast:
    """The tiny tokenizer with a mask, a pad and three sentinels."""
    words = tokenizer()
    words.add_special_tokens(
        {"mask_token": MASK, "pad_token": PAD, "extra_special_tokens": list(SENTINELS)}
    )
    return words


@functools.cache
def tiny_unmasker(seed: int = 0) -> LanguageModel:
    """A masked model of two layers."""
    words = filling_tokenizer()
    config = transformers.ModernBertConfig(
        vocab_size=VOCAB_SIZE,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=CONTEXT,
        pad_token_id=words.pad_token_id,
        bos_token_id=words.eos_token_id,
        eos_token_id=words.eos_token_id,
        cls_token_id=None,
        sep_token_id=None,
    )
    return loaded(seeded(transformers.ModernBertForMaskedLM, config, seed), words)


@functools.cache
def tiny_gapfiller(seed: int = 0) -> LanguageModel:
    """An encoder-decoder of two layers each."""
    words = filling_tokenizer()
    config = transformers.T5Config(
        vocab_size=VOCAB_SIZE,
        d_model=32,
        d_kv=8,
        d_ff=48,
        num_layers=2,
        num_heads=4,
        decoder_start_token_id=words.pad_token_id,
        pad_token_id=words.pad_token_id,
        eos_token_id=words.eos_token_id,
    )
    return loaded(seeded(transformers.T5ForConditionalGeneration, config, seed), words)
