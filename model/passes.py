"""One pass of the model: ids go in, logits for the next position come out, the clock runs.

Prefill and decode are the same pass: the first reads a whole text into an empty cache, the second
one more token. One press's pass runs at a time on one copy of the weights. This module knows a
model and its cache; it chooses no token.
"""

from __future__ import annotations

import copy
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import TYPE_CHECKING, Any
from weakref import WeakKeyDictionary

import numpy as np
import torch
from transformers import DynamicCache

from model.kv_cache import argument_names
from model.language_model import LanguageModel
from model.language_model import Logits as Logits
from model.machine.device import lock_of, synchronise
from model.machine.turns import TURNS
from model.sentences import Sentence, reason

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_twins: WeakKeyDictionary[LanguageModel, dict[str, PreTrainedModel]] = WeakKeyDictionary()
_making = threading.Lock()

# on Hopper cuDNN's attention plans anew for every length of the keys, tens of milliseconds a token
torch.backends.cuda.enable_cudnn_sdp(False)


class PassError(ValueError):
    """A pass failed; the message is one sentence with the remedy."""


def prefill(
    lm: LanguageModel, ids: Sequence[int], cache: DynamicCache | None
) -> tuple[Logits, float]:
    """Reads a whole text in one pass, all positions at once, and fills the empty cache.

    Returns:
        The logits for the position after it, (vocab,), and the seconds that the pass took.
    """
    logits, seconds = forward(lm, [ids], cache)
    return logits[0, 0], seconds


def read_prompt(
    lm: LanguageModel, ids: Sequence[int], cache: DynamicCache | None
) -> tuple[Logits, float]:
    """Does what `prefill` does, by the pass written by hand where that is as quick."""
    quick = lm.weights.quick
    if quick is None or cache is None or len(ids) > quick.max_prompt:
        return prefill(lm, ids, cache)
    return run_pass(lm, len(ids), lambda: quick.read(ids, cache, only_last=True)[0])


def decode_one_token(
    lm: LanguageModel, token_id: int, cache: DynamicCache | None
) -> tuple[Logits, float]:
    """Reads one more token; keys and values of all before it come from the cache.

    Returns:
        The logits for the position after it, (vocab,), and the seconds that the pass took.
    """
    quick = lm.weights.quick
    if quick is None or cache is None:
        return prefill(lm, [token_id], cache)
    return run_pass(lm, 1, lambda: quick.read([token_id], cache)[0])


@torch.inference_mode()
def run_pass(
    lm: LanguageModel, n_input: int, model_pass: Callable[[], torch.Tensor]
) -> tuple[Logits, float]:
    """Runs one pass, alone on these weights, and reads the clock before and after it."""
    try:
        with TURNS.step(), _alone_on(lm, n_input), _threads_for(lm, n_input):
            synchronise(lm.device)
            started = time.perf_counter()
            row = model_pass()
            synchronise(lm.device)
            seconds = time.perf_counter() - started
            # a copy, so that what is kept is one row and not the whole pass
            logits: Logits = row.float().cpu().numpy().copy()
    except Exception as error:  # of the model's many kinds; the text stays as it was
        raise explain(lm, n_input, error) from error
    # the largest of numbers with a NaN among them is NaN, and no comparison with it holds
    if not -np.inf < logits.max() < np.inf:
        raise PassError(_overflow(lm))
    return logits, seconds


def inputs_of(
    lm: LanguageModel,
    rows: Sequence[Sequence[int]] | torch.Tensor,
    cache: DynamicCache | None = None,
    n_logits: int = 1,
    part: PreTrainedModel | None = None,
    n_before: int | None = None,
) -> dict[str, Any]:
    """Names what goes into a pass, as far as this model takes it.

    Args:
        lm: the model.
        rows: (rows, tokens) ids, all rows of one length.
        cache: filled by the pass; None keeps nothing.
        n_logits: last positions of which logits are computed; 0 for all positions.
        part: the part of the model that reads them; the whole model by default.
        n_before: positions of the text before these; by default those that the cache holds.
    """
    known = argument_names(part or lm.model)
    with lock_of(lm.device):
        ids = torch.as_tensor(rows, device=lm.device)
        inputs: dict[str, Any] = {"input_ids": ids}
        # some models count a token that is read alone as the first of its text
        if "position_ids" in known and lm.weights.first_position is not None:
            if n_before is None:
                n_before = 0 if cache is None else cache.get_seq_length()
            first = lm.weights.first_position + n_before
            places = torch.arange(first, first + ids.shape[1], device=lm.device)
            inputs["position_ids"] = places.expand(ids.shape)
    if "use_cache" in known:
        inputs["use_cache"] = cache is not None
    if "logits_to_keep" in known:
        inputs["logits_to_keep"] = n_logits
    if cache is not None and lm.weights.cache_argument is not None:
        inputs[lm.weights.cache_argument] = cache
    return inputs


def padding_inputs(
    lm: LanguageModel, n_pads: Sequence[int], n_before: int, n_new: int
) -> dict[str, torch.Tensor]:
    """Names what tells a model which columns are padding, and which position each token has.

    Args:
        lm: the model.
        n_pads: columns of padding on the left of each row.
        n_before: columns that the cache holds.
        n_new: columns that the pass reads.
    """
    with lock_of(lm.device):
        columns = torch.arange(n_before + n_new, device=lm.device)
        places = columns - torch.tensor(n_pads, device=lm.device)[:, None]
        first = lm.weights.first_position or 0
        return {
            "attention_mask": (places >= 0).long(),
            "position_ids": places[:, n_before:].clamp(min=0) + first,
        }


def forward(
    lm: LanguageModel,
    rows: Sequence[Sequence[int]],
    cache: DynamicCache | None = None,
    n_logits: int = 1,
    at: Any = ...,
    extra: Mapping[str, torch.Tensor] | None = None,
    n_before: int | None = None,
) -> tuple[Logits, float]:
    """Runs one pass over rows of one length.

    Args:
        lm: the model.
        rows: (rows, tokens) ids.
        cache: that of the rows, filled by the pass; None keeps nothing.
        n_logits: last positions of which logits are returned; 0 for all positions.
        at: which of the (rows, positions) are wanted, as an index; all of them by default.
        extra: further inputs of the model, such as its attention mask.
        n_before: positions of the text before these; by default those that the cache holds.

    Returns:
        The logits, (rows, positions, vocab) or what `at` takes of them, and the seconds.
    """
    inputs = inputs_of(lm, rows, cache, n_logits, n_before=n_before) | dict(extra or {})
    n_input = sum(map(len, rows))
    return run_pass(lm, n_input, lambda: lm.model(**inputs).logits[:, -n_logits:][at])


def twin_of(lm: LanguageModel, attention: str) -> PreTrainedModel:
    """Returns a model that shares every weight with this one but computes attention otherwise.

    The model that everybody uses stays as it is.

    Args:
        lm: the model.
        attention: name of the attention function, as transformers has it.
    """
    with _making, lm.weights.lock:
        twins = _twins.setdefault(lm, {})
        if attention not in twins:
            tensors = [*lm.model.parameters(), *lm.model.buffers()]
            # a copy of the layers alone: each tensor stands for itself
            twin = copy.deepcopy(lm.model, {id(tensor): tensor for tensor in tensors})
            twin.set_attn_implementation(attention)
            twins[attention] = twin
    return twins[attention]


TOO_LONG = Sentence(
    "{n_tokens} tokens are {number} more than the {limit} that {model} reads: shorten the text."
)
TOO_LONG_A_PROMPT = Sentence(
    "{n_tokens} tokens are {number} more than the {limit} that {model} reads: shorten the prompt."
)


def check_context(lm: LanguageModel, n_tokens: int, says: Sentence = TOO_LONG) -> None:
    """Refuses a text that is longer than what a model reads.

    Args:
        lm: The model.
        n_tokens: The text's.
        says: What is said, with the places that `TOO_LONG` has and a remedy of its own.

    Raises:
        ValueError: one sentence that ends in the remedy.
    """
    limit = lm.context_length
    if limit is not None and n_tokens > limit:
        raise ValueError(
            says.filled(
                n_tokens=format(n_tokens, ","),
                number=format(n_tokens - limit, ","),
                limit=format(limit, ","),
                model=lm.shown,
            )
        )


def max_length(lm: LanguageModel, n_prompt: int, max_new_tokens: int | None) -> int | None:
    """Returns the number of tokens at which a text is full; None where it never is.

    Raises:
        ValueError: where the prompt is empty or too long, or the wish makes no sense.
    """
    if not n_prompt:
        raise ValueError(Sentence("The prompt has no tokens: write a word."))
    check_context(lm, n_prompt, TOO_LONG_A_PROMPT)
    limit = lm.context_length
    if max_new_tokens is None:
        return limit
    if max_new_tokens < 0:
        raise ValueError(
            Sentence(
                "max_new_tokens is {max_new_tokens}: choose 0 or more, or None.",
                max_new_tokens=max_new_tokens,
            )
        )
    return n_prompt + max_new_tokens if limit is None else min(n_prompt + max_new_tokens, limit)


def _alone_on(lm: LanguageModel, n_input: int) -> AbstractContextManager[object]:
    """Returns the lock of a model's weights.

    Over a shipped model on the CPU a job's pass goes without, and so does that of a long text: it
    may take a second, and a press that waited for it would, too. None of them changes anything that
    another reads.
    """
    quick = lm.weights.quick if lm.device.type == "cpu" else None
    is_long = quick is not None and (TURNS.is_slice or n_input > quick.max_prompt)
    return nullcontext() if is_long else lm.weights.lock


def _threads_for(lm: LanguageModel, n_input: int) -> AbstractContextManager[object]:
    """Chooses how many threads of the CPU a pass takes; elsewhere nothing waits for them."""
    if lm.device.type != "cpu":
        return nullcontext()
    return lm.weights.threads.of_pass(n_input, in_company=TURNS.has_company)


def _overflow(lm: LanguageModel) -> Sentence:
    """Says that logits are no numbers; only a format with a smaller range can be the reason."""
    name = lm.shown
    if lm.dtype.itemsize < torch.float32.itemsize:
        return Sentence(
            "The logits of {name} are no numbers: load it with dtype float32.", name=name
        )
    return Sentence(
        "The logits of {name} are no numbers, as its weights are too large or too small to "
        "compute with: choose another model.",
        name=name,
    )


def explain(lm: LanguageModel, n_input: int, error: Exception) -> PassError:
    """Turns what went wrong in a pass into one sentence with the remedy."""
    name = lm.shown
    if isinstance(error, torch.OutOfMemoryError | MemoryError):
        return PassError(
            Sentence(
                "The memory of {device} ran out while {name} read {n_input} tokens: use a "
                "shorter text or a smaller model.",
                device=lm.device,
                name=name,
                n_input=n_input,
            )
        )
    why = reason(error)
    return PassError(
        Sentence(
            "{name} failed on this text ({why}): go back, or load it again.", name=name, why=why
        )
    )
