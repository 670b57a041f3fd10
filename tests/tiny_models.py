"""Tiny seeded models of many architectures, made on the fly: a few thousand numbers each.

Their weights are random, so what they write means nothing; how they compute is the real thing. The
tokenizer is byte-level with a few merges, and the vocabulary is wider than it, as real ones are.
"""

import functools
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
import transformers
from tokenizers import AddedToken, Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    GenerationConfig,
    PreTrainedConfig,
    PreTrainedModel,
    PreTrainedTokenizerFast,
)

from model.loading import LanguageModel, LoadError, load_model

VOCAB_SIZE = 290  # 256 bytes, 4 merges, 3 special tokens; the rest is known to the model alone
END, USER, TURN = "<|endoftext|>", "<|user|>", "<|end|>"
CONTEXT = 96
WINDOW = 6

_SMALL = {
    "vocab_size": VOCAB_SIZE,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 2,
    "num_attention_heads": 4,
    "max_position_embeddings": CONTEXT,
    "tie_word_embeddings": False,
}
_GROUPED = {**_SMALL, "num_key_value_heads": 2, "head_dim": 8}
_ALTERNATING = {**_GROUPED, "sliding_window": WINDOW, "query_pre_attn_scalar": 8}
_GPT = {"vocab_size": VOCAB_SIZE, "n_embd": 32, "n_layer": 2, "n_head": 4, "n_positions": CONTEXT}
_LAYERS = ["sliding_attention", "full_attention"]

# name -> (config class, its arguments); "eos" and "bos" are added below
ARCHITECTURES: dict[str, tuple[str, dict[str, Any]]] = {
    "gpt2": ("GPT2Config", _GPT),
    "llama": ("LlamaConfig", _GROUPED),
    "qwen2": ("Qwen2Config", {**_SMALL, "num_key_value_heads": 2}),
    # a head size that is not hidden size / heads
    "qwen3": ("Qwen3Config", {**_SMALL, "num_key_value_heads": 2, "head_dim": 16}),
    "gemma2": ("Gemma2Config", {**_ALTERNATING, "layer_types": _LAYERS}),
    "gemma3": ("Gemma3TextConfig", {**_ALTERNATING, "layer_types": _LAYERS}),
    "mistral": ("MistralConfig", {**_GROUPED, "sliding_window": WINDOW}),
    "gpt_neox": ("GPTNeoXConfig", _SMALL),
    "phi": ("PhiConfig", _SMALL),
    "mixtral": ("MixtralConfig", {**_GROUPED, "num_local_experts": 4, "num_experts_per_tok": 2}),
    "deepseek": (
        "DeepseekV3Config",
        {
            **_SMALL,
            "num_key_value_heads": 4,
            "kv_lora_rank": 16,
            "q_lora_rank": None,
            "qk_rope_head_dim": 8,
            "qk_nope_head_dim": 8,
            "v_head_dim": 8,
            "n_routed_experts": 4,
            "num_experts_per_tok": 2,
            "n_group": 1,
            "topk_group": 1,
            "moe_intermediate_size": 16,
            "first_k_dense_replace": 1,
            "num_nextn_predict_layers": 0,
        },
    ),
    "bloom": (
        "BloomConfig",
        {"vocab_size": VOCAB_SIZE, "hidden_size": 32, "n_layer": 2, "n_head": 4},
    ),
    # these sum up the past in a state that cannot be cropped
    "mamba": (
        "MambaConfig",
        {
            "vocab_size": VOCAB_SIZE,
            "hidden_size": 32,
            "num_hidden_layers": 2,
            "state_size": 4,
            "tie_word_embeddings": False,
        },
    ),
    "qwen3_next": (
        "Qwen3NextConfig",
        {
            **_GROUPED,
            "layer_types": ["linear_attention", "full_attention"],
            "linear_num_key_heads": 2,
            "linear_num_value_heads": 2,
            "linear_key_head_dim": 8,
            "linear_value_head_dim": 8,
            "num_experts": 4,
            "num_experts_per_tok": 2,
            "moe_intermediate_size": 16,
            "shared_expert_intermediate_size": 16,
        },
    ),
    # takes no cache at all
    "openai_gpt": ("OpenAIGPTConfig", _GPT),
}
CROPPABLE = tuple(
    name for name in ARCHITECTURES if name not in {"mamba", "qwen3_next", "openai_gpt"}
)


def tokenizer(bos: str | None = END, chat_template: str | None = None) -> PreTrainedTokenizerFast:
    """A byte-level tokenizer with merges for " t", " th", " the" and "he"."""
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocab = {token: index for index, token in enumerate([*alphabet, "he", "Ġt", "Ġth", "Ġthe"])}
    merges = [("Ġ", "t"), ("Ġt", "h"), ("Ġth", "e"), ("h", "e")]
    backend = Tokenizer(models.BPE(vocab=vocab, merges=merges))
    backend.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    backend.decoder = decoders.ByteLevel()
    backend.add_special_tokens([AddedToken(token, special=True) for token in (END, USER, TURN)])
    return PreTrainedTokenizerFast(
        tokenizer_object=backend, bos_token=bos, eos_token=END, chat_template=chat_template
    )


def config(architecture: str, **changes: Any) -> PreTrainedConfig:
    """The config of a tiny model; the end token is the tokenizer's, other ids are none."""
    class_name, arguments = ARCHITECTURES[architecture]
    ends = {"bos_token_id": None, "eos_token_id": tokenizer().eos_token_id, "pad_token_id": None}
    return getattr(transformers, class_name)(**{**ends, **arguments, **changes})


def seeded(make: Any, config: PreTrainedConfig, seed: int) -> PreTrainedModel:
    """A model with seeded weights, large enough apart that its favourites are no near ties."""
    with torch.random.fork_rng():
        torch.manual_seed(seed)
        model: PreTrainedModel = make(config)
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if parameter.dim() > 1 and "conv" not in name and "A_log" not in name:
                    parameter.normal_(std=0.2)
    return model.eval()


def bare_model(architecture: str, seed: int = 0, **changes: Any) -> PreTrainedModel:
    """A causal model that is not loaded from anywhere."""
    make = transformers.AutoModelForCausalLM.from_config
    return seeded(make, config(architecture, **changes), seed)


def fresh_logits(lm: LanguageModel, ids: list[int]) -> npt.NDArray[np.float32]:
    """The logits after a text by one pass without any cache: the truth that all else must meet."""
    with torch.inference_mode():
        return lm.model(torch.tensor([ids]), use_cache=False).logits[0, -1].numpy()


def generated(
    lm: LanguageModel, ids: list[int], n: int, end_ids: Iterable[int] = (), **more: Any
) -> list[int]:
    """A text with up to n greedy tokens more, by transformers' own loop."""
    prompts = torch.tensor([ids])
    config = GenerationConfig(
        max_new_tokens=n, do_sample=False, eos_token_id=sorted(end_ids) or None, pad_token_id=0
    )
    with torch.inference_mode():
        return lm.model.generate(
            prompts, attention_mask=torch.ones_like(prompts), generation_config=config, **more
        )[0].tolist()


def save(
    folder: Path, model: PreTrainedModel, words: PreTrainedTokenizerFast | None = None
) -> Path:
    """Writes a model and its tokenizer as a folder that can be loaded."""
    model.save_pretrained(folder)
    (words or tokenizer()).save_pretrained(folder)
    return folder


def loaded(model: PreTrainedModel, words: PreTrainedTokenizerFast | None = None) -> LanguageModel:
    """A model, loaded from a folder as any other is."""
    with tempfile.TemporaryDirectory() as folder:
        return load_model(str(save(Path(folder), model, words)), device="cpu")


@functools.cache
def tiny(architecture: str, seed: int = 0) -> LanguageModel:
    """A tiny model; one copy per test run."""
    return loaded(bare_model(architecture, seed))


def load_error(name: str | Path, device: str = "cpu", dtype: str = "auto") -> str:
    """The one sentence with which loading this fails."""
    with pytest.raises(LoadError) as caught:
        load_model(str(name), device, dtype)
    message = str(caught.value)
    assert "\n" not in message
    assert message.endswith(".")
    return message


@contextmanager
def passes_of(lm: LanguageModel) -> Iterator[list[list[int]]]:
    """The passes of a model while the block runs: the ids that each read, row after row."""
    read = list[list[int]]()
    hook = lm.model.register_forward_pre_hook(
        lambda _model, args, given: read.append(
            (args[0] if args else given["input_ids"]).flatten().tolist()
        ),
        with_kwargs=True,
    )
    try:
        yield read
    finally:
        hook.remove()
