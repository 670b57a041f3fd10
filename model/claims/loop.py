"""The loop: C01 to C11, and the pieces that texts are made of (C41)."""

from __future__ import annotations

import inspect
import math
from itertools import pairwise

import numpy as np

from model.claims.context import ExperimentContext, finding, softmax_of
from model.claims.records import Finding
from model.generation import Generation
from model.passes import prefill
from model.sampling import Settings
from model.source_code import source_of
from model.tokenizing import encode, pieces

ROUNDING = 1e-3  # of logits in float32; a wrong input moves them by whole numbers
EARLY_WORDS = ("The cat saw a big fish. It wanted to", "The cat saw a big bird. It wanted to")


def c01_one_loop(context: ExperimentContext) -> Finding:
    """What a step writes, the next one reads: the loop's logits against those of a fresh pass."""
    text = context.write(n=8)
    fresh, _ = prefill(context.lm, text.ids, None)
    gap = float(np.abs(fresh - text.logits).max())
    return finding(
        gap < ROUNDING,
        "After {n} steps the loop’s logits are those of one pass over all {all} tokens, "
        "but for {gap}.",
        "The number format rounds so much.",
        n=(len(text.steps), "count"),
        all=(len(text.ids), "count"),
        gap=(gap, "number"),
    )


def c02_only_forward(context: ExperimentContext) -> Finding:
    """Going back crops the cache, and another token there makes another text."""
    text = context.write()
    n_back = len(text.steps) // 2
    other = text.fork()
    other.rewind(n_back)
    n_kept = len(other.ids)
    other.step(token_id=int(np.argsort(other.logits)[-2]))
    while len(other.ids) < len(text.ids) and not other.finished:
        other.step(Settings(temperature=0))
    n_same = sum(a == b for a, b in zip(text.ids[n_kept:], other.ids[n_kept:], strict=False))
    return finding(
        text.ids[:n_kept] == other.ids[:n_kept] and n_same < n_back,
        "We took {back} tokens back and chose the second best there: of what followed, {same} of "
        "{back} places hold the same token.",
        back=(n_back, "count"),
        same=(n_same, "count"),
    )


def c03_time_grows_with_output(context: ExperimentContext) -> Finding:
    """Twice the tokens, twice the passes, about twice the time."""
    text = context.write(Settings(), n=2 * context.n_tokens)
    seconds = [one.seconds for one in text.passes[1:]]
    half = len(seconds) // 2
    ratio = sum(seconds) / max(sum(seconds[:half]), 1e-9)
    return finding(
        True if 1.5 < ratio < 2.6 else "holds partly",
        "{n} tokens took {passes} passes, one after another; all of them took {ratio} as long as "
        "the first half.",
        "The machine did other work meanwhile, or the text ended early.",
        n=(len(text.steps), "count"),
        passes=(len(text.passes), "count"),
        ratio=(ratio, "ratio"),
    )


def c04_one_logit_per_token(context: ExperimentContext) -> Finding:
    """As many logits as entries in the vocabulary; softmax makes them sum to one."""
    logits = Generation(context.lm, context.prompt).logits
    total = float(softmax_of(logits).sum())
    return finding(
        logits.size == context.lm.vocab_size and math.isclose(total, 1, abs_tol=1e-9),
        "{n} logits for {vocab} entries; their softmax sums to {total}.",
        n=(logits.size, "count"),
        vocab=(context.lm.vocab_size, "count"),
        total=(total, "number"),
    )


def c05_it_stops(context: ExperimentContext) -> Finding:
    """An end token ends the text, and so does the limit."""
    short = Generation(context.lm, context.prompt, max_new_tokens=3)
    while not short.finished:
        short.step(Settings(temperature=0))
    ended = Generation(context.lm, context.prompt)
    if not context.lm.end_ids:
        return finding("holds partly", "It stops at the limit.", "This model has no end token.")
    ended.step(token_id=min(context.lm.end_ids))
    return finding(
        short.finished == "length" and ended.finished == "eos" and len(ended.passes) == 1,
        "With a limit of three it stopped after {n}; an end token stopped it at once, and no pass "
        "followed.",
        n=(len(short.steps), "count"),
    )


def c06_the_worked_table(context: ExperimentContext) -> Finding:
    """The prompt's keys and values in one pass, then one more per step."""
    text = context.write(n=5)
    cached = [one.cache_tokens for one in text.passes]
    grows = [b - a for a, b in pairwise(cached)]
    return finding(
        cached[0] == text.n_prompt and set(grows) <= {1},
        "Prefill laid {prompt} columns in one pass; each of {n} steps added one.",
        prompt=(cached[0], "count"),
        n=(len(grows), "count"),
    )


def c07_the_code_that_ran(context: ExperimentContext) -> Finding:
    """The lines beside the picture are those of the function that ran."""
    step = type(context.write(n=1)).step
    ran = [line.strip() for line in inspect.getsource(inspect.unwrap(step)).splitlines()]
    lines = [line.strip() for line in source_of(step).lines if line.strip()]
    return finding(
        all(line in ran for line in lines),
        "All {n} lines that are shown stand in the function that wrote the text.",
        n=(len(lines), "count"),
    )


def c08_streaming(context: ExperimentContext) -> Finding:
    """The first token is there long before the last."""
    text = context.write(Settings())
    seconds = [one.seconds for one in text.passes]
    return finding(
        True if seconds[0] < sum(seconds) / 2 else "holds partly",
        "The first token could be shown after {first}, all {n} after {all}.",
        "The prompt took most of the time, so little is gained by streaming.",
        first=(seconds[0], "seconds"),
        n=(len(text.steps), "count"),
        all=(sum(seconds), "seconds"),
    )


def c09_the_chain_rule(context: ExperimentContext) -> Finding:
    """The running sum of log-probabilities is the log of the product."""
    text = context.write(Settings(), n=12)
    product = math.prod(step.prob for step in text.steps)
    return finding(
        math.isclose(text.logprob, math.log(product), abs_tol=1e-6),
        "The running sum over {n} tokens is {sum}; the log of the product of their probabilities "
        "is {log}.",
        n=(len(text.steps), "count"),
        sum=(text.logprob, "nats"),
        log=(math.log(product), "nats"),
    )


def c10_the_whole_context_counts(context: ExperimentContext) -> Finding:
    """Another early word, another late distribution."""
    one, other = (softmax_of(Generation(context.lm, text).logits) for text in EARLY_WORDS)
    moved = float(0.5 * np.abs(one - other).sum())
    return finding(
        moved > 0.01,
        "A word changed four words before the end moved {moved} of the probability.",
        "This model hardly looks so far back.",
        moved=(moved, "fraction"),
    )


def c11_no_draft(context: ExperimentContext) -> Finding:
    """One pass leaves one distribution for what follows, and nothing after it."""
    text = Generation(context.lm, context.prompt)
    return finding(
        text.logits.ndim == 1 and len(text.steps) == 0,
        "After the prompt’s pass there is one distribution over {vocab} tokens, for the next "
        "position alone.",
        vocab=(text.logits.size, "count"),
    )


def c41_pieces_not_words(context: ExperimentContext) -> Finding:
    """More tokens than words, and rare words cost more."""
    text = "Unbelievably, the naïve crocodile paid 12345 € for a 🍓"
    ids = encode(context.lm, text)
    parts = [piece for piece in pieces(context.lm.tokenizer, ids) if not piece.special]
    joined = b"".join(piece.data for piece in parts).decode(errors="replace").strip()
    return finding(
        len(parts) > len(text.split()) and joined == text,
        "{words} words became {tokens} tokens; put together again they are the same text.",
        words=(len(text.split()), "count"),
        tokens=(len(parts), "count"),
    )
