"""Why training needs the mask: two copies of a model go on training, one of them without it.

Each step is the usual one: a batch of texts, one pass, the loss of every position, its gradient.
The copies are thrown away; the model that everybody uses is never trained.
"""

import copy
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import torch

from model.causal_mask.attention import no_mask, read_unmasked
from model.causal_mask.records import TrainingMoment
from model.held_out import held_out
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.machine.device import lock_of
from model.machine.threads import leave_a_core
from model.passes import inputs_of
from model.sentences import apart
from model.tokenizing import encode

if TYPE_CHECKING:
    from transformers import PreTrainedModel

N_STEPS = 40
N_ROWS, ROW_TOKENS = 4, 48  # of a batch
LEARNING_RATE = 1e-4  # so low that few stories do not unlearn what many have taught
N_WARM_UP = 5  # steps over which the rate rises, so that the first do not shake what was learnt
MAX_PARAMETERS = 40e6  # two copies with their optimisers take eight times the weights
PATIENCE_SECONDS = 20.0  # seconds without a step after which a training counts as abandoned

Trainee: TypeAlias = "tuple[PreTrainedModel, torch.optim.AdamW]"


@dataclass(eq=False)
class _Turn:
    """The right to train: copies take memory and steps take cores, so one holds it."""

    last_step: float = field(default_factory=time.monotonic)
    trainees: list[Trainee] = field(default_factory=list)  # with the mask, and without


_holder: _Turn | None = None
_taking = threading.Lock()


def train_both_ways(
    lm: LanguageModel, ids: Sequence[int], n_steps: int = N_STEPS
) -> Work[tuple[TrainingMoment, ...]]:
    """Trains two copies of a model on the same batches, one with the mask and one without.

    Args:
        lm: the model; it stays as it is.
        ids: the text on which both are measured, and never trained.
        n_steps: of training.

    Returns:
        What was measured before the first step and after each.

    Raises:
        ValueError: where the model is too large, its mask cannot be taken off, or another training
            runs; one sentence with the remedy.
    """
    if lm.n_parameters > MAX_PARAMETERS:
        has, most = apart(lm.n_parameters / 1e6, MAX_PARAMETERS / 1e6, 0)
        raise ValueError(
            f"{lm.shown} has {has} million parameters, too many to train here: choose a model with "
            f"at most {most} million."
        )
    read_unmasked(lm, ids)  # refuses a mask that cannot be taken off
    with _turn() as turn:
        with lm.weights.lock:
            turn.trainees += [_trainee(lm) for _ in range(2)]
        rows, order = _training_rows(lm), torch.Generator().manual_seed(0)
        moments = [_measure(lm, turn.trainees, ids, 0)]
        while len(moments) <= n_steps:
            yield Progress(len(moments) - 1, n_steps, "steps of training", lambda: tuple(moments))
            if turn is not _holder:
                raise ValueError(
                    "Another reader’s training took its place: press the button again."
                )
            chosen = torch.randint(len(rows), (N_ROWS,), generator=order)
            rate = LEARNING_RATE * min(1.0, len(moments) / N_WARM_UP)
            _train_step(lm, turn.trainees, rows[chosen], rate)
            moments.append(_measure(lm, turn.trainees, ids, len(moments)))
            turn.last_step = time.monotonic()
    return tuple(moments)


def _train_step(
    lm: LanguageModel, trainees: Sequence[Trainee], batch: torch.Tensor, rate: float
) -> None:
    """Takes one step with either copy, on the same batch."""
    for (model, optimiser), is_masked in zip(trainees, (True, False), strict=True):
        optimiser.param_groups[0]["lr"] = rate
        # half of the cores: a reader's press meets many a step, and all threads wait for the last
        with lock_of(lm.device), leave_a_core():
            # pass: all positions of all rows at once
            loss = mean_loss(lm, model, batch.to(lm.device), is_masked=is_masked)
            # gradient: which way each weight would lower it
            optimiser.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]  # torch leaves it untyped
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            # update: a small step that way
            optimiser.step()


def _measure(
    lm: LanguageModel, trainees: Sequence[Trainee], ids: Sequence[int], n_steps: int
) -> TrainingMoment:
    (masked, _), (unmasked, _) = trainees
    with lock_of(lm.device), torch.no_grad():
        text = torch.tensor([list(ids)], device=lm.device)
        losses = [
            float(mean_loss(lm, model, text, is_masked=is_masked))
            for model, is_masked in ((masked, True), (unmasked, False), (unmasked, True))
        ]
    return TrainingMoment(n_steps, *losses)


def mean_loss(
    lm: LanguageModel, model: "PreTrainedModel", rows: torch.Tensor, *, is_masked: bool
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


def _trainee(lm: LanguageModel) -> Trainee:
    """Copies a model, weights and all, in the numbers that training needs."""
    model: PreTrainedModel = copy.deepcopy(lm.model)
    torch.nn.Module.to(model, torch.float32)
    model.requires_grad_(True)
    return model, torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=(0.9, 0.95))


def _training_rows(lm: LanguageModel) -> torch.Tensor:
    """Cuts stories into rows of one length, (rows, ROW_TOKENS)."""
    n_tokens = min(ROW_TOKENS, lm.context_length or ROW_TOKENS)
    ids = [token_id for story in held_out("stories") for token_id in encode(lm, story)]
    n_rows = len(ids) // n_tokens
    return torch.tensor(ids[: n_rows * n_tokens]).reshape(n_rows, n_tokens)


@contextmanager
def _turn() -> Iterator[_Turn]:
    """Takes the turn where nobody has it, or from a training that was abandoned."""
    global _holder
    with _taking:
        if _holder is not None:
            if time.monotonic() - _holder.last_step < PATIENCE_SECONDS:
                raise ValueError("Another reader is training just now: try again in a minute.")
            _holder.trainees.clear()
        turn = _holder = _Turn()
    try:
        yield turn
    finally:
        with _taking:
            turn.trainees.clear()
            if _holder is turn:
                _holder = None
