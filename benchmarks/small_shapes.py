"""The smallest model of any architecture that transformers knows as a causal one, by its config.

A config's own defaults are those of a published model. Here each number that sets a width, a depth
or a count is made small, by its name; what its architecture wants otherwise stands in `_OWN`.
Weights are random, and spread so wide that no two favourites are near ties.
"""

from typing import Any

import torch
from transformers import CONFIG_MAPPING, AutoModelForCausalLM, PreTrainedConfig, PreTrainedModel

VOCAB_SIZE = 4096  # of the tokenizer of the shipped family
N_POSITIONS = 64
_SPREAD = 0.2

# what sets the size of a model, by the names that configs have for it
_SMALL: dict[str, Any] = {
    **dict.fromkeys(
        ("vocab_size", "unpadded_vocab_size", "vocab_size_per_layer_input"), VOCAB_SIZE
    ),
    **dict.fromkeys(("hidden_size", "d_model", "n_embd", "emb_dim", "lru_width"), 32),
    **dict.fromkeys(("embedding_size", "input_embedding_size", "output_embedding_size"), 32),
    **dict.fromkeys(("intermediate_size", "ffn_dim", "d_inner", "n_inner", "dff", "dim_ff"), 48),
    **dict.fromkeys(("encoder_ffn_dim", "decoder_ffn_dim", "ffn_hidden_size"), 48),
    **dict.fromkeys(("num_hidden_layers", "n_layer", "n_layers", "num_layers"), 2),
    **dict.fromkeys(("encoder_layers", "decoder_layers", "num_decoder_layers"), 2),
    **dict.fromkeys(("num_attention_heads", "n_head", "n_heads", "num_heads"), 4),
    **dict.fromkeys(("encoder_attention_heads", "decoder_attention_heads"), 4),
    **dict.fromkeys(("attention_heads", "num_decoder_attention_heads"), 4),
    **dict.fromkeys(("num_key_value_heads", "num_kv_heads", "num_query_groups"), 2),
    **dict.fromkeys(("head_dim", "kv_channels", "attention_head_dim", "linear_head_dim"), 8),
    **dict.fromkeys(
        ("max_position_embeddings", "n_positions", "n_ctx", "max_seq_len"), N_POSITIONS
    ),
    **dict.fromkeys(("model_max_length", "max_target_positions", "context_length"), N_POSITIONS),
    **dict.fromkeys(("max_source_positions",), N_POSITIONS),
    **dict.fromkeys(("sliding_window", "attention_window_size"), 6),
    "rotary_dim": 4,
    **dict.fromkeys(("adapter_in_dim", "adapter_input_size", "adapter_out_dim"), 32),
    # experts
    **dict.fromkeys(("num_experts", "n_routed_experts", "num_local_experts", "moe_num_experts"), 4),
    **dict.fromkeys(("num_experts_per_tok", "num_experts_per_token", "moe_topk", "moe_k"), 2),
    **dict.fromkeys(("moe_intermediate_size", "shared_expert_intermediate_size"), 16),
    **dict.fromkeys(("moe_shared_expert_intermediate_size", "shared_intermediate_size"), 16),
    **dict.fromkeys(("expert_ffn_hidden_size", "intermediate_size_mlp"), 16),
    **dict.fromkeys(("n_shared_experts", "num_shared_experts"), 1),
    **dict.fromkeys(("n_group", "topk_group", "first_k_dense_replace", "num_expert_group"), 1),
    "num_nextn_predict_layers": 0,
    # latent attention
    "kv_lora_rank": 16,
    "q_lora_rank": 16,
    "o_lora_rank": 8,
    **dict.fromkeys(("qk_rope_head_dim", "qk_nope_head_dim", "v_head_dim"), 8),
    **dict.fromkeys(("index_head_dim", "index_topk"), 8),
    "index_n_heads": 2,
    # running states
    **dict.fromkeys(("linear_num_key_heads", "linear_num_value_heads"), 2),
    **dict.fromkeys(("linear_key_head_dim", "linear_value_head_dim"), 8),
    **dict.fromkeys(("state_size", "mamba_d_state", "ssm_state_size"), 8),
    **dict.fromkeys(("time_step_rank", "mamba_dt_rank"), 4),
    **dict.fromkeys(("mamba_n_groups", "n_groups", "mamba_ngroups"), 1),
    **dict.fromkeys(("mamba_chunk_size", "chunk_size"), 8),
    **dict.fromkeys(("mamba_n_heads", "n_mamba_heads", "mamba_num_heads"), 4),
    **dict.fromkeys(("mamba_d_head", "mamba_head_dim", "mamba_headdim"), 16),
}
_SPECIAL_IDS = {
    "bos_token_id": 0,
    "eos_token_id": 0,
    "pad_token_id": 1,
    "decoder_start_token_id": 0,
}

# lists with an entry for each layer: of their kinds, the first layer of each is enough
_LAYERED = (
    "layer_types",
    "mlp_layer_types",
    "layers_block_type",
    "indexer_types",
    "no_rope_layers",
)

# by the type of the model: what the names above do not say
_OWN: dict[str, dict[str, Any]] = {
    "bamba": {"attn_layer_indices": [1]},
    "blt": {"encoder_hash_byte_group_vocab": 64},
    "cohere_compass_text": {
        "rope_parameters": {"full_attention": {"rope_type": "default", "rope_theta": 10_000.0}}
    },
    "dbrx": {
        "attn_config": {"kv_n_heads": 2, "clip_qkv": 8, "rope_theta": 10_000.0},
        "ffn_config": {"ffn_hidden_size": 48, "moe_num_experts": 4, "moe_top_k": 2},
    },
    "deepseek_v2": {"num_experts_per_tok": 2},
    "dots1": {"n_routed_experts": 4, "n_shared_experts": 1, "num_experts_per_tok": 2},
    "dots3_note_text": {"shared_experts_intermediate_size": 16},
    "falcon_h1": {"mamba_d_ssm": 64},
    "gemma3n_text": {"num_kv_shared_layers": 0},
    "gpt_neo": {"attention_types": [[["global", "local"], 1]]},
    "granitemoehybrid": {"layer_types": ["linear_attention", "full_attention"]},
    "hunyuan_v1_dense": {"head_dim": 8},
    "hunyuan_v1_moe": {"head_dim": 8},
    "jamba": {"attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_period": 2},
    "lfm2": {"layer_types": ["conv", "full_attention"]},
    "lfm2_moe": {"layer_types": ["conv", "full_attention"], "num_dense_layers": 1},
    "mamba2": {"head_dim": 16},
    "ministral": {"head_dim": 8},
    "nemotron": {"num_key_value_heads": 2},
    "qwen4_exp_text": {
        "indexer_n_heads": 2,
        "indexer_kv_heads": 1,
        "indexer_head_dim": 8,
        "indexer_budget": 8,
        "indexer_compress_ratio": 2,
    },
    "recurrent_gemma": {"num_hidden_layers": 3},
    "reformer": {"axial_pos_shape": [8, 8], "axial_pos_embds_dim": [16, 16]},
    "zamba": {
        "layers_block_type": ["linear_attention", "hybrid", "hybrid"],
        "num_hidden_layers": 3,
    },
    "zaya": {"num_experts_per_tok": 1},
}


def small_config(model_type: str) -> PreTrainedConfig:
    """Returns the config of the smallest model of a type, its parts small as well."""
    return _small(CONFIG_MAPPING[model_type]())


def _small(default: PreTrainedConfig) -> PreTrainedConfig:
    known = default.to_dict()
    small = {name: value for name, value in _SMALL.items() if _is_number(known.get(name))}
    ids = {name: value for name, value in _SPECIAL_IDS.items() if name in known}
    parts = {name: getattr(default, name, None) for name in default.sub_configs}
    small_parts = {n: _small(p) for n, p in parts.items() if isinstance(p, PreTrainedConfig)}
    # an encoder's architecture is causal where its config says so
    causal = {"is_decoder": True} if "is_decoder" in known else {}
    # latent attention has as many keys as queries
    if "kv_lora_rank" in known:
        small |= {"num_key_value_heads": 4}
    own = _OWN.get(default.model_type, {})
    return type(default)(**small | ids | causal | _one_layer_of_each(known) | small_parts | own)


def _one_layer_of_each(known: dict[str, Any]) -> dict[str, Any]:
    """Keeps the first layer of each kind, and two of one kind where there is but one."""
    n_layers = known.get("num_hidden_layers")
    kinds = {n: known[n] for n in _LAYERED if isinstance(known.get(n), list)}
    kinds = {name: layers for name, layers in kinds.items() if len(layers) == n_layers}
    if not kinds:
        return {}
    firsts = {layers.index(kind) for layers in kinds.values() for kind in layers}
    kept = sorted(firsts if len(firsts) > 1 else {0, 1})
    few = {name: [layers[i] for i in kept] for name, layers in kinds.items()}
    return few | {"num_hidden_layers": len(kept)}


def _is_number(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def small_model(config: PreTrainedConfig) -> PreTrainedModel:
    """Makes the model of a config, its weights random and the same each time."""
    build: Any = AutoModelForCausalLM.from_config
    with torch.random.fork_rng():
        torch.manual_seed(0)
        model: PreTrainedModel = build(config)
        with torch.no_grad():
            for name, parameter in model.named_parameters():
                if parameter.dim() > 1 and "conv" not in name and "A_log" not in name:
                    parameter.normal_(std=_SPREAD)
        ready: PreTrainedModel = model.train(False)
    return ready
