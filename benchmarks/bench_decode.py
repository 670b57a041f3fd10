"""One token of ours against one token of transformers' `generate`, same weights, same run.

    python -m benchmarks.bench_decode [--rounds 10] [--steps 20]

Both do the same work for a token: run the model on the one before, process the logits, choose.
Ours also records the step: every stage of the masks for the top rows, the distribution, the cache.
Theirs is the model as transformers loads it by itself.
"""

import argparse
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from transformers import (
    AutoModelForCausalLM,
    GenerationConfig,
    StoppingCriteria,
    StoppingCriteriaList,
)

from benchmarks.figures import Timing, describe_machine, record
from benchmarks.models import gpt2_sized
from model.generation import Generation
from model.loading import SHIPPED, LanguageModel, load_model
from model.prefill_decode.batching import weight_bytes_read
from model.prefill_decode.ceilings import measure_copy
from model.sampling import Settings

N_CONTEXT = (64, 300)  # tokens in the text
AIMS = {"storyteller": 0.6, "gpt2-sized": 1.0}  # of the seconds of `generate`, at most


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


def time_theirs(model: Any, prompt: list[int], how: Strategy, n_steps: int) -> list[float]:
    """Returns the seconds between one token of `generate` and the next, the prefill apart."""
    watch = Stopwatch()
    config = GenerationConfig(  # type: ignore[no-untyped-call]  # half typed by transformers
        max_new_tokens=n_steps + 1, eos_token_id=[], pad_token_id=0, use_cache=True, **how.theirs
    )
    ids = torch.tensor([prompt], device=model.device)
    model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        generation_config=config,
        stopping_criteria=StoppingCriteriaList([watch]),
    )
    return np.diff(watch.times).tolist()


def compare(
    lm: LanguageModel, model: Any, n_context: int, how: Strategy, rounds: int, n_steps: int
) -> tuple[Timing, Timing]:
    """Times both, ours first; the two take turns, so that a busy machine is busy for both."""
    prompt = np.random.default_rng(0).integers(2, 4000, n_context).tolist()
    ours: list[float] = []
    theirs: list[float] = []
    for turn in range(rounds + 1):
        their_turn = time_theirs(model, prompt, how, n_steps)
        our_turn = time_ours(lm, prompt, how, n_steps)
        if turn > 0:  # the first warms up
            theirs += their_turn
            ours += our_turn
    what = f"{how.name}, {n_context} tokens"
    return (
        Timing(f"Generation.step, {what}", tuple(ours)),
        Timing(f"generate, {what}", tuple(theirs)),
    )


def report(name: str, folder: Path, rounds: int, n_steps: int) -> None:
    """Prints both medians in each setting, the bandwidth that a step reaches, and the aim."""
    # no token ends the text: both sides write equally many
    lm = replace(load_model(name), end_ids=frozenset())
    load: Any = AutoModelForCausalLM.from_pretrained
    model = load(folder, dtype=lm.dtype).to(lm.device).eval()
    copied, weights = measure_copy(lm).best, weight_bytes_read(lm, 1)
    print(f"\n{folder.name}: {lm.n_parameters / 1e6:.1f}M parameters, {lm.where}")
    print(f"copying in memory reaches {copied / 1e9:.1f} GB/s")
    pairs = []
    for n_context in N_CONTEXT:
        n_bytes = weights + n_context * lm.cache_shape.bytes_per_token
        for how in STRATEGIES:
            ours, theirs = compare(lm, model, n_context, how, rounds, n_steps)
            pairs.append((ours.median / theirs.median, ours.median, theirs.median))
            print(theirs.line(), ours.line(theirs), sep="\n")
            print(f"    {n_bytes / ours.median / copied:.0%} of the copy bandwidth")
    ratio, ours_median, theirs_median = max(pairs)
    record(
        f"a step against `generate`, {folder.name}, the worst of {len(pairs)} settings",
        f"{ratio:.2f}x ({ours_median * 1e3:.1f} against {theirs_median * 1e3:.1f} ms)",
        f"at most {AIMS[folder.name]:.1f}x",
        is_met=ratio <= AIMS[folder.name],
    )


def main() -> None:
    """Times the shipped model and one of GPT-2's size."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--steps", type=int, default=20)
    options = parser.parse_args()
    print(describe_machine(), f"{torch.get_num_threads()} threads", sep="\n")
    report("storyteller", SHIPPED["storyteller"], options.rounds, options.steps)
    with gpt2_sized() as folder:
        report(str(folder), folder, options.rounds, options.steps)


if __name__ == "__main__":
    main()
