"""What is kept and what it saves: C22 to C26."""

import math
from itertools import pairwise
from statistics import linear_regression

import numpy as np

from model import kv_cache
from model.causal_mask.attention import read_text
from model.claims.context import ExperimentContext
from model.claims.exact import long_text, parts_of, rounding
from model.claims.records import Finding
from model.claims.registry import experiment
from model.claims.verdicts import finding, judge_all, judge_ratio
from model.job import finish
from model.kv_cache.experiments import race
from model.kv_cache.records import Race
from model.language_model import LanguageModel
from model.passes import decode_one_token, prefill

RACE_LENGTH = 40
LONG, SHORT = 200, 10  # tokens in and out, one way and the other; a fifth of the claim's sizes
N_PROMPT = 128


def keeps(lm: LanguageModel) -> str:
    """Says what a model keeps of the tokens that it has read."""
    shape = lm.cache_shape
    if lm.weights.cache_argument is None:
        return "nothing, and reads the whole text for every token"
    if not shape.bytes_per_token:
        return "a state of fixed size that sums up the text, and no keys and values"
    kept = "keys and values"
    if shape.is_latent:
        kept = "one latent for keys and values together in each layer"
    if not kv_cache.can_crop(lm.config):
        kept += f" in {shape.n_layers} layers, and states of fixed size in the others"
    if shape.sliding_window:
        kept += f", of which some layers see the last {shape.sliding_window} alone"
    return kept


@experiment("C22")
def prefill_is_cheap_per_token(context: ExperimentContext) -> Finding:
    """One pass over many tokens against one pass over one, in turns."""
    ids, cache = context.ids(N_PROMPT), context.lm.new_cache()
    if cache is None:
        raise ValueError(f"{context.lm.name} takes no cache, so all its passes are prefills.")
    prefill(context.lm, ids, cache)
    whole, one = context.seconds(
        lambda: prefill(context.lm, ids, context.lm.new_cache())[1],
        lambda: decode_one_token(context.lm, ids[-1], kv_cache.fork(cache))[1],
    )
    return finding(
        "Prefill read {n:count} tokens in {whole:seconds}, a decode step took {one:seconds}.",
        judge_ratio(
            "seconds of a token by decode over those by prefill",
            one,
            whole / len(ids),
            "turns",
            above=3,
            partly=1.5,
        ),
        why="On this device the two are closer than elsewhere.",
        numbers={"n": len(ids), "whole": whole, "one": one},
    )


@experiment("C23")
def long_in_beats_long_out(context: ExperimentContext) -> Finding:
    """Many tokens in and few out against few in and many out, in turns."""
    ids = context.ids(LONG)
    fast, slow = context.seconds(
        lambda: context.answer(ids, SHORT).seconds,
        lambda: context.answer(ids[:SHORT], LONG).seconds,
        n=4,
    )
    return finding(
        "{long:count} tokens in and {short:count} out took {fast:seconds}; {short} in and {long} "
        "out took {slow:seconds}.",
        judge_ratio(
            "seconds of the long answer over those of the long prompt",
            slow,
            fast,
            "turns",
            above=2,
            partly=1.2,
        ),
        why="On this device the two are closer than elsewhere.",
        numbers={"long": LONG, "short": SHORT, "fast": fast, "slow": slow},
    )


@experiment("C24")
def the_past_never_changes(context: ExperimentContext) -> Finding:
    """What was cached, and the logits it gives, against passes over the whole text."""
    raced = _race(context, RACE_LENGTH // 2)
    gap, steps = raced.gap, raced.steps
    if gap is None:
        return finding(
            "{model:text} keeps {kept:text}: each token rewrites what it keeps, and nothing of the "
            "past stays as it was.",
            judge_all("keys and values to compare", [False] * len(steps), "steps"),
            numbers={"model": context.lm.name, "kept": keeps(context.lm)},
        )
    long, gaps, bar = _long_cache(context)
    still = [gap.keys <= bar * gap.keys_scale, gap.values <= bar * gap.values_scale]
    best = [step.same_best for step in steps]
    logits = [step.logit_gap <= bar * step.logit_scale for step in steps]
    logits += [moved <= bar * scale for moved, scale in gaps]
    moved, scale = map(max, zip(*gaps, *((s.logit_gap, s.logit_scale) for s in steps), strict=True))
    return finding(
        "Cached keys differ from recomputed ones by {keys:number}, values by {values:number}, "
        "logits by {logits:number} beside logits up to {scale:number}, in texts of up to "
        "{long:count} tokens; rounding may move a logit by {bar:number}.",
        judge_all("the best token is the same with the cache and without", best, "steps"),
        judge_all("logits are the same to rounding", logits, "steps"),
        judge_all("keys and values are the same to rounding", still, "kinds, keys and values"),
        why="In a 16-bit format rounding parts the two now and then.",
        numbers={"keys": gap.keys, "values": gap.values, "logits": moved, "scale": scale}
        | {"long": long, "bar": bar * scale},
    )


def _long_cache(context: ExperimentContext) -> tuple[int, list[tuple[float, float]], float]:
    """Reads a long text by its cache, and compares logits with those of one pass over all of it.

    Returns:
        Its length; for each token that was read alone the largest difference of a logit and the
        largest logit; what rounding may move, as a fraction of the largest logit.
    """
    lm, ids, cache, gaps = context.lm, long_text(context), context.lm.new_cache(), []
    truth, _ = read_text(lm, ids)
    n_read = 0
    for first, end in parts_of(len(ids)):
        if first > n_read and not kv_cache.can_crop(lm.config) and n_read:
            break  # a running state takes one token at a time
        prefill(lm, ids[n_read:first], cache)
        for place in range(first, end):
            row, _ = prefill(lm, [ids[place]], cache)
            gaps.append(
                (float(np.abs(row - truth[place]).max()), float(np.abs(truth[place]).max()))
            )
        n_read = end
    return n_read, gaps, rounding(lm, ids, truth)


@experiment("C25")
def the_square_becomes_a_line(context: ExperimentContext) -> Finding:
    """Arithmetic counted while passes of several lengths ran, and the time that all took."""
    races = [_race(context, RACE_LENGTH) for _ in range(context.n(3))]
    checks = [check for check in races[0].checks if check.n_input + check.n_past > 1]
    # a pass follows the power p of the length, so all passes together follow p + 1
    without, cached = (
        1 + linear_regression(
            [math.log(check.n_input + check.n_past) for check in some],
            [math.log(check.counted.total) for check in some],
        ).slope
        for some in ([c for c in checks if not c.n_past], [c for c in checks if c.n_past])
    )  # fmt: skip
    slow, fast = (
        [sum(getattr(step, name) for step in one.steps) for one in races]
        for name in ("recomputed_seconds", "cached_seconds")
    )
    return finding(
        "Counted by torch, the arithmetic of a text of up to {n:count} tokens follows the power "
        "{without:number} of its length without the cache and {cached:number} with it; it took "
        "{slow:seconds} against {fast:seconds}.",
        judge_all(
            "near n² without, above 1.7, and near n with it, below 1.3",
            [without > 1.7, cached < 1.3],
            "exponents",
        ),
        judge_ratio("seconds without the cache over those with it", slow, fast, "runs"),
        numbers={"n": RACE_LENGTH, "without": without, "cached": cached}
        | {"slow": slow, "fast": fast},
    )


@experiment("C26")
def bytes_per_token(context: ExperimentContext) -> Finding:
    """The formula and what each token adds to the tensors, to the byte."""
    shape, passes = context.lm.cache_shape, context.write(n=8).passes
    grows = [after.cache_bytes - before.cache_bytes for before, after in pairwise(passes)]
    formula = "The formula gives {each:bytes} a token, summed over layers that are not alike"
    if shape.is_plain:
        formula = (
            "2 × {layers:count} layers × {heads:count} KV heads × {size:count} × {width:bytes} is "
            "{each:bytes} a token"
        )
    elif shape.is_latent:
        formula = (
            "{layers:count} layers × {size:count} numbers for keys and values together × "
            "{width:bytes} is {each:bytes} a token"
        )
    elif not shape.bytes_per_token:
        formula = "{model:text} keeps {kept:text}"
    return finding(
        formula + "; in the tensors a token added {grown:bytes}.",
        judge_all(
            "tokens that add as many bytes as the formula says",
            [0 < shape.bytes_per_token == bytes_ for bytes_ in grows],
            "tokens",
        ),
        why="This model keeps something else than keys and values of every position.",
        numbers={
            "model": context.lm.name,
            "kept": keeps(context.lm),
            "layers": shape.n_layers,
            "heads": shape.n_kv_heads,
            "size": shape.head_dim,
            "width": shape.bytes_per_number,
            "each": shape.bytes_per_token,
            "grown": max(grows, default=0),
        },
    )


def _race(context: ExperimentContext, n_tokens: int) -> Race:
    return finish(race(context.lm, context.ids(len(context.prompt.split())), n_tokens, n_runs=1))
