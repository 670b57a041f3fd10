"""Models that share all with the shipped family but what a claim is about, and faulty draws.

Each keeps the tokenizer, the shapes and, where it says so, the trained weights of every member, so
that drafts, judges and masked models are of the same kind.
"""

import functools
import tempfile
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from transformers import MistralConfig, MistralForCausalLM, PreTrainedModel

from benchmarks import violations
from model.draw import draw
from model.loading import LanguageModel, load_model
from model.records import Stage
from tests.tiny_models import save, tiny

Change = Callable[[PreTrainedModel], PreTrainedModel | None]
FIRST_WORD = 290  # ids below are special tokens and bytes, which stay where they are

# what the logits are made from, by the names of the family's classes
LAST = {"model.norm.weight", "head.norm.weight", "decoder.bias", "decoder.final_layer_norm.weight"}


def random(model: PreTrainedModel) -> PreTrainedModel:
    """One layer of weights that nobody has trained."""
    shape = model.config.to_dict() | {"num_hidden_layers": 1}
    if layers := shape.get("layer_types"):
        shape["layer_types"] = layers[:1]
    made = type(model)(type(model.config)(**shape))
    for weights in made.parameters():
        if weights.dim() > 1:
            torch.nn.init.normal_(weights, std=0.1)
    return made


def bigram(model: PreTrainedModel) -> None:
    """Attention adds nothing: a position knows its own token alone."""
    for name, weights in model.named_parameters():
        if name.endswith(("o_proj.weight", "attn.Wo.weight", "Attention.o.weight")):
            torch.nn.init.zeros_(weights)


def permuted(model: PreTrainedModel) -> None:
    """The same numbers under other names: each word is taken for another one."""
    n = model.config.vocab_size
    order = torch.cat([torch.arange(FIRST_WORD), FIRST_WORD + torch.randperm(n - FIRST_WORD)])
    for weights in {id(w): w for w in model.parameters() if w.shape[0] == n}.values():
        weights.data = weights.data[order].clone()


def window(n_tokens: int) -> Change:
    """Each position knows the last n tokens alone, by layers that each see a few."""

    def change(model: PreTrainedModel) -> PreTrainedModel:
        if model.config.model_type != "llama":
            return model
        shape = model.config.to_dict()
        each = 1 + (n_tokens - 1) // shape["num_hidden_layers"]
        config = MistralConfig(**shape | {"sliding_window": each, "model_type": "mistral"})
        made = MistralForCausalLM(config)
        made.load_state_dict(model.state_dict())
        return made

    return change


def uniform(model: PreTrainedModel) -> None:
    """All tokens are as likely, whatever was read."""
    for name, weights in model.named_parameters():
        if name in LAST:
            torch.nn.init.zeros_(weights)


def bidirectional(model: PreTrainedModel) -> None:
    """No mask: every position sees those after it as well."""
    model.config.is_causal = False
    for module in model.modules():
        if getattr(module, "is_causal", False):
            module.is_causal = False


def loud(model: PreTrainedModel) -> None:
    """Logits thirty times as large: one token takes everything, so greedy misses nothing."""
    for name, weights in model.named_parameters():
        if name in LAST:
            weights.mul_(30.0)


def quiet(model: PreTrainedModel) -> None:
    """Logits a thousand times as small."""
    for name, weights in model.named_parameters():
        if name in LAST:
            weights.mul_(1e-3)


CHANGES: dict[str, Change] = {
    "shipped": lambda model: model,
    "random": random,
    "bigram": bigram,
    "permuted": permuted,
    "window 9": window(9),
    "window 17": window(17),
    "uniform": uniform,
    "bidirectional": bidirectional,
    "quiet bidirectional": quiet,
    "loud": loud,
}
# faults that stand beside the weights, each of a size
FAULTS: dict[str, Callable[[LanguageModel], LanguageModel]] = {
    "leak .001": partial(violations.leak, size=1e-3),
    "forgets 150": partial(violations.forget, n_kept=150),
    "first 3": partial(violations.see_first, n_first=3),
    "in turn": partial(violations.in_turn, n_at_once=1),
    "unigram": violations.unigram,
}


@functools.cache
def adversary(kind: str, name: str) -> LanguageModel:
    """A member of the family, changed; or another architecture in its place."""
    if kind == "untaught":
        return load_model(name.replace("_taught", "_plain"), "cpu")
    if kind not in CHANGES | FAULTS:
        return tiny(kind)
    shipped = load_model(name, "cpu")
    if kind == "shipped" or (kind in FAULTS and name != "storyteller"):
        return shipped
    with torch.random.fork_rng(), torch.no_grad(), tempfile.TemporaryDirectory() as folder:
        torch.manual_seed(sum(map(ord, name)) if kind == "random" else 0)
        model = type(shipped.model)(shipped.model.config)
        model.load_state_dict(shipped.model.state_dict())
        if kind in CHANGES and kind != "bidirectional":  # such files are refused
            model = CHANGES[kind](model) or model
        save(Path(folder), model, shipped.tokenizer)
        lm = load_model(folder, "cpu")
    if "bidirectional" in kind:
        bidirectional(lm.model)
    return FAULTS.get(kind, lambda whole: whole)(lm)


def laid_out_by_id(stage: Stage, pointer: float) -> int:
    """A draw from tokens that lie in the order of their ids."""
    return int(np.searchsorted(stage.probs.cumsum(), pointer, side="right"))


def by_another_pointer() -> Callable[[Stage, float], int]:
    """A draw whose pointer falls anew every time."""
    rng = np.random.default_rng(0)
    return lambda stage, _pointer: draw(stage, rng.random())
