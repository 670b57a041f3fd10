"""Faults of a size that can be chosen, put into a model that is otherwise itself.

Each takes a model and returns one that breaks one rule: a leak through the causal mask, a cache
that forgets, a pass that reads in turn, a model that sees a few words alone or none. Tests ask that
the claims refuse them; `benchmarks.verdicts` asks from which size on they do.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from transformers import DynamicCache

from model.held_out import held_out
from model.language_model import LanguageModel
from model.speculative.decoding import accept_prob
from model.tokenizing import encode


def leak(lm: LanguageModel, size: float) -> LanguageModel:
    """Adds to each position's logits a little of the next token's embedding product."""
    table: torch.Tensor = lm.model.get_input_embeddings().weight.data  # type: ignore[assignment]  # an embedding has one

    def add(_module: Any, _args: Any, inputs: dict[str, Any], output: Any) -> Any:
        ids, n = inputs["input_ids"], output.logits.shape[1]
        if n > 1:
            following = table[ids[:, -n:]][:, 1:] @ table.T
            output.logits[:, :-1] += size * following / following.abs().max()
        return output

    lm.model.register_forward_hook(add, with_kwargs=True)
    return _by_itself(lm)


def forget(lm: LanguageModel, n_kept: int) -> LanguageModel:
    """Lets what is read by the cache see its last few positions alone; a fresh pass sees all."""

    def hide(_module: Any, args: Any, inputs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        cache = inputs.get("past_key_values")
        n_past = cache.get_seq_length() if cache is not None else 0
        if n_past == 0:
            return args, inputs
        return args, inputs | _seeing(inputs["input_ids"], n_past, lambda i, j: i - j < n_kept)

    lm.model.register_forward_pre_hook(hide, with_kwargs=True)
    return _by_itself(lm)


def see_first(lm: LanguageModel, n_first: int) -> LanguageModel:
    """Lets every position see itself and the first few tokens alone."""

    def hide(_module: Any, args: Any, inputs: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
        cache = inputs.get("past_key_values")
        n_past = cache.get_seq_length() if cache is not None else 0
        return args, inputs | _seeing(
            inputs["input_ids"], n_past, lambda i, j: (j < n_first) | (i == j)
        )

    lm.model.register_forward_pre_hook(hide, with_kwargs=True)
    return _by_itself(lm)


def _seeing(
    ids: torch.Tensor, n_past: int, sees: Callable[[torch.Tensor, torch.Tensor], torch.Tensor]
) -> dict[str, torch.Tensor]:
    """Returns a mask that adds minus infinity where position i does not see position j."""
    n = ids.shape[1]
    i, j = torch.arange(n_past, n_past + n)[:, None], torch.arange(n_past + n)[None]
    hidden = ~(sees(i, j) & (j <= i))
    mask = torch.zeros(1, 1, n, n_past + n).masked_fill(hidden, torch.finfo(torch.float32).min)
    return {"attention_mask": mask.expand(ids.shape[0], -1, -1, -1)}


def in_turn(lm: LanguageModel, n_at_once: int) -> LanguageModel:
    """Reads a few tokens after another inside what looks like one pass."""
    whole = lm.model.forward

    def read(input_ids: torch.Tensor, **inputs: Any) -> Any:
        keep = inputs.pop("logits_to_keep", 0)
        cache = inputs.pop("past_key_values", None)
        inputs.pop("use_cache", None)
        cache = DynamicCache(config=lm.config) if cache is None else cache
        mask, places = inputs.pop("attention_mask", None), inputs.pop("position_ids", None)
        n_before, rows = cache.get_seq_length(), []
        for first in range(0, input_ids.shape[1], n_at_once):
            end = min(input_ids.shape[1], first + n_at_once)
            part = dict(inputs)
            if mask is not None:
                part["attention_mask"] = mask[:, : n_before + end]
            if places is not None:
                part["position_ids"] = places[:, first:end]
            output = whole(
                input_ids=input_ids[:, first:end], past_key_values=cache, use_cache=True, **part
            )
            rows.append(output.logits)
        output.logits = torch.cat(rows, dim=1)[:, -keep:]
        return output

    lm.model.forward = read
    return _by_itself(lm)


def unigram(lm: LanguageModel, _size: float = 0) -> LanguageModel:
    """Gives the same distribution everywhere, that of the tokens of some stories."""
    stories = [token_id for story in held_out("stories") for token_id in encode(lm, story)]
    counts = np.bincount(stories, minlength=lm.vocab_size)
    logits = torch.from_numpy(np.log(counts + 0.1)).float()

    def replace_logits(_module: Any, _args: Any, output: Any) -> Any:
        output.logits = logits.expand_as(output.logits).clone()
        return output

    lm.model.register_forward_hook(replace_logits)
    return _by_itself(lm)


def _by_itself(lm: LanguageModel) -> LanguageModel:
    """Returns the model without the quick pass beside it, which would not have the fault."""
    return replace(lm, local=replace(lm.weights, quick=None))


def generous(times: float) -> Callable[[float, float], float]:
    """Returns a rule of acceptance that is so many times too generous, or too strict below 1."""

    def accept(target_prob: float, draft_prob: float) -> float:
        if times < 1:
            return times * accept_prob(target_prob, draft_prob)
        return min(1.0, times * target_prob / draft_prob)

    return accept
