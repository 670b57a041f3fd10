"""The members of the family: their shapes, what each is taught, and the plan of its run.

A `Recipe` holds what differs between two members; loop, corpus and tokenizer are common to all.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import torch
from transformers import (
    LlamaConfig,
    LlamaForCausalLM,
    ModernBertConfig,
    ModernBertForMaskedLM,
    PreTrainedConfig,
    PreTrainedModel,
    T5Config,
    T5ForConditionalGeneration,
)

from model.records import ModelKind
from training.corpus import END_ID, Document
from training.distillation_data import LESSONS
from training.evaluate import bits_per_byte, bits_per_missing_token, masked_bits_per_byte
from training.objectives import (
    PAD_ID,
    LossOf,
    gap_loss,
    masked_diffusion_loss,
    next_token_loss,
)
from training.tokenizer import CONTEXT_LENGTH, VOCAB_SIZE
from training.train import Plan, TrainingPhase

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
    TrainingPhase(0.0, BROAD, n_rows=32, n_tokens=256),
    TrainingPhase(0.21, MIDDLE, n_rows=32, n_tokens=256),
    TrainingPhase(0.47, SIMPLE, n_rows=32, n_tokens=256),
    TrainingPhase(0.75, SIMPLE, n_rows=16, n_tokens=512),
    TrainingPhase(0.94, SIMPLE, n_rows=4, n_tokens=CONTEXT_LENGTH),
)
# a draft is asked for what its teacher writes; without lessons, for stories of the simple kind; so
# small a model learns far more of few rows, often, than of many at once. Its last rows are lessons
# again, for the corpus, which has the long rows, is known to the teacher by heart
TAUGHT = {LESSONS: 1.0} | SIMPLE
DRAFT_PHASES = (
    TrainingPhase(0.0, TAUGHT, n_rows=8, n_tokens=256),
    TrainingPhase(0.88, SIMPLE, n_rows=4, n_tokens=512),
    TrainingPhase(0.92, SIMPLE, n_rows=1, n_tokens=CONTEXT_LENGTH),
    TrainingPhase(0.94, TAUGHT, n_rows=8, n_tokens=256),
)
# a page of 64 tokens is asked for, given nothing but the bos; a text with gaps may be a sentence
PAGE_PHASES = (
    TrainingPhase(0.0, SIMPLE, n_rows=48, n_tokens=128),
    TrainingPhase(0.6, SIMPLE, n_rows=96, n_tokens=64),
)
# long rows teach many gaps, short ones what a sentence is; the one is forgotten over the other
LONG_ROWS = partial(TrainingPhase, weights=SIMPLE, n_rows=64, n_tokens=128)
SHORT_ROWS = partial(TrainingPhase, weights=SIMPLE, n_rows=128, n_tokens=48)
GAP_PHASES = (
    LONG_ROWS(0.0),
    SHORT_ROWS(0.38),
    LONG_ROWS(0.62),
    SHORT_ROWS(0.70),
    LONG_ROWS(0.78),
    SHORT_ROWS(0.86),
    LONG_ROWS(0.92),
    SHORT_ROWS(0.97),
)
PAGE_CONTEXT = 512


@dataclass(frozen=True)
class Recipe:
    """How one member is made."""

    name: str
    purpose: str  # one sentence for its card
    config: PreTrainedConfig
    plan: Plan
    loss_of: Callable[[PreTrainedModel], LossOf] = next_token_loss
    judge: Callable[[torch.nn.Module, Sequence[Document]], float] = bits_per_byte
    n_judged: int = 0  # tokens of a document that the judge reads; 0 is all
    openings: float = 0.0  # share of the rows that begin where a document does
    kind: ModelKind = "causal"
    lesson: str = "It learned to guess the next token."  # what it is taught, for its card
    relatives: tuple[str, ...] = ()  # other members that a run may be given


def llama(hidden: int, layers: int, heads: int, inner: int, **other: Any) -> LlamaConfig:
    """A small Llama (arXiv 2302.13971): two heads share a key (2305.13245), embeddings are tied."""
    shape: dict[str, Any] = {"num_key_value_heads": heads // 2, "tie_word_embeddings": True}
    return LlamaConfig(
        vocab_size=VOCAB_SIZE,
        hidden_size=hidden,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        max_position_embeddings=CONTEXT_LENGTH,
        bos_token_id=END_ID,
        eos_token_id=END_ID,
        pad_token_id=PAD_ID,
        **shape | other,
    )


def bert(hidden: int, layers: int, heads: int, inner: int) -> ModernBertConfig:
    """A small ModernBERT (arXiv 2412.13663) in which every layer sees the whole text, both ways.

    Its gates and its rotary positions are the Llama's, so that it can begin with those weights.
    """
    positions = {"rope_type": "default", "rope_theta": 10_000.0}
    return ModernBertConfig(
        vocab_size=VOCAB_SIZE,
        hidden_size=hidden,
        intermediate_size=inner,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        layer_types=["full_attention"] * layers,
        rope_parameters={"full_attention": positions, "sliding_attention": dict(positions)},
        max_position_embeddings=PAGE_CONTEXT,
        hidden_activation="silu",
        classifier_activation="linear",
        pad_token_id=PAD_ID,
        bos_token_id=END_ID,
        eos_token_id=END_ID,
        cls_token_id=END_ID,
        sep_token_id=END_ID,
    )


def t5(hidden: int, layers: tuple[int, int], heads: int, inner: int) -> T5Config:
    """A small T5 1.1 (arXiv 1910.10683): layers of the encoder, and of the decoder."""
    config = T5Config(
        vocab_size=VOCAB_SIZE,
        d_model=hidden,
        d_kv=hidden // heads,
        d_ff=inner,
        num_layers=layers[0],
        num_decoder_layers=layers[1],
        num_heads=heads,
        feed_forward_proj="gated-silu",
        dropout_rate=0.0,
        eos_token_id=END_ID,
        pad_token_id=PAD_ID,
    )
    config.bos_token_id, config.decoder_start_token_id = END_ID, PAD_ID
    return config


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
        # what it lacks is ways of looking back, so it has more heads than its width would give;
        # embeddings of its own, of which a step reads one row, cost nothing
        llama(*(160, 2, 8, 320), head_dim=32, num_key_value_heads=4, tie_word_embeddings=False),
        Plan(
            DRAFT_PHASES,
            minutes=85,
            muon_rate=0.01,
            adam_rate=2e-3,
            decay_from=0.2,
            judge_every=2000,
            keeps_last=True,  # the judge knows the text and not the teacher,
            patience=10**6,  # and may not stop the run either
        ),
        relatives=("start", "teacher", "lessons", "target", "twin"),
    ),
    "unmasker": Recipe(
        "unmasker",
        "The masked-diffusion model: it fills a page of masks, many positions in one pass.",
        bert(hidden=256, layers=6, heads=8, inner=704),
        Plan(PAGE_PHASES, minutes=40, muon_rate=0.01, adam_rate=2e-3, decay_from=0.3),
        masked_diffusion_loss,
        masked_bits_per_byte,
        n_judged=128,
        openings=0.6,
        kind="masked",
        lesson="It learned to guess hidden tokens, any share of them, each row's loss weighed by "
        "one over its share.",
        relatives=("start", "judge"),
    ),
    "gapfiller": Recipe(
        "gapfiller",
        "The encoder-decoder: it reads a text with gaps whole, then writes the missing pieces.",
        t5(hidden=256, layers=(3, 2), heads=8, inner=704),
        Plan(GAP_PHASES, minutes=25, decay_from=0.3),
        gap_loss,
        bits_per_missing_token,
        n_judged=64,
        openings=0.5,
        kind="seq2seq",
        lesson="It learned to write the pieces cut out of a text: a fifth of the tokens, in pieces "
        "of three on average.",
        relatives=("start",),
    ),
}


CLASSES: dict[type[PreTrainedConfig], type[PreTrainedModel]] = {
    LlamaConfig: LlamaForCausalLM,
    ModernBertConfig: ModernBertForMaskedLM,
    T5Config: T5ForConditionalGeneration,
}
# the last matrix of each part of a block, in the three classes
CLOSING = ("o_proj.weight", "down_proj.weight", ".Wo.weight", "tion.o.weight", ".wo.weight")


def make_model(config: PreTrainedConfig, seed: int) -> PreTrainedModel:
    """Random weights; what a block adds to the stream is zero at first, and grows from there."""
    torch.manual_seed(seed)
    model = CLASSES[type(config)](config)
    for name, weight in model.named_parameters():
        if name.endswith(CLOSING):
            torch.nn.init.zeros_(weight)
    if isinstance(model, T5ForConditionalGeneration):
        begin_t5(model)
    return model


@torch.no_grad()
def begin_t5(model: T5ForConditionalGeneration) -> None:
    """Spares a small T5 what takes long to find: where things are, and which gap a sentinel names.

    Attention inside a text begins by place alone: some heads look one or two tokens to the left or
    to the right, others farther, weaker with the distance. Attention to the encoder begins by
    likeness: queries and keys are the same map, so that a sentinel finds its own gap.
    """
    # T5 divides its output by this root; embeddings can start as small as the others' then
    torch.nn.init.constant_(model.decoder.final_layer_norm.weight, model.config.hidden_size**0.5)
    torch.nn.init.normal_(model.shared.weight, std=0.02)
    stacks: Any = (model.encoder, model.decoder)
    for stack in stacks:
        for block in stack.block:
            block.layer[0].SelfAttention.q.weight.zero_()
            if stack.is_decoder:
                attention = block.layer[1].EncDecAttention
                torch.nn.init.orthogonal_(attention.k.weight)
                attention.q.weight.copy_(0.3 * attention.k.weight)
    # one number for each distance (bucket) and head; to the right they begin in the middle
    to_encode, to_decode = (
        stack.block[0].layer[0].SelfAttention.relative_attention_bias.weight for stack in stacks
    )
    half = len(to_encode) // 2
    to_encode.zero_()
    to_decode.zero_()
    near, far, never = 4.0, -0.5, -6.0
    for head, bucket in enumerate((1, half + 1, 2, half + 2)[: to_encode.shape[1]]):
        to_encode[bucket, head] = near
        to_decode[head, head] = near
    if to_encode.shape[1] >= 6:
        distance = torch.arange(2 * half)
        to_encode[:half, 4], to_encode[half:, 4] = far * distance[:half], never
        to_encode[half:, 5], to_encode[:half, 5] = far * distance[:half], never
        to_decode[:, 4], to_decode[:, 5] = far * distance, far / 2 * distance
