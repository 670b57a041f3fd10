"""The training loop, and what it stands on: the plan, the rate, the two optimisers.

The loop does not know which model it trains, nor on what: a `Training` brings the model, the loss,
the rows and the judge. Matrices inside the blocks are trained by Muon
(https://kellerjordan.github.io/posts/muon), the rest by AdamW (arXiv 1711.05101). The learning rate
rises, stays, and falls straight to zero (arXiv 2405.18392).
"""

import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import torch
from torch import nn
from tqdm import tqdm  # type: ignore[import-untyped]  # tqdm ships no types

from training.checkpoint import read_checkpoint, write_checkpoint, writing

Judge = Callable[[nn.Module], dict[str, float]]


class RowSource(Protocol):
    """Where the rows come from."""

    def rows(self, n_rows: int, n_tokens: int, weights: dict[str, float]) -> npt.NDArray[np.int64]:
        """Draws rows of ids."""
        ...

    def state(self) -> dict[str, Any]:
        """Tells where it stands, for a checkpoint."""
        ...

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from there."""
        ...


@dataclass(frozen=True)
class Training:
    """What one run trains, on what, and by whose judgement."""

    model: nn.Module
    loss_of: Callable[
        [torch.Tensor], torch.Tensor
    ]  # rows of ids (n_rows, n_tokens + 1) to one number
    batches: RowSource
    judge: Callable[[nn.Module], dict[str, float]]  # its first value decides which weights are best


@dataclass(frozen=True)
class TrainingPhase:
    """One stretch of a run."""

    start: float  # fraction of the budget
    weights: dict[str, float]  # share of the rows by source
    n_rows: int
    n_tokens: int  # predictions in a row


@dataclass(frozen=True)
class Plan:
    """The numbers of one run."""

    phases: tuple[TrainingPhase, ...]
    minutes: float = 0.0  # budget of time; 0 is none
    tokens: int = 0  # budget of tokens; 0 is none
    muon_rate: float = 0.02
    adam_rate: float = 4e-3
    weight_decay: float = 0.1
    warmup: float = 0.01  # fraction of the budget until which the rate rises
    decay_from: float = 0.45  # fraction of the budget from which it falls, to zero at the end
    note_every: int = 10  # steps
    judge_every: int = 150  # steps
    save_every: float = 180.0  # seconds
    early_at: int = 0  # tokens after which the weights are kept as early.pt; 0 is never
    keeps_last: bool = False  # the last weights count, not those that the judge likes best
    patience: int = 20  # judgements without a better one before the run stops early


@dataclass
class TrainingProgress:
    """How far a run is; a checkpoint carries it."""

    step: int = 0
    tokens: int = 0
    seconds: float = 0.0  # spent training, restarts left out
    saved_at: float = 0.0  # seconds
    best: float = float("inf")  # lowest value of the judge
    since_best: int = 0  # judgements since

    def fraction(self, plan: Plan) -> float:
        """The share of the budget that is spent, by the clock or by the tokens: the larger."""
        by_clock = self.seconds / (60 * plan.minutes) if plan.minutes else 0.0
        by_tokens = self.tokens / plan.tokens if plan.tokens else 0.0
        return max(by_clock, by_tokens)


def train(job: Training, plan: Plan, folder: Path) -> TrainingProgress:
    """Trains until the budget is spent or nothing improves; goes on from a checkpoint."""
    device = next(job.model.parameters()).device
    optimizers = make_optimizers(job.model, plan)
    progress = resume(job, optimizers, folder)
    started = time.monotonic() - progress.seconds
    bar = tqdm(total=100.0, bar_format="{l_bar}{bar}| {elapsed}<{remaining}{postfix}")
    while (fraction := progress.fraction(plan)) < 1 and progress.since_best < plan.patience:
        # draw rows of ids from the mixture of this phase
        phase = [phase for phase in plan.phases if phase.start <= fraction][-1]
        rows = torch.from_numpy(job.batches.rows(phase.n_rows, phase.n_tokens + 1, phase.weights))
        # let the model guess every token, and measure its surprise
        with torch.autocast(device.type, dtype=torch.bfloat16):
            loss = job.loss_of(rows.to(device))
        # ask every weight which way the surprise falls
        loss.backward()  # type: ignore[no-untyped-call]  # torch has none here
        nn.utils.clip_grad_norm_(job.model.parameters(), max_norm=1.0)
        # move the weights that way, as far as the rate allows
        for optimizer in optimizers:
            for group in optimizer.param_groups:
                group["lr"] = group["full_rate"] * rate_factor(fraction, plan)
            optimizer.step()
            optimizer.zero_grad()
        # count, note, judge, save
        progress.step += 1
        progress.tokens += phase.n_rows * phase.n_tokens
        progress.seconds = time.monotonic() - started
        bar.update(100 * min(1.0, progress.fraction(plan)) - bar.n)
        keep_record(job, plan, progress, optimizers, folder, loss)
    save(job, progress, optimizers, folder)
    bar.close()
    return progress


def rate_factor(fraction: float, plan: Plan) -> float:
    """The share of the full learning rate at a fraction of the budget: up, level, down to zero."""
    rise = (fraction + 1e-3) / max(plan.warmup, 1e-3)
    fall = (1 - fraction) / (1 - plan.decay_from)
    return max(0.0, min(rise, 1.0, fall))


def make_optimizers(model: nn.Module, plan: Plan) -> list[torch.optim.Optimizer]:
    """Gives the matrices of the blocks to Muon; embeddings, heads and gains to AdamW."""
    looked_up = {id(part.weight) for part in model.modules() if isinstance(part, nn.Embedding)}
    matrices: list[nn.Parameter] = []
    others: list[nn.Parameter] = []
    for name, weight in model.named_parameters():
        is_block_matrix = weight.ndim == 2 and id(weight) not in looked_up and "head" not in name
        (matrices if is_block_matrix else others).append(weight)
    optimizers = [
        torch.optim.Muon(matrices, lr=plan.muon_rate, weight_decay=plan.weight_decay),
        torch.optim.AdamW(others, lr=plan.adam_rate, betas=(0.9, 0.95), weight_decay=0.0),
    ]
    for optimizer in optimizers:
        for group in optimizer.param_groups:
            group["full_rate"] = group["lr"]
    return optimizers


def keep_record(
    job: Training,
    plan: Plan,
    progress: TrainingProgress,
    optimizers: list[torch.optim.Optimizer],
    folder: Path,
    loss: torch.Tensor,
) -> None:
    """Notes the loss, asks the judge, writes early.pt, best.pt and the checkpoint when due."""
    judged: dict[str, float] = {}
    if progress.step % plan.judge_every == 0 or progress.fraction(plan) >= 1:
        judged = job.judge(job.model)
        value = next(iter(judged.values()))
        progress.since_best = 0 if value < progress.best else progress.since_best + 1
        progress.best = min(value, progress.best)
        if plan.keeps_last or value == progress.best:
            write_checkpoint(job.model.state_dict(), folder / "best.pt")
    if judged or progress.step % plan.note_every == 0:
        note = asdict(progress) | {"loss": loss.item(), "held_out": judged}
        with writing(folder / "log.jsonl"), (folder / "log.jsonl").open("a") as log:
            log.write(json.dumps(note) + "\n")
    if plan.early_at and progress.tokens >= plan.early_at and not (folder / "early.pt").exists():
        write_checkpoint(job.model.state_dict(), folder / "early.pt")
    if progress.seconds - progress.saved_at > plan.save_every:
        save(job, progress, optimizers, folder)


def save(
    job: Training, progress: TrainingProgress, optimizers: list[torch.optim.Optimizer], folder: Path
) -> None:
    """Writes all that a run needs to go on as if it had never stopped."""
    progress.saved_at = progress.seconds
    state = {
        "model": job.model.state_dict(),
        "optimizers": [optimizer.state_dict() for optimizer in optimizers],
        "batches": job.batches.state(),
        "progress": asdict(progress),
        "rng_state": torch.get_rng_state(),
    }
    write_checkpoint(state, folder / "checkpoint.pt")


def resume(
    job: Training, optimizers: list[torch.optim.Optimizer], folder: Path
) -> TrainingProgress:
    """Puts everything back as the folder's checkpoint has it; without one, a fresh start."""
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    state = read_checkpoint(folder / "checkpoint.pt")
    if state is None:
        return TrainingProgress()
    job.model.load_state_dict(state["model"])
    for optimizer, saved in zip(optimizers, state["optimizers"], strict=True):
        optimizer.load_state_dict(saved)
    job.batches.restore(state["batches"])
    torch.set_rng_state(state["rng_state"])
    return TrainingProgress(**state["progress"])
