"""Bars for what must be equal: rounding, measured on the machine at hand; and texts read in pieces.

The same sums taken in another order differ by rounding and by nothing else. A text is read twice
without a cache, once with fused attention and once with the plain one: what parts the two is what
may part a cached step from a fresh pass, or a text from an edited one. A fault in the cache or in
the mask is in both readings alike, so it does not raise the bar.
"""

from collections.abc import Iterator, Sequence

import numpy as np
import torch

from model.causal_mask.attention import read_text
from model.claims.context import ExperimentContext
from model.held_out import held_out
from model.language_model import LanguageModel
from model.passes import Logits, PassError, inputs_of, run_pass, twin_of
from model.tokenizing import encode

TIMES = 8  # what was measured: other orders of the sums round otherwise
MIN_STEPS, MAX_STEPS = 128, 1000  # of the number format: bounds of what is called rounding
MAX_SHARE = 0.02  # of the largest logit: a bound for coarse formats
N_BY_ONE, N_MORE = 96, 4  # tokens that are read one by one first, and then at each doubling
MAX_LENGTH, MAX_NUMBERS = 2048, 2**25  # tokens; logits that are held at once


def rounding(lm: LanguageModel, ids: Sequence[int], logits: Logits | None = None) -> float:
    """Returns what rounding may move a logit by, as a fraction of the largest logit.

    Args:
        lm: the model.
        ids: a text.
        logits: those of one pass over it, (tokens, vocab), if they are known.
    """
    rows = read_text(lm, ids)[0] if logits is None else logits
    step = torch.finfo(lm.dtype).eps
    try:
        twin = twin_of(lm, "eager")
        inputs = inputs_of(lm, [ids], n_logits=0)
        plain, _ = run_pass(lm, len(ids), lambda: twin(**inputs).logits[0])
        measured = float(np.abs(rows - plain).max() / (np.abs(rows).max() or 1.0))
    except (PassError, ValueError):  # it has no attention of another kind
        measured = 0.0
    return min(max(TIMES * measured, MIN_STEPS * step), MAX_STEPS * step, MAX_SHARE)


def long_text(context: ExperimentContext) -> list[int]:
    """Returns a text by people as long as the model reads and the run allows."""
    lm = context.lm
    n = min(context.n(MAX_LENGTH), lm.context_length or MAX_LENGTH, MAX_NUMBERS // lm.vocab_size)
    return encode(lm, "\n".join(held_out("stories")))[:n]


def parts_of(n: int) -> Iterator[tuple[int, int]]:
    """Yields where a part begins that is read at once, and where the tokens after it end.

    The first tokens are read one by one; then so are a few after each doubling of the length.
    """
    yield 1, min(n, N_BY_ONE)
    length = 2 * N_BY_ONE
    while length < n + N_BY_ONE:
        end = min(n, length)
        yield end - N_MORE, end
        length *= 2
