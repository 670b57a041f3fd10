"""Why training needs the mask: two copies of a model go on training, one of them without it.

Each step is the usual one: a batch of texts, one pass, the loss of every position, its gradient.
The copies are thrown away; the model that everybody uses is never trained. This module knows no
page.
"""

from __future__ import annotations

import copy
import threading
import time
import weakref
from collections.abc import Sequence

import torch
from transformers import PreTrainedModel

from model.causal_mask.attention import no_mask, read_unmasked
from model.causal_mask.records import TrainingMoment
from model.held_out import held_out
from model.loading import LanguageModel
from model.passes import inputs_of
from model.tokenizing import encode

N_STEPS = 40
N_ROWS, ROW_TOKENS = 4, 48  # of a batch
LEARNING_RATE = 4e-4
N_WARM_UP = 5  # steps over which the rate rises, so that the first do not shake what was learnt
MOST_PARAMETERS = 40e6  # two copies with their optimisers take eight times the weights
PATIENCE = 20.0  # seconds without a step after which a training counts as left behind

_turn = threading.Lock()
_at_work: weakref.ref[MaskTraining] | None = None


class MaskTraining:
    """Two copies of a model, trained step by step on the same batches, mask on and mask off.

    Attributes:
        moments: what was measured on the reader's text, before the first step and after each.
    """

    def __init__(self, lm: LanguageModel, ids: Sequence[int], n_steps: int = N_STEPS) -> None:
        """Copies the model twice; the text is only ever measured, never trained on.

        Raises:
            ValueError: where the model is too large, its mask cannot be taken off, or another
                training runs; one sentence with the remedy.
        """
        if lm.n_parameters > MOST_PARAMETERS:
            raise ValueError(
                f"{lm.name} has {lm.n_parameters / 1e6:,.0f} million parameters, too many to train "
                f"here: choose a model with at most {MOST_PARAMETERS / 1e6:.0f} million."
            )
        read_unmasked(lm, ids)  # refuses a mask that cannot be taken off
        _take_turn(self)
        self.lm, self.ids, self.n_steps = lm, list(ids), n_steps
        self.moments: list[TrainingMoment] = []
        with lm.lock:
            self._copies = [_trainable(lm) for _ in range(2)]
        self._optimisers = [
            torch.optim.AdamW(one.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95))
            for one in self._copies
        ]
        self._rows = _training_rows(lm)
        self._order = torch.Generator().manual_seed(0)
        self._last = time.monotonic()
        self._measure()

    @property
    def is_done(self) -> bool:
        """Whether all steps were taken."""
        return len(self.moments) > self.n_steps

    @property
    def is_at_work(self) -> bool:
        """Whether it still holds its copies, and took a step lately."""
        return bool(self._copies) and time.monotonic() - self._last < PATIENCE

    def advance(self) -> TrainingMoment:
        """Takes one step with either copy, on the same batch, and measures both."""
        n_done = len(self.moments) - 1
        chosen = torch.randint(len(self._rows), (N_ROWS,), generator=self._order)
        batch = self._rows[chosen].to(self.lm.device)
        pairs = zip(self._copies, self._optimisers, (True, False), strict=True)
        for model, optimiser, is_masked in pairs:
            optimiser.param_groups[0]["lr"] = LEARNING_RATE * min(1.0, (n_done + 1) / N_WARM_UP)
            # pass: all positions of all rows at once
            loss = mean_loss(self.lm, model, batch, is_masked=is_masked)
            # gradient: which way each weight would lower it
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            # update: a small step that way
            optimiser.step()
        moment = self._measure()
        if self.is_done:
            self.end()
        return moment

    def end(self) -> None:
        """Throws the copies away; what was measured stays."""
        self._copies, self._optimisers = [], []

    def _measure(self) -> TrainingMoment:
        masked, unmasked = self._copies
        text = torch.tensor([self.ids], device=self.lm.device)
        with torch.no_grad():
            losses = [
                float(mean_loss(self.lm, model, text, is_masked=is_masked))
                for model, is_masked in ((masked, True), (unmasked, False), (unmasked, True))
            ]
        moment = TrainingMoment(len(self.moments), *losses)
        self.moments.append(moment)
        self._last = time.monotonic()
        return moment


def mean_loss(
    lm: LanguageModel, model: PreTrainedModel, rows: torch.Tensor, *, is_masked: bool
) -> torch.Tensor:
    """Returns the mean loss over every position of some texts that has a next token, in nats.

    Args:
        lm: whose arguments a pass takes.
        model: a copy of its model.
        rows: (texts, tokens) ids.
        is_masked: whether the causal mask is on.
    """
    inputs = inputs_of(lm, rows, n_logits=0)
    if not is_masked:
        inputs |= {
            name: mask.to(next(model.parameters()).dtype)
            for name, mask in no_mask(lm, rows.shape[1]).items()
        }
    logits = model(**inputs).logits[:, :-1]
    return torch.nn.functional.cross_entropy(
        logits.reshape(-1, logits.shape[-1]).float(), rows[:, 1:].reshape(-1)
    )


def _trainable(lm: LanguageModel) -> PreTrainedModel:
    """Copies a model, weights and all, in the numbers that training needs."""
    made: PreTrainedModel = copy.deepcopy(lm.model)
    torch.nn.Module.to(made, torch.float32)
    made.requires_grad_(True)
    return made


def _training_rows(lm: LanguageModel) -> torch.Tensor:
    """Cuts stories into rows of one length, (rows, ROW_TOKENS)."""
    n_tokens = min(ROW_TOKENS, lm.context_length or ROW_TOKENS)
    ids = [token_id for story in held_out("stories") for token_id in encode(lm, story)]
    n_rows = len(ids) // n_tokens
    return torch.tensor(ids[: n_rows * n_tokens]).reshape(n_rows, n_tokens)


def _take_turn(training: MaskTraining) -> None:
    """Sees to it that one training runs at a time: copies take memory, steps take all cores."""
    global _at_work
    with _turn:
        other = _at_work() if _at_work is not None else None
        if other is not None and other.is_at_work:
            raise ValueError("Another reader is training just now: try again in a minute.")
        if other is not None:
            other.end()
        _at_work = weakref.ref(training)
