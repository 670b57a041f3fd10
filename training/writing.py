"""What a model writes by itself: samples, whether they end, how much they repeat themselves."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import torch
from transformers import PreTrainedModel


@dataclass(frozen=True)
class Habits:
    """Measured on many texts."""

    n_texts: int
    ended: float  # share that reached the end token
    median_tokens: float  # of a text, without the end
    distinct: dict[int, float]  # n: mean share of different n-grams among a text's n-grams


@torch.inference_mode()
def continue_text(
    model: PreTrainedModel,
    tokenizer: Any,
    prompt: str,
    temperature: float = 0.0,
    seed: int = 0,
    n_texts: int = 1,
    max_new_tokens: int = 600,
    top_p: float = 1.0,
) -> list[list[int]]:
    """Writes on from a prompt, several texts at once.

    Args:
        model: a causal model.
        tokenizer: its own.
        prompt: the beginning of every text.
        temperature: 0 is greedy.
        seed: of torch's generator.
        n_texts: how many.
        max_new_tokens: where a text without an end is cut.
        top_p: of the draw; at 1 all tokens stay in it.

    Returns:
        The new ids of each text up to its end token, which is kept.
    """
    torch.manual_seed(seed)
    prompt_ids = tokenizer(prompt, return_tensors="pt").input_ids
    masks = {"temperature": temperature, "top_k": 0, "top_p": top_p}
    how: dict[str, Any] = {"do_sample": True, **masks} if temperature else {}
    generate: Any = model.generate  # its class is annotated as a tensor
    written = generate(
        prompt_ids, max_new_tokens=max_new_tokens, num_return_sequences=n_texts, **how
    )
    end_id = model.config.eos_token_id
    texts = written[:, prompt_ids.shape[1] :].tolist()
    return [ids[: ids.index(end_id) + 1] if end_id in ids else ids for ids in texts]


def habits(
    texts: Sequence[Sequence[int]], end_id: int, orders: Sequence[int] = (1, 2, 4)
) -> Habits:
    """Counts ends and repetitions; a text shorter than n is left out of the mean over n-grams."""
    bare = [[i for i in ids if i != end_id] for ids in texts]
    distinct = {}
    for n in orders:
        runs = [list(zip(*(ids[i:] for i in range(n)), strict=False)) for ids in bare]
        shares = [len(set(each)) / len(each) for each in runs if each]
        distinct[n] = sum(shares) / max(1, len(shares))
    return Habits(
        n_texts=len(texts),
        ended=sum(end_id in ids for ids in texts) / len(texts),
        median_tokens=float(torch.tensor([float(len(ids)) for ids in bare]).quantile(0.5)),
        distinct=distinct,
    )
