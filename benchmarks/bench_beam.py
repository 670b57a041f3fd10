"""A beam step against transformers' beam search, and a search for prompts where greedy is beaten.

    python -m benchmarks.bench_beam [--tokens 20] [--rounds 3]

Both sides write equally many tokens with equally many beams, on the same model in the same run. The
second part runs greedy, a beam and the exact best over the shipped prompts and prints by how much
greedy is beaten: that is how the lesson's example was found.
"""

import argparse
import math
import time
from dataclasses import replace
from typing import Any

import torch

from benchmarks.figures import Timing, describe_machine
from model.beam_search import BeamSearch
from model.beam_search.experiments import compare_searches
from model.generation import Generation
from model.job import finish
from model.loading import LanguageModel, load_model
from pages.lessons.beam_search.settings import LIMIT
from pages.lessons.beam_search.state import PROMPTS

LENGTHS = (4, 5, 6, 8)  # tokens of the exact comparison


def time_ours(start: Generation, n_beams: int, n_tokens: int) -> float:
    """Returns the seconds of one search of ours, the prompt having been read."""
    search = BeamSearch(start, n_beams, max_new_tokens=n_tokens)
    started = time.perf_counter()
    search.run()
    return (time.perf_counter() - started) / n_tokens


def time_theirs(start: Generation, n_beams: int, n_tokens: int) -> float:
    """Returns the seconds of one search of transformers', its short prefill included."""
    model: Any = start.lm.model
    ids = torch.tensor([start.ids], device=start.lm.device)
    started = time.perf_counter()
    model.generate(
        ids,
        attention_mask=torch.ones_like(ids),
        max_new_tokens=n_tokens,
        num_beams=n_beams,
        do_sample=False,
        eos_token_id=None,
        pad_token_id=0,
    )
    return (time.perf_counter() - started) / n_tokens


def race(lm: LanguageModel, n_tokens: int, rounds: int) -> None:
    """Prints the medians of both sides for some numbers of beams, taking turns."""
    start = Generation(replace(lm, end_ids=frozenset()), PROMPTS[0])
    for n_beams in (2, 4, 8):
        ours, theirs = [], []
        for turn in range(rounds + 1):
            their_turn = time_theirs(start, n_beams, n_tokens)
            our_turn = time_ours(start, n_beams, n_tokens)
            if turn:  # the first warms up
                theirs.append(their_turn)
                ours.append(our_turn)
        baseline = Timing(f"generate, {n_beams} beams, a token", tuple(theirs))
        print(baseline.line())
        print(Timing(f"BeamSearch, {n_beams} beams, a token", tuple(ours)).line(baseline))


def find_examples(lm: LanguageModel) -> None:
    """Prints, for every shipped prompt and length, how much likelier the exact best is."""
    for prompt in PROMPTS:
        print(f"\n{prompt}")
        for n_tokens in LENGTHS:
            comparison = finish(compare_searches(lm, prompt, 4, n_tokens, LIMIT))
            greedy, best = comparison.greedy, comparison.best
            times = math.exp(best.total - greedy.total)
            proof = "proved" if comparison.is_proved else "not proved"
            print(
                f"  {n_tokens} tokens: {times:7.2f}x greedy, {best.n_expanded:5} read, {proof}"
                f"  greedy {greedy.text!r}  best {best.text!r}"
            )


def main() -> None:
    """Times beams on the shipped model, then looks for the examples."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--tokens", type=int, default=20)
    parser.add_argument("--rounds", type=int, default=3)
    options = parser.parse_args()
    print(describe_machine(), f"{torch.get_num_threads()} threads", sep="\n")
    lm = load_model("storyteller")
    race(lm, options.tokens, options.rounds)
    find_examples(lm)


if __name__ == "__main__":
    main()
