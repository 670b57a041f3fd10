"""One token of ours against one token of transformers' `generate`, same model, same run.

    python -m benchmarks.bench_decode [--rounds 5] [--steps 40]

Both do the same work for a token: run the model on the one before, process the logits, choose.
Ours also records the step: every stage of the masks for the top rows, the distribution, the cache.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import GenerationConfig, StoppingCriteria, StoppingCriteriaList

from benchmarks.figures import Timing, describe_machine
from benchmarks.models import gpt2_sized
from model.generation import Generation
from model.loading import LanguageModel, load_model
from model.sampling import Settings

N_CONTEXT = (64, 300)  # tokens in the text


@dataclass(frozen=True)
class Strategy:
    """One way of choosing, in our words and in transformers'."""

    name: str
    ours: Settings
    theirs: dict[str, Any]


STRATEGIES = (
    Strategy("greedy", Settings(temperature=0), {"do_sample": False}),
    Strategy(
        "T 0.8, top-p 0.9",
        Settings(temperature=0.8, top_p=0.9),
        {"do_sample": True, "temperature": 0.8, "top_p": 0.9, "top_k": 0},
    ),
)


class Stopwatch(StoppingCriteria):
    """Notes down when `generate` has appended a token, and never stops it."""

    def __init__(self) -> None:
        """Starts with no token seen."""
        self.times: list[float] = []

    def __call__(self, ids: Any, *_: Any, **__: Any) -> Any:
        """Notes the time; no text is done yet."""
        self.times.append(time.perf_counter())
        return torch.zeros(len(ids), dtype=torch.bool, device=ids.device)


def time_ours(lm: LanguageModel, prompt: list[int], how: Strategy, n_steps: int) -> list[float]:
    """Returns the seconds of each step of a Generation, the prefill apart."""
    generation = Generation(lm, prompt)
    seconds = []
    for _ in range(n_steps):
        started = time.perf_counter()
        generation.step(how.ours)
        seconds.append(time.perf_counter() - started)
    return seconds


def time_theirs(lm: LanguageModel, prompt: list[int], how: Strategy, n_steps: int) -> list[float]:
    """Returns the seconds between one token of `generate` and the next, the prefill apart."""
    watch = Stopwatch()
    config = GenerationConfig(  # type: ignore[no-untyped-call]  # half typed by transformers
        max_new_tokens=n_steps + 1, eos_token_id=[], pad_token_id=0, use_cache=True, **how.theirs
    )
    ids = torch.tensor([prompt], device=lm.device)
    model: Any = lm.model
    model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        generation_config=config,
        stopping_criteria=StoppingCriteriaList([watch]),
    )
    return np.diff(watch.times).tolist()


def compare(lm: LanguageModel, n_context: int, how: Strategy, rounds: int, n_steps: int) -> None:
    """Prints both medians; the two take turns, so that a busy machine is busy for both."""
    prompt = np.random.default_rng(0).integers(2, 4000, n_context).tolist()
    ours: list[float] = []
    theirs: list[float] = []
    for turn in range(rounds + 1):
        their_turn = time_theirs(lm, prompt, how, n_steps)
        our_turn = time_ours(lm, prompt, how, n_steps)
        if turn > 0:  # the first warms up
            theirs += their_turn
            ours += our_turn
    baseline = Timing(f"generate, {how.name}, {n_context} tokens", tuple(theirs))
    print(baseline.line())
    print(Timing(f"Generation.step, {how.name}, {n_context} tokens", tuple(ours)).line(baseline))


def main() -> None:
    """Times the shipped model and one of GPT-2's size."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--steps", type=int, default=40)
    options = parser.parse_args()
    print(describe_machine(), f"{torch.get_num_threads()} threads", sep="\n")
    with gpt2_sized() as folder:
        for name in ("storyteller", str(folder)):
            # no token ends the text: both sides write equally many
            lm = replace(load_model(name), end_ids=frozenset())
            size = f"{lm.n_parameters / 1e6:.1f}M parameters"
            print(f"\n{Path(name).name}: {size}, {lm.dtype}, {lm.device}")
            for n_context in N_CONTEXT:
                for how in STRATEGIES:
                    compare(lm, n_context, how, options.rounds, options.steps)


if __name__ == "__main__":
    main()
