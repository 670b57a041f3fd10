"""Choosing: C12 to C17 and C19, on the logits of the model at hand."""

from __future__ import annotations

import numpy as np

from model.chi_square import chi_square
from model.claims.context import ExperimentContext, finding
from model.claims.records import Finding
from model.draw import agreement, rank_order
from model.generation import Generation
from model.job import finish
from model.records import Stage
from model.sampling import ORDERS, Settings, process
from model.sampling.experiments import (
    apply_alone,
    count_draws,
    find_loop,
    first_word,
    write_votes,
)

SURE, UNSURE = "Once upon a", "She looked at the"
LOOPING = "The song went la la la la"
QUESTION = "Lily was thirsty. She wanted to drink some"
N_VOTES, N_VOTE_TOKENS = 8, 6


def c12_greedy_repeats_itself(context: ExperimentContext) -> Finding:
    """The same text every time; and a loop, where this model falls into one."""
    greedy = Settings(temperature=0)
    first, again = (context.write(greedy, prompt=LOOPING, n=3 * context.n_tokens) for _ in range(2))
    loop = find_loop(first.ids[first.n_prompt :])
    return finding(
        first.ids == again.ids and (True if loop else "holds partly"),
        "Two greedy runs wrote the same {n} tokens, and they end in a phrase said {times} times.",
        "On this prompt this model falls into no loop.",
        n=(len(first.steps), "count"),
        times=(loop.n_times if loop else 1, "count"),
    )


def c13_temperature_keeps_the_order(context: ExperimentContext) -> Finding:
    """Entropy follows the temperature; the order of the tokens does not."""
    logits = Generation(context.lm, context.prompt).logits
    stages = [apply_alone(logits, "temperature", value) for value in (0.5, 1.0, 2.0)]
    orders = [rank_order(stage.scores) for stage in stages]
    is_same = all((order == orders[1]).all() for order in orders)
    entropies = [stage.entropy for stage in stages]
    return finding(
        is_same and entropies == sorted(entropies),
        "Entropy is {cold} at T = 0.5, {one} at 1 and {hot} at 2; all {n} tokens keep their rank.",
        cold=(entropies[0], "nats"),
        one=(entropies[1], "nats"),
        hot=(entropies[2], "nats"),
        n=(logits.size, "count"),
    )


def c14_top_p_follows_the_shape(context: ExperimentContext) -> Finding:
    """Top-k keeps as many of a flat distribution as of a peaked one; top-p does not."""
    sure, unsure = (Generation(context.lm, text).logits for text in (SURE, UNSURE))
    kept = {
        (mask, name): int(apply_alone(logits, mask, value).kept.sum())
        for mask, value in (("top_k", 10), ("top_p", 0.9), ("min_p", 0.1))
        for name, logits in (("sure", sure), ("unsure", unsure))
    }
    return finding(
        kept["top_k", "sure"] == kept["top_k", "unsure"]
        and kept["top_p", "sure"] != kept["top_p", "unsure"],
        "After “{sure}” and after “{unsure}” top-k 10 keeps {k} and {k}, top-p 0.9 {p} and {q}, "
        "min-p 0.1 {m} and {o}.",
        "Both distributions have the same shape for this model.",
        sure=(SURE, "text"),
        unsure=(UNSURE, "text"),
        k=(kept["top_k", "sure"], "count"),
        p=(kept["top_p", "sure"], "count"),
        q=(kept["top_p", "unsure"], "count"),
        m=(kept["min_p", "sure"], "count"),
        o=(kept["min_p", "unsure"], "count"),
    )


def c15_strategies_keep_different_sets(context: ExperimentContext) -> Finding:
    """On the same logits, five strategies."""
    logits = Generation(context.lm, UNSURE).logits
    masks = {"temperature": 0.8, "top_k": 10, "top_p": 0.9, "min_p": 0.1}
    stages = [apply_alone(logits, name, value) for name, value in masks.items()]
    sizes = sorted({1, *(int(stage.kept.sum()) for stage in stages)})
    return finding(
        len(sizes) >= 4,
        "Greedy, temperature, top-k, top-p and min-p keep {n} different sets, from {least} token "
        "to {most}.",
        "Some of them happen to keep as many.",
        n=(len(sizes), "count"),
        least=(sizes[0], "count"),
        most=(sizes[-1], "count"),
    )


def c16_a_seed_is_a_text(context: ExperimentContext) -> Finding:
    """The same seed, the same text; other seeds, other texts; and the draws follow the bars."""
    texts = [context.write(Settings(), seed=seed).ids for seed in (1, 1, 2, 3)]
    stage = _last(Generation(context.lm, context.prompt), Settings(top_p=0.9))
    counts = count_draws(stage, context.n_draws)
    p_value = chi_square(counts, stage.probs).p_value
    return finding(
        texts[0] == texts[1] and len({tuple(ids) for ids in texts}) > 1 and p_value > 1e-4,
        "Seed 1 wrote the same text twice, seeds 1 to 3 wrote {n} texts; {draws} draws follow the "
        "distribution (chi-square, p = {p}).",
        n=(len({tuple(ids) for ids in texts}), "count"),
        draws=(context.n_draws, "count"),
        p=(p_value, "number"),
    )


def c17_a_vote_without_chance_is_void(context: ExperimentContext) -> Finding:
    """Copies at T = 0; answers that may differ at T = 0.7."""
    votes = finish(write_votes(context.lm, QUESTION, N_VOTES, N_VOTE_TOKENS))
    greedy, sampled = (
        [first_word(text.text) for text in texts] for texts in (votes.greedy, votes.sampled)
    )
    return finding(
        agreement(greedy) == 1 and (len(set(sampled)) > 1 or "holds partly"),
        "At T = 0 the {n} answers are copies; at T = 0.7 there are {different} different ones, and "
        "two of them agree with a chance of {chance}.",
        "Here this model is so sure that they do not differ at T = 0.7 either.",
        n=(N_VOTES, "count"),
        different=(len(set(sampled)), "count"),
        chance=(agreement(sampled), "fraction"),
    )


def c19_order_matters(context: ExperimentContext) -> Finding:
    """Top-p before a hot temperature keeps less than after it."""
    text = Generation(context.lm, UNSURE)
    kept = {
        engine: int(_last(text, Settings(temperature=1.8, top_p=0.9, order=order)).kept.sum())
        for engine, order in ORDERS.items()
    }
    return finding(
        kept["llama.cpp"] != kept["transformers"],
        "T = 1.8 and top-p 0.9 on the same logits keep {before} tokens in the order of "
        "transformers and {after} in that of llama.cpp.",
        "The distribution is so peaked that both keep the same.",
        before=(kept["transformers"], "count"),
        after=(kept["llama.cpp"], "count"),
    )


def _last(text: Generation, settings: Settings) -> Stage:
    stage = process(text.logits, text.ids, settings, text.n_prompt)[-1]
    assert np.isfinite(stage.probs).all()
    return stage
