"""Tiny seeded models that fill: a masked one (ModernBERT) and an encoder-decoder (T5)."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path
from typing import Any

import torch
import transformers
from transformers import PreTrainedTokenizerFast

from model.loading import LanguageModel, load_model
from tests.tiny_models import CONTEXT, END, VOCAB_SIZE, save, tokenizer

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
    """A masked model of two layers, loaded from a folder as any other is."""
    words = filling_tokenizer()
    config = transformers.ModernBertConfig(
        vocab_size=VOCAB_SIZE,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        max_position_embeddings=CONTEXT,
        pad_token_id=words.pad_token_id,
        **_ends(words),
        cls_token_id=None,
        sep_token_id=None,
    )
    return _loaded(transformers.ModernBertForMaskedLM, config, words, seed)


@functools.cache
def tiny_gapfiller(seed: int = 0) -> LanguageModel:
    """An encoder-decoder of two layers each, loaded from a folder as any other is."""
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
    return _loaded(transformers.T5ForConditionalGeneration, config, words, seed)


def _ends(words: PreTrainedTokenizerFast) -> dict[str, Any]:
    end = words.convert_tokens_to_ids(END)
    return {"bos_token_id": end, "eos_token_id": end}


def _loaded(kind: Any, config: Any, words: PreTrainedTokenizerFast, seed: int) -> LanguageModel:
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model = kind(config)
        with torch.no_grad():
            for parameter in model.parameters():
                if parameter.dim() > 1:
                    parameter.normal_(std=0.2)
    with tempfile.TemporaryDirectory() as folder:
        save(Path(folder), model.eval(), words)
        return load_model(folder, device="cpu")
