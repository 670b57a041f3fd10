"""Prompts of different lengths in one batch, rightly and wrongly.

A batch is a rectangle, so short prompts are filled up on the left and all end in the same column.
The model has to be told which columns are padding, and which position each token has; what comes
of it if it is not is measured here against each prompt alone.
"""

from collections.abc import Callable, Sequence
from itertools import count

import torch

from model.batch import Batch
from model.first_look import takes_padding
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.machine.device import lock_of
from model.passes import Logits, forward
from model.prefill_decode.records import PaddedWay, Padding
from model.tokenizing import labels_of_text

RIGHT = "mask and positions given"
COUNTED = "padding counted as positions"
NEITHER = "padding read as text"
OTHER_END = "padded at the end, last column read"


def compare_padding(lm: LanguageModel, prompts: Sequence[Sequence[int]]) -> Work[Padding]:
    """Runs prompts of different lengths together, rightly and wrongly, against each one alone.

    Raises:
        ValueError: for fewer than two prompts, or one without tokens.
    """
    if len(prompts) < 2 or not all(prompts):
        raise ValueError("Padding needs two prompts or more, none of them empty: type one a line.")
    n_columns = max(len(ids) for ids in prompts)
    pad_id = min(lm.end_ids, default=0)
    n_pads = [n_columns - len(ids) for ids in prompts]
    left = [[pad_id] * n + list(ids) for n, ids in zip(n_pads, prompts, strict=True)]
    with lock_of(lm.device):
        mask = torch.tensor([[0] * n + [1] * (n_columns - n) for n in n_pads], device=lm.device)
        # what a model does when it is not told: columns are positions, padding included
        first = lm.weights.first_position or 0
        counted = torch.arange(first, first + n_columns, device=lm.device).expand_as(mask)
    right = [list(ids) + [pad_id] * n for n, ids in zip(n_pads, prompts, strict=True)]
    # rightly, and in the ways in which it goes wrong
    given = {"attention_mask": mask, "position_ids": counted}
    together: dict[str, Callable[[], Logits]] = {
        RIGHT: lambda: Batch(lm, prompts).logits,
        COUNTED: lambda: forward(lm, left, extra=given)[0][:, 0],
        NEITHER: lambda: forward(lm, left)[0][:, 0],
        OTHER_END: lambda: forward(lm, right)[0][:, 0],
    }
    if not takes_padding(lm):
        del together[RIGHT], together[COUNTED]
    n_done, n_total = count(), len(prompts) + len(together)
    alone, ways = list[Logits](), list[PaddedWay]()
    for n, ids in enumerate(prompts, start=1):
        yield Progress(next(n_done), n_total, f"prompt {n} alone")
        alone.append(forward(lm, [ids])[0][0, 0])
    for name, run in together.items():
        yield Progress(next(n_done), n_total, f"together, {name}")
        ways.append(_against(name, run(), alone))
    labels = tuple(labels_of_text(lm, ids) for ids in prompts)
    scale = max(float(abs(row).max()) for row in alone)
    return Padding(labels, n_columns, scale, tuple(ways))


def _against(name: str, rows: Logits, alone: Sequence[Logits]) -> PaddedWay:
    pairs = list(zip(rows, alone, strict=True))
    return PaddedWay(
        name,
        tuple(float(abs(row - truth).max()) for row, truth in pairs),
        tuple(bool(row.argmax() == truth.argmax()) for row, truth in pairs),
    )
