"""How well a causal model predicts text that it has not seen, each document by itself.

The measure is bits per byte: it does not depend on the tokenizer, so any two language models can be
compared by it.
"""

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch.nn import functional

from model.training.corpus import END_ID, Document, Ids


@torch.inference_mode()
def token_nats(model: torch.nn.Module, ids: Ids, context: int = 2048) -> torch.Tensor:
    """The surprise of every token after the first, the closing end included, in nats.

    Args:
        model: a causal model of transformers.
        ids: a document behind its bos, without the end.
        context: longest window; in a longer document the windows overlap by half, so every later
            token sees at least half a window.
    """
    device = next(model.parameters()).device
    whole = torch.from_numpy(np.append(ids, END_ID).astype(np.int64)).to(device)
    nats = torch.zeros(len(whole) - 1)
    done = 0
    while done < len(nats):
        start = 0 if done == 0 else done - context // 2
        window = whole[start : start + context + 1]
        logits = model(input_ids=window[None, :-1], use_cache=False).logits[0]
        losses = functional.cross_entropy(logits.float(), window[1:], reduction="none")
        nats[done : start + len(losses)] = losses[done - start :].cpu()
        done = start + len(losses)
    return nats


def bits_per_byte(
    model: torch.nn.Module, documents: Sequence[Document], context: int = 2048
) -> float:
    """All bits that the documents' tokens cost, closing ends included, over all their bytes."""
    was_training = model.training
    model.eval()
    nats = sum(token_nats(model, document.ids, context).sum().item() for document in documents)
    model.train(was_training)
    return nats / math.log(2) / sum(document.n_bytes for document in documents)


def bits_by_position(
    model: torch.nn.Module, documents: Sequence[Document], edges: Sequence[int]
) -> list[float]:
    """The mean surprise in bits of a token by its position in its document.

    Args:
        model: a causal model.
        documents: each is read up to the last edge; shorter ones are left out, so that a stretch
            differs from another in position only.
        edges: where one stretch ends and the next begins; the first begins at 0.
    """
    last = edges[-1]
    long = [document.ids for document in documents if len(document.ids) > last]
    if not long:
        return []
    nats = torch.stack([token_nats(model, ids[: last + 1], last + 1)[:last] for ids in long])
    starts = [0, *edges[:-1]]
    means = [nats[:, a:b].mean().item() for a, b in zip(starts, edges, strict=True)]
    return [mean / math.log(2) for mean in means]


@torch.inference_mode()
def agreement(
    target: torch.nn.Module, draft: torch.nn.Module, documents: Sequence[Document]
) -> dict[str, float]:
    """How often a draft would be believed: speculative decoding's acceptance (arXiv 2211.17192).

    Returns:
        `greedy`: the share of positions where both have the same best token.
        `sampled`: the mean of sum(min(target, draft)), the chance that a draw at T = 1 is kept.
    """
    same, kept, count = 0.0, 0.0, 0
    for document in documents:
        ids = torch.from_numpy(document.ids[:2048].astype(np.int64))[None]
        of_target, of_draft = (model(input_ids=ids).logits[0] for model in (target, draft))
        same += (of_target.argmax(-1) == of_draft.argmax(-1)).sum().item()
        kept += torch.minimum(of_target.softmax(-1), of_draft.softmax(-1)).sum().item()
        count += ids.shape[1]
    return {"greedy": same / count, "sampled": kept / count}
