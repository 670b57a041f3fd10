"""The causal mask: what it hides, what an edit moves under it, what leaks where it is taken off.

A mask is added to the attention scores before their softmax, minus infinity where a position must
not look (Vaswani et al., 1706.03762, section 3.2.3). Handed a mask of four dimensions, transformers
puts it in the place of the model's own; all zeros is no mask. Attention weights come out of the
plain ("eager") attention alone, so they are read in a twin that shares the weights.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import torch

from model.causal_mask.records import AttentionMaps, Edit, Floats, Leak, Shift
from model.draw import best_except
from model.language_model import LanguageModel
from model.machine.device import lock_of
from model.masks import divergence, log_softmax
from model.passes import Logits, PassError, check_context, forward, inputs_of, run_pass, twin_of
from model.token_bytes import alphabet_of
from model.tokenizing import encode, encode_bare, label, labels_of, labels_of_text, pieces

N_SHIFTS = 4  # best tokens of either text that are shown
MIN_SHIFT = 1e-3  # probability below which a token is not, unless it is the best
MAX_NEW = 8  # tokens that may stand in the place of one
MIN_LOGPROB = -1e4  # of a token that a model rules out
STILL = 1e-6  # of the largest logit: a full mask that moves no more than this was not used


# Passes over a whole text


def read_text(lm: LanguageModel, ids: Sequence[int]) -> tuple[Logits, float]:
    """Reads a text in one pass, the causal mask on, and keeps the logits of every position.

    Returns:
        Logits of shape (tokens, vocab), and the seconds of the pass.
    """
    return forward(lm, [ids], n_logits=0, at=0)


def read_unmasked(lm: LanguageModel, ids: Sequence[int]) -> Logits:
    """Reads a text in one pass without the mask, so that every position sees every other.

    Returns:
        Logits of shape (tokens, vocab).

    Raises:
        ValueError: where the mask is no argument of the model; one sentence.
    """
    try:
        logits, _ = forward(lm, [ids], n_logits=0, at=0, extra=no_mask(lm, len(ids)))
    except PassError as error:
        raise _explain(error, _fixed_mask(lm)) from error
    return logits


def no_mask(lm: LanguageModel, n_tokens: int) -> dict[str, torch.Tensor]:
    """Returns a mask that hides nothing: zeros, added to the scores of every pair of positions."""
    shape = (1, 1, n_tokens, n_tokens)
    with lock_of(lm.device):
        return {"attention_mask": torch.zeros(shape, dtype=lm.dtype, device=lm.device)}


def _explain(error: PassError, why: ValueError) -> ValueError:
    """Says why a pass of an unusual kind failed, unless the memory ran out as in any other."""
    is_memory = isinstance(error.__cause__, torch.OutOfMemoryError | MemoryError)
    return error if is_memory else why


def _refuse_still(lm: LanguageModel, masked: Logits, unmasked: Logits) -> None:
    """Raises where taking the mask off moved no position but the last: it was not heeded."""
    moved = np.abs(masked[:-1] - unmasked[:-1]).max(initial=0.0)
    if moved <= STILL * np.abs(masked).max():
        raise _fixed_mask(lm)


def _fixed_mask(lm: LanguageModel) -> ValueError:
    return ValueError(
        f"The mask of {lm.shown} is built into its layers and cannot be taken off: choose a model "
        "such as GPT-2 or a Llama on the first page."
    )


# Attention weights


def read_attention(
    lm: LanguageModel, ids: Sequence[int], *, is_masked: bool = True
) -> AttentionMaps:
    """Reads a text in one pass and keeps the attention weights of every layer and head.

    Raises:
        ValueError: where the model has no attention of this kind, or a mask that cannot be taken
            off; one sentence.
    """
    # fused kernels never write the weights to memory
    twin = twin_of(lm, "eager")
    inputs = inputs_of(lm, [ids], n_logits=0) | {"output_attentions": True}
    if not is_masked:
        inputs |= no_mask(lm, len(ids))
    kept: list[Any] = []

    def model_pass() -> torch.Tensor:
        output = twin(**inputs)
        kept.extend(getattr(output, "attentions", None) or ())
        logits: torch.Tensor = output.logits[0]
        return logits

    try:
        run_pass(lm, len(ids), model_pass)
    except PassError as error:
        why = _no_attention(lm) if is_masked else _fixed_mask(lm)
        raise _explain(error, why) from error
    shape = (len(ids), len(ids))
    with lock_of(lm.device):
        layers = {
            number: weights[0].float().cpu().numpy()
            for number, weights in enumerate(kept, start=1)
            if isinstance(weights, torch.Tensor) and weights.shape[2:] == shape
        }
    if not layers:
        raise _no_attention(lm)
    maps = AttentionMaps(
        np.stack(list(layers.values())), tuple(layers), labels_of_text(lm, ids), is_masked=is_masked
    )
    if not is_masked and len(ids) > 1 and maps.largest_ahead == 0:
        raise _fixed_mask(lm)
    return maps


def _no_attention(lm: LanguageModel) -> ValueError:
    return ValueError(
        f"{lm.shown} gives no attention weights by position and head, so there is no map to draw: "
        "choose another model on the first page."
    )


# What an edit moves


def edit_token(
    lm: LanguageModel, ids: Sequence[int], position: int, new_ids: Sequence[int]
) -> Edit:
    """Replaces one token and measures what moved at every position, mask on and mask off.

    Args:
        lm: the model.
        ids: the text as it was.
        position: index of the token to replace.
        new_ids: what stands in its place; one token or a few.

    Raises:
        ValueError: where the edit changes nothing, or does not fit; one sentence with the remedy.
    """
    _refuse_edit(lm, ids, position, new_ids)
    edited = [*ids[:position], *new_ids, *ids[position + 1 :]]
    # pair: position i of the text as it was with the one that the same tokens follow
    shift = len(new_ids) - 1
    pairs = [(i, i if i < position else i + shift) for i in range(len(ids))]

    # mask on: whatever stands before the edit must say what it said
    before, after = read_text(lm, ids)[0], read_text(lm, edited)[0]
    changes = _largest_changes(before, after, pairs)
    rows = [(log_softmax(before[i]), log_softmax(after[j])) for i, j in pairs]
    kl = np.array([float(divergence(one, other)) for one, other in rows])

    # mask off: the same edit, and nothing is safe
    unmasked_changes: Floats | None
    try:
        old, new = read_unmasked(lm, ids), read_unmasked(lm, edited)
        _refuse_still(lm, before, old)
        unmasked_changes = _largest_changes(old, new, pairs)
    except ValueError:
        unmasked_changes = None
    labels = labels_of_text(lm, ids)
    return Edit(
        labels=labels,
        position=position,
        old=labels[position],
        new="".join(labels_of(lm, new_ids)),
        changes=changes,
        unmasked_changes=unmasked_changes,
        kl=kl,
        shifts=_shifts(lm, before[-1], after[-1]),
    )


def _largest_changes(first: Logits, second: Logits, pairs: Sequence[tuple[int, int]]) -> Floats:
    """Returns the largest change of any logit between each pair of positions."""
    return np.array([np.abs(first[i] - second[j]).max() for i, j in pairs], dtype=np.float64)


def _refuse_edit(
    lm: LanguageModel, ids: Sequence[int], position: int, new_ids: Sequence[int]
) -> None:
    if not 0 <= position < len(ids):
        raise ValueError(f"There is no token {position + 1}: choose one of {len(ids)}.")
    if list(new_ids) == [ids[position]]:
        raise ValueError("That is the token that is there: write another.")
    if not 1 <= len(new_ids) <= MAX_NEW:
        raise ValueError(
            f"What you wrote has {len(new_ids)} tokens: write between 1 and {MAX_NEW}."
        )
    check_context(lm, len(ids) + len(new_ids) - 1)


def replacement(lm: LanguageModel, old_id: int, typed: str) -> list[int]:
    """Returns the ids of what was typed, with the leading space of the token that it replaces.

    Raises:
        ValueError: where nothing was typed; one sentence.
    """
    if not typed.strip():
        raise ValueError("Write a word to put in its place.")
    (old,) = pieces(lm.tokenizer, [old_id])
    spaced = label(lm.tokenizer, old_id).startswith("␣")
    # some tokenizers put the space before a text themselves
    space = "" if alphabet_of(lm.tokenizer).drops_first_space else " "
    text = space + typed.lstrip() if spaced and not old.special else typed
    encode(lm, text)  # refuses what is no text
    return encode_bare(lm, text)


def next_best(lm: LanguageModel, ids: Sequence[int], position: int) -> int:
    """Returns the token that the model would rather have had at a position than the one there.

    Args:
        lm: the model.
        ids: the text.
        position: index of a token that others stand before; ends of a text are left out.
    """
    row = read_text(lm, ids[:position])[0][-1]
    return best_except(row, {ids[position], *lm.end_ids})


def _shifts(lm: LanguageModel, before: Logits, after: Logits) -> tuple[Shift, ...]:
    """Lists the best tokens of either distribution with both of their probabilities."""
    one, other = np.exp(log_softmax(before)), np.exp(log_softmax(after))
    best = {
        int(i)
        for probs in (one, other)
        for rank, i in enumerate(np.argsort(-probs, kind="stable")[:N_SHIFTS])
        if rank == 0 or max(one[i], other[i]) >= MIN_SHIFT
    }
    ordered = sorted(best, key=lambda i: (-one[i], i))
    return tuple(Shift(label(lm.tokenizer, i), float(one[i]), float(other[i])) for i in ordered)


# What leaks


def read_leak(lm: LanguageModel, ids: Sequence[int]) -> Leak:
    """Asks for the probability of the true next token at every position, mask on and mask off.

    Without the mask the true next token is in sight of the position that should predict it.

    Raises:
        ValueError: where the mask cannot be taken off, or there is no next token; one sentence.
    """
    if len(ids) < 2:
        raise ValueError("A text of one token has no next token: write a few words.")
    masked, unmasked = read_text(lm, ids)[0], read_unmasked(lm, ids)
    _refuse_still(lm, masked, unmasked)
    score = partial(true_logprobs, ids=ids)
    return Leak(labels_of(lm, ids[1:]), score(masked), score(unmasked))


def true_logprobs(logits: Logits, ids: Sequence[int]) -> Floats:
    """Returns the log-probability of each token of a text but the first, in nats.

    Args:
        logits: (tokens, vocab) or one row fewer; row i is what follows token i.
        ids: the text.
    """
    truths = zip(logits, ids[1:], strict=False)  # the last row predicts what is not there yet
    return np.array([max(MIN_LOGPROB, log_softmax(row)[token_id]) for row, token_id in truths])
