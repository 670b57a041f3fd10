"""The members of the family: their shapes, what each is taught, and the plan of its run.

A `Recipe` holds what differs between two members; loop, corpus and tokenizer are common to all.
"""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch.nn import functional
from transformers import LlamaConfig, LlamaForCausalLM, PreTrainedModel

from model.training.corpus import END_ID
from model.training.tokenizer import CONTEXT_LENGTH, PAD, SPECIALS, VOCAB_SIZE
from model.training.train import Phase, Plan

LossOf = Callable[[torch.Tensor], torch.Tensor]

BROAD = {
    "tinystories": 0.25,
    "fables": 0.08,
    "storybooks": 0.04,
    "sentences": 0.08,
    "fairy_tales": 0.30,
    "childrens_books": 0.25,
}
MIDDLE = {
    "tinystories": 0.50,
    "fables": 0.12,
    "storybooks": 0.06,
    "sentences": 0.07,
    "fairy_tales": 0.20,
    "childrens_books": 0.05,
}
SIMPLE = {
    "tinystories": 0.70,
    "fables": 0.13,
    "storybooks": 0.06,
    "sentences": 0.03,
    "fairy_tales": 0.08,
}
# from all the corpus to its simple part; short rows first, as they are cheap, and the whole context
# at the end, when the weights settle
PHASES = (
    Phase(0.0, BROAD, n_rows=32, n_tokens=256),
    Phase(0.21, MIDDLE, n_rows=32, n_tokens=256),
    Phase(0.47, SIMPLE, n_rows=32, n_tokens=256),
    Phase(0.75, SIMPLE, n_rows=16, n_tokens=512),
    Phase(0.94, SIMPLE, n_rows=4, n_tokens=CONTEXT_LENGTH),
)
# a draft has room for little and is asked for stories: all of its tokens are of the simpler kind
DRAFT_PHASES = (
    Phase(0.0, MIDDLE, n_rows=32, n_tokens=256),
    Phase(0.2, SIMPLE, n_rows=32, n_tokens=256),
    Phase(0.85, SIMPLE, n_rows=16, n_tokens=512),
    Phase(0.96, SIMPLE, n_rows=4, n_tokens=CONTEXT_LENGTH),
)


@dataclass(frozen=True)
class Recipe:
    """How one member is made."""

    name: str
    purpose: str  # one sentence for its card
    config: LlamaConfig
    plan: Plan
    has_teacher: bool = False


def llama(hidden: int, layers: int, heads: int, inner: int) -> LlamaConfig:
    """A small Llama (arXiv 2302.13971): two heads share a key (2305.13245), embeddings are tied."""
    return LlamaConfig(
        vocab_size=VOCAB_SIZE,
        hidden_size=hidden,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=heads // 2,
        max_position_embeddings=CONTEXT_LENGTH,
        tie_word_embeddings=True,
        bos_token_id=END_ID,
        eos_token_id=END_ID,
        pad_token_id=SPECIALS.index(PAD),
    )


RECIPES = {
    "storyteller": Recipe(
        "storyteller",
        "The target: a causal language model that writes short, simple stories in English.",
        llama(hidden=256, layers=8, heads=8, inner=704),
        Plan(PHASES, minutes=116, early_at=1_500_000),
    ),
    "scribbler": Recipe(
        "scribbler",
        "The draft of speculative decoding: it guesses what the storyteller would write.",
        llama(hidden=128, layers=2, heads=4, inner=352),
        Plan(DRAFT_PHASES, minutes=25),
        has_teacher=True,
    ),
}


def make_model(config: LlamaConfig, seed: int) -> LlamaForCausalLM:
    """Random weights; what a block adds to the stream is zero at first, and grows from there."""
    torch.manual_seed(seed)
    model = LlamaForCausalLM(config)
    for layer in model.model.layers:
        torch.nn.init.zeros_(layer.self_attn.o_proj.weight)
        torch.nn.init.zeros_(layer.mlp.down_proj.weight)
    return model


def next_token_loss(model: PreTrainedModel) -> LossOf:
    """The surprise at each token, given those before it in its row."""

    def loss_of(rows: torch.Tensor) -> torch.Tensor:
        logits = model(input_ids=rows[:, :-1], use_cache=False).logits
        return functional.cross_entropy(logits.float().flatten(0, 1), rows[:, 1:].flatten())

    return loss_of


def distillation_loss(model: PreTrainedModel, teacher: PreTrainedModel) -> LossOf:
    """How far the student is from the teacher's distributions (arXiv 1503.02531), in nats."""

    def loss_of(rows: torch.Tensor) -> torch.Tensor:
        with torch.no_grad():
            wanted = teacher(input_ids=rows[:, :-1], use_cache=False).logits.float()
        logits = model(input_ids=rows[:, :-1], use_cache=False).logits.float()
        divergence = functional.kl_div(
            functional.log_softmax(logits, dim=-1),
            functional.log_softmax(wanted, dim=-1),
            reduction="none",
            log_target=True,
        )
        return divergence.sum(dim=-1).mean()

    return loss_of


def compiled(loss_of: LossOf, models: list[PreTrainedModel]) -> LossOf:
    """The same loss, compiled; short rows on a CPU use the attention that fuses best."""
    fused = torch.compile(loss_of, dynamic=False)
    on_cpu = models[0].device.type == "cpu"

    def fast_loss_of(rows: torch.Tensor) -> torch.Tensor:
        wanted = "eager" if on_cpu and rows.shape[1] <= 513 else "sdpa"
        for model in models:
            if model.config._attn_implementation != wanted:
                model.set_attn_implementation(wanted)
        return fused(rows)

    return fast_loss_of
