"""How well a model predicts text that it has not seen, each document by itself.

The measure is bits per byte: it does not depend on the tokenizer, so any two language models can be
compared by it. What a masked-diffusion model has is an upper bound of it, and an encoder-decoder is
asked for the missing pieces alone.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
import torch
from torch.nn import functional

from training.corpus import END_ID, Document, Ids
from training.objectives import FIRST_GAP_ID, MASK_ID, PAD_ID, cut_gaps, hide, spread_shares
from training.tokenizer import SENTINELS

LOOP_TOKENS = 8  # a text that says as many again, word for word, loops


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


@torch.inference_mode()
def opening_bits_per_byte(model: torch.nn.Module, openings: Sequence[Document]) -> float:
    """All bits that a causal model needs for the tokens of openings, which have no closing end."""
    nats = sum(token_nats(model, opening.ids)[:-1].sum().item() for opening in openings)
    return nats / math.log(2) / sum(opening.n_bytes for opening in openings)


@torch.inference_mode()
def masked_bits_per_byte(
    model: torch.nn.Module, openings: Sequence[Document], n_draws: int = 8
) -> float:
    """An upper bound of the bits that a masked-diffusion model needs (arXiv 2502.09992, eq. 4).

    Args:
        model: a masked model.
        openings: read whole, the bos given.
        n_draws: hidden shares for each, evenly spread from 0 to 1; the same at every call.
    """
    was_training = model.training
    model.eval()
    device = next(model.parameters()).device
    nats = 0.0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for opening in openings:
            rows = torch.from_numpy(opening.ids.astype(np.int64)).repeat(n_draws, 1)
            shares = spread_shares(n_draws)
            hidden = hide(rows, shares)
            logits = model(input_ids=rows.masked_fill(hidden, MASK_ID).to(device)).logits
            losses = functional.cross_entropy(
                logits.float().flatten(0, 1).cpu(), rows.flatten(), reduction="none"
            )
            nats += (losses.view_as(rows) * hidden / shares[:, None]).sum().item() / n_draws
    model.train(was_training)
    return nats / math.log(2) / sum(opening.n_bytes for opening in openings)


@dataclass(frozen=True)
class GapScore:
    """What the missing pieces cost."""

    bits: float  # of their tokens, without sentinels and the end
    n_tokens: int
    n_best: int  # tokens that were the model's best, given the true ones before them


@torch.inference_mode()
def score_gaps(model: torch.nn.Module, openings: Sequence[Document]) -> GapScore:
    """Asks an encoder-decoder for pieces cut out of openings; the same ones at every call."""
    was_training = model.training
    model.eval()
    device = next(model.parameters()).device
    bits, n_tokens, n_best = 0.0, 0, 0
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        for opening in openings:
            text, pieces = cut_gaps(torch.from_numpy(opening.ids.astype(np.int64))[None])
            begun = functional.pad(pieces[:, :-1], (1, 0), value=PAD_ID)
            logits = model(input_ids=text.to(device), decoder_input_ids=begun.to(device)).logits
            is_text = pieces[0] >= FIRST_GAP_ID + len(SENTINELS)
            wanted, scores = pieces[0, is_text], logits[0, is_text.to(device)].float().cpu()
            bits += functional.cross_entropy(scores, wanted, reduction="sum").item() / math.log(2)
            n_tokens += len(wanted)
            n_best += int((scores.argmax(dim=-1) == wanted).sum())
    model.train(was_training)
    return GapScore(bits, n_tokens, n_best)


def bits_per_missing_token(model: torch.nn.Module, openings: Sequence[Document]) -> float:
    """The mean cost of a token of the missing pieces."""
    score = score_gaps(model, openings)
    return score.bits / score.n_tokens


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

    Places where the text loops are left out: there any model guesses right.

    Returns:
        `greedy`: the share of positions where both have the same best token.
        `sampled`: the mean of sum(min(target, draft)), the chance that a draw at T = 1 is kept.
        `looping`: the share of positions that were left out.
    """
    same, kept, count, total = 0.0, 0.0, 0, 0
    for document in documents:
        ids = torch.from_numpy(document.ids[:2048].astype(np.int64))[None]
        fresh = torch.from_numpy(~looping(document.ids[:2048]))
        of_target, of_draft = (model(input_ids=ids).logits[0, fresh] for model in (target, draft))
        same += (of_target.argmax(-1) == of_draft.argmax(-1)).sum().item()
        kept += torch.minimum(of_target.softmax(-1), of_draft.softmax(-1)).sum().item()
        count += int(fresh.sum())
        total += len(fresh)
    return {"greedy": same / count, "sampled": kept / count, "looping": 1 - count / total}


def looping(ids: Ids, n: int = LOOP_TOKENS) -> npt.NDArray[np.bool_]:
    """Tells behind which positions a text repeats itself: its last n ids stood there before."""
    seen: set[bytes] = set()
    found = np.zeros(len(ids), dtype=bool)
    for end in range(n, len(ids) + 1):
        gram = ids[end - n : end].tobytes()
        found[end - 1] = gram in seen
        seen.add(gram)
    return found
