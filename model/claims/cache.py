"""What is kept and what it saves: C22 to C26."""

from __future__ import annotations

from itertools import accumulate

import numpy as np

from model import kv_cache
from model.claims.context import ExperimentContext, finding
from model.claims.records import Finding
from model.flops import growth_exponent
from model.generation import Generation
from model.job import finish
from model.kv_cache.experiments import race
from model.kv_cache.records import Race
from model.passes import decode_one_token, prefill
from model.sampling import Settings

RACE_LENGTH = 48
LONG, SHORT = 200, 10  # tokens in and out, one way and the other; a fifth of the claim's sizes


def c22_prefill_is_cheap_per_token(context: ExperimentContext) -> Finding:
    """One pass over many tokens against one pass over one."""
    ids = _plain_ids(context, 128)
    cache = context.lm.new_cache()
    if cache is None:
        return _no_cache(context)

    def decode() -> float:
        seconds = decode_one_token(context.lm, ids[-1], cache)[1]
        kv_cache.crop(cache, 1)
        return seconds

    whole = context.seconds(lambda: prefill(context.lm, ids, context.lm.new_cache())[1])
    prefill(context.lm, ids, cache)
    one = context.seconds(decode)
    ratio = one / (whole / len(ids))
    return finding(
        True if ratio > 2 else "holds partly",
        "Prefill read {n} tokens in {whole}, a decode step took {one}: {ratio} as much per token.",
        "On this device the two are closer than elsewhere.",
        n=(len(ids), "count"),
        whole=(whole, "seconds"),
        one=(one, "seconds"),
        ratio=(ratio, "ratio"),
    )


def c23_long_in_beats_long_out(context: ExperimentContext) -> Finding:
    """Many tokens in and few out against few in and many out."""
    ids = _plain_ids(context, LONG)
    seconds = {}
    for n_in, n_out in ((LONG, SHORT), (SHORT, LONG)):
        text = Generation(context.lm, ids[:n_in])
        end_ids = context.lm.end_ids
        while len(text.steps) < n_out and not text.finished:
            best = int(text.logits.argmax())
            text.step(Settings(temperature=0), token_id=ids[0] if best in end_ids else None)
        seconds[n_in] = sum(one.seconds for one in text.passes)
    ratio = seconds[SHORT] / seconds[LONG]
    return finding(
        True if ratio > 2 else "holds partly",
        "{long} tokens in and {short} out took {fast}; {short} in and {long} out took {slow}: "
        "{ratio} as long.",
        "On this device the two are closer than elsewhere.",
        long=(LONG, "count"),
        short=(SHORT, "count"),
        fast=(seconds[LONG], "seconds"),
        slow=(seconds[SHORT], "seconds"),
        ratio=(ratio, "ratio"),
    )


def c24_the_past_never_changes(context: ExperimentContext) -> Finding:
    """Cached keys, values and logits against those of passes over the whole text."""
    raced = _race(context, RACE_LENGTH // 2)
    gap, steps = raced.gap, raced.steps
    logit_gap = max(step.logit_gap for step in steps)
    scale = max(step.logit_scale for step in steps)
    n_same = sum(step.same_best for step in steps)
    return finding(
        True if n_same == len(steps) else "holds partly",
        "Largest gap of logits {logits} beside logits up to {scale}, of keys {keys}, of values "
        "{values}; the best token agrees in {same} of {n} steps.",
        "In a 16-bit format rounding parts the two now and then.",
        logits=(logit_gap, "number"),
        scale=(scale, "number"),
        keys=(gap.keys if gap else 0.0, "number"),
        values=(gap.values if gap else 0.0, "number"),
        same=(n_same, "count"),
        n=(len(steps), "count"),
    )


def c25_the_square_becomes_a_line(context: ExperimentContext) -> Finding:
    """Arithmetic so far against length, both ways: the exponents."""
    steps = _race(context, RACE_LENGTH).steps
    lengths = [step.n_tokens for step in steps]
    sums = [
        list(accumulate(float(step.recomputed_flops.total) for step in steps)),
        list(accumulate(float(step.cached_flops.total) for step in steps)),
    ]
    without, cached = (growth_exponent(lengths, column) or 0.0 for column in sums)
    seconds = [sum(step.recomputed_seconds for step in steps)]
    seconds.append(sum(step.cached_seconds for step in steps))
    return finding(
        without > 1.7 > 1.3 > cached,
        "Up to {n} tokens the arithmetic grows with the power {without} without the cache and "
        "{cached} with it; it took {slow} against {fast}.",
        n=(len(steps), "count"),
        without=(without, "number"),
        cached=(cached, "number"),
        slow=(seconds[0], "seconds"),
        fast=(seconds[1], "seconds"),
    )


def c26_bytes_per_token(context: ExperimentContext) -> Finding:
    """The formula and the tensors, to the byte."""
    shape = context.lm.cache_shape
    if shape.bytes_per_token == 0:
        return finding("not run", f"{context.lm.name} keeps no keys and values to be counted.")
    text = context.write(n=4)
    expected = text.cache_tokens * shape.bytes_per_token
    formula = "The layers, which are not alike, sum up to {each} a token"
    if shape.is_plain:
        formula = "2 × {layers} layers × {heads} KV heads × {size} × {width} is {each} a token"
    elif shape.is_latent:
        formula = (
            "{layers} layers × {size} numbers for keys and values together × {width} is {each} a "
            "token"
        )
    return finding(
        True if text.cache_bytes == expected else "holds partly",
        formula + "; {n} tokens take {all} in the tensors.",
        "This model keeps something else beside keys and values of one size.",
        layers=(shape.n_layers, "count"),
        heads=(shape.n_kv_heads, "count"),
        size=(shape.head_dim, "count"),
        width=(shape.bytes_per_number, "bytes"),
        each=(shape.bytes_per_token, "bytes"),
        n=(text.cache_tokens, "count"),
        all=(text.cache_bytes, "bytes"),
    )


def _race(context: ExperimentContext, n_tokens: int) -> Race:
    ids = Generation(context.lm, context.prompt).ids
    return finish(race(context.lm, ids, n_tokens, n_runs=1))


def _plain_ids(context: ExperimentContext, n: int) -> list[int]:
    """Returns a text of n tokens: the prompt again and again."""
    ids = Generation(context.lm, context.prompt).ids
    return list(np.resize(np.array(ids), n))


def _no_cache(context: ExperimentContext) -> Finding:
    return finding("not run", f"{context.lm.name} takes no cache.")
