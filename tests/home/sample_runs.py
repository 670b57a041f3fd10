"""Runs made by hand for what draws: small, exact, and with all that is unpleasant in them."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from model.records import CacheShape, Candidate, Distribution, Phase, Piece, RunRecord, Step

SHAPE = CacheShape(
    n_layers=2, n_kv_heads=2, head_dim=8, n_heads=4, bytes_per_number=4, bytes_per_token=256
)
NASTY = (
    "<script>alert(1)</script>",
    "</script><!--",
    "$x$ **b** :smile:",
    '"quo\'ted"',
    "=SUM(A1)",
    "@me",
    "\u2028line\u2029",
    "שלום",
    "😀👩‍🔬",
    "-1+2",
)
STAGES = ("raw", "temperature", "top_p")
N_VOCAB = 4096


def exact(n_vocab: int = N_VOCAB) -> Distribution:
    """A distribution of which only the size is read."""
    nothing = np.zeros(0)
    return Distribution(
        n_vocab, None, np.zeros(n_vocab, np.float32), nothing.astype(np.int32), nothing
    )


def make_step(
    number: int,
    label: str = "␣mat",
    phase: Phase | None = None,
    n_prompt: int = 6,
    seconds: float | None = None,
    forced: bool = False,
) -> Step:
    """One step: raw .5 .2 .1 .05 and .15 elsewhere, of which the mask kept two, .75 and .25.

    The coin of .8 falls on the second, token 11; a forced step takes the third, which is masked.
    """
    phase = phase or ("prefill" if number == 0 else "decode")
    raw, masked, kept = (0.5, 0.2, 0.1, 0.05), (0.75, 0.25, 0.0, 0.0), (True, True, False, False)
    chosen = 2 if forced else 1
    rows = tuple(
        Candidate(
            token_id=10 + i,
            label=label if i == chosen else f"␣w{i}",
            logit=math.log(raw[i]),
            probs=(raw[i], raw[i], masked[i]),
            kept=(True, True, kept[i]),
        )
        for i in range(4)
    )
    n_input = n_prompt if phase == "prefill" else 1
    return Step(
        position=n_prompt + number,
        token_id=10 + chosen,
        text=label,
        forced=forced,
        coin=0.8,
        prob=raw[chosen],
        logprob=math.log(raw[chosen]),
        text_logprob=number * math.log(raw[1]) + math.log(raw[chosen]),
        rank=chosen,
        entropy=1.25,
        chosen_prob=masked[chosen],
        candidates=rows,
        stage_names=STAGES,
        n_kept=2,
        distribution=exact(),
        phase=phase,
        seconds=seconds if seconds is not None else (0.006 if number == 0 else 0.003),
        n_input=n_input,
        is_shared=False,
        cache_tokens=n_prompt + number,
        cache_bytes=256 * (n_prompt + number),
    )


def make_steps(n: int, n_prompt: int = 6) -> list[Step]:
    """The first steps of a run; the fourth is forced."""
    return [make_step(i, n_prompt=n_prompt, forced=i == 3) for i in range(n)]


def make_piece(
    token_id: int, label: str, joined: str | None = None, special: bool = False
) -> Piece:
    """A token of a text, its bytes those of what it shows."""
    text = label.replace("␣", " ")
    data = b"" if special else text.encode("utf-8", "surrogatepass")
    return Piece(token_id, label, text if joined is None else joined, data, special)


def make_run(
    labels: Sequence[str] = ("␣mat", ".", "⏎", "␣hat"), prompt: str = "The cat"
) -> RunRecord:
    """A run of one step per label; the prompt has an end token and two words."""
    prompt_pieces = (
        make_piece(0, "<|endoftext|>", "", special=True),
        make_piece(5, prompt),
        make_piece(6, "␣sat"),
    )
    steps = tuple(make_step(i, label, n_prompt=3, forced=i == 3) for i, label in enumerate(labels))
    return RunRecord(
        link="model=storyteller&prompt=The+cat+sat&seed=7",
        model="storyteller",
        device="cpu",
        dtype="float32",
        seed=7,
        prompt=f"{prompt} sat",
        prompt_ids=(0, 5, 6),
        pieces=prompt_pieces + tuple(make_piece(step.token_id, step.text) for step in steps),
        steps=steps,
        settings=[{"temperature": 1.0, "top_p": 0.7, "order": STAGES[1:]} for _ in steps],
        finished=None,
        logprob=math.fsum(step.logprob for step in steps),
        cache_shape=SHAPE,
        created="2026-11-21T04:00:00+00:00",
        versions={"torch": "2.13.0", "transformers": "5.23.0"},
    )
