"""Decoding algorithms: C31 to C34, and the encoder that reads first (C39)."""

import json
import math
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from model.claims.context import ExperimentContext
from model.claims.records import Finding
from model.claims.registry import experiment
from model.claims.verdicts import Z, finding, judge_all, judge_mean, judge_ratio
from model.diffusion.denoising import Diffusion, fill_page
from model.diffusion.quality import leave_one_out, measure_clashes
from model.diffusion.records import Clashes, Order
from model.encoder_decoder.infilling import Infilling
from model.job import finish
from model.snowball.records import Estimate
from model.speculative.drafting import ModelDraft
from model.speculative.proof import check_greedy, compare_distribution, lean, pooled
from model.speculative.timing import compare_drafts, measure_speed
from model.tokenizing import encode
from model.weights.locate import SHIPPED

N_DRAFT = 4
N_JUDGED = 24  # prompts: agreement varies much from text to text
TWINS = ("scribbler_taught", "scribbler_plain")  # one recipe and one budget, two lessons
N_DRAWN_FROM, N_DRAWS = 10, 250  # prompts, and draws after each
BEGINNING = "Once upon a time, there was a little girl named Lily. She had a red ball."
ENDING = " Lily hugged her mom and they went home."
LENGTH = 32
REPEATED = 0.2  # of the pairs of neighbours on a page: books by people have less
FILLED_ON = "unmasker, judged by storyteller"
GAPS = (
    "Once upon a time there was a little ____ . She liked to ____ in the park.",
    "The ____ was very big. It lived in a ____ .",
    "Tom and his ____ went to the beach. They saw a ____ in the water.",
)


@experiment("C31")
def a_draft_changes_nothing(context: ExperimentContext) -> Finding:
    """Greedy texts with a draft and without; and the first two tokens of many sampled texts."""
    lm, scribbler = context.lm, context.other("scribbler")

    def draft() -> ModelDraft:
        return ModelDraft(scribbler, lm.vocab_size)

    prompts = context.prompts(10)
    compared = finish(check_greedy(lm, draft, prompts, context.n_tokens, N_DRAFT))
    tests = [
        finish(compare_distribution(lm, draft(), encode(lm, prompt), N_DRAWS, context.first_seed))
        for prompt in context.prompts(N_DRAWN_FROM)
    ]
    towards, error = lean(tests)
    leaning = Estimate(towards, Z * error, error * math.sqrt(N_DRAWS * len(tests)), len(tests))
    parts = [
        judge_all(
            "greedy texts that are the same with a draft, token by token",
            [one.first_difference is None for one in compared],
            "texts",
            is_condition=True,
        ),
        judge_all(
            "all sampled texts follow the target (chi-square, p > 0.001)",
            [pooled(tests) > 1e-3],
            "distributions",
            is_condition=True,
        ),
    ]
    if not math.isnan(towards):  # where draft and target are alike no acceptance is too generous
        parts.append(
            judge_mean(
                "how far sampled texts lean to the draft; 1 is an acceptance a tenth too generous",
                leaning,
                "prompts",
                above=-1,
                below=1,
            )
        )
    return finding(
        "Greedy texts of {tokens:count} tokens in all took {rounds:count} rounds. {draws:count} "
        "sampled texts after each of {tested:count} prompts were held against the target’s own "
        "probabilities of their first two tokens.",
        *parts,
        why="In a 16-bit format rounding may part two tokens that are almost equal.",
        ran_on=f"{lm.name}, drafted by {scribbler.name}",
        numbers={
            "tokens": sum(one.n_tokens for one in compared),
            "rounds": sum(one.n_rounds for one in compared),
            "draws": N_DRAWS,
            "tested": len(tests),
        },
    )


@experiment("C32")
def the_gain_follows_agreement(context: ExperimentContext) -> Finding:
    """What is accepted of two drafts that differ in their lesson alone; speed at both extremes."""
    lm, prompts = context.lm, [encode(context.lm, text) for text in context.prompts(N_JUDGED)]

    def draft(name: str) -> ModelDraft:
        return ModelDraft(context.other(name), lm.vocab_size)

    makers = [partial(draft, name) for name in TWINS]
    rates = []
    for ids in prompts:
        reports = finish(compare_drafts(lm, makers, [ids], context.n_tokens, N_DRAFT))
        rates.append([report.acceptance.rate for report in reports])
    taught, plain = np.transpose(rates)
    best_draft = partial(draft, "scribbler")
    timed = [
        finish(measure_speed(lm, best_draft, prompts[:2], context.n_tokens, 1, lengths=(N_DRAFT,)))
        for _ in range(context.n(5))
    ]
    best, worst = np.transpose([report.extremes or (1.0, 1.0) for report in timed])
    own = [report.speeds[0].measured for report in timed]
    cards = [training_of(name) for name in TWINS]
    return finding(
        "Two drafts read the same {tokens:count} tokens. Of the one that learned its target’s "
        "distributions {taught:fraction} of the proposals were accepted, of the one that learned "
        "the next token {plain:fraction}. With {k:count} proposals a round the shipped draft gave "
        "{own:ratio} the speed of plain decoding; with every one right it would be {best:ratio}, "
        "with every one wrong {worst:ratio}.",
        judge_all(
            "the two have the same shape, tokens and steps",
            [cards[0] == cards[1]],
            "pairs of drafts",
            is_condition=True,
        ),
        judge_mean(
            "accepted of the distilled draft, less its twin’s",
            taught - plain,
            "prompts",
            "fraction",
        ),
        judge_ratio(
            "speed with the shipped draft over speed with every one wrong", own, worst, "runs"
        ),
        judge_ratio(
            "speed with every one right over speed with the shipped draft", best, own, "runs"
        ),
        control="plain decoding of the same texts in the same runs has the speed 1.",
        ran_on=f"{lm.name}, drafted by {' and '.join(TWINS)}, and by scribbler",
        numbers={"taught": taught, "plain": plain, "tokens": cards[0]["tokens"], "k": N_DRAFT}
        | {"own": own, "best": best, "worst": worst},
    )


@experiment("C33")
def few_passes_or_many(context: ExperimentContext) -> Finding:
    """A hole filled in two passes and one position at a time, by the same seeds."""
    few, many = (_fill(context, n, context.n(6)) for n in (2, LENGTH))
    gains = [b.logprob - a.logprob for a, b in zip(few, many, strict=True)]
    # repeats please a judge too: what a page that is full of them gains does not count
    counted = [
        gain if page.repeated < REPEATED else min(gain, 0)
        for gain, page in zip(gains, many, strict=True)
    ]
    return finding(
        "{n:count} positions filled in 2 passes have {few:nats} a token by the judge, in {n} "
        "passes {many:nats}; the loop needs a pass for each token.",
        judge_mean(
            "log-probability with many passes, less that with two, where pairs do not come back",
            counted,
            "pages",
            "nats",
        ),
        control="repeats please a judge too, so they must be few: {slow:fraction} of the pairs "
        "with many passes, {once:fraction} with two.",
        ran_on=FILLED_ON,
        numbers={"n": LENGTH}
        | {"few": [page.logprob for page in few], "many": [page.logprob for page in many]}
        | {"once": [page.repeated for page in few], "slow": [page.repeated for page in many]},
    )


@experiment("C34")
def blind_to_each_other(context: ExperimentContext) -> Finding:
    """Tokens that the model itself takes back when it sees all the others.

    Positions are filled in a random order: by confidence, many passes would take the surest of many
    draws, which clash less even where no position heeds another.
    """
    once, slow = (
        _fill(context, n, context.n(4), order="random", are_checked=True) for n in (1, LENGTH)
    )
    at_once, in_turn = ([float(page.n_clashes or 0) for page in pages] for pages in (once, slow))
    return finding(
        "Filled all at once, {once:number} of {n:count} tokens clash with the rest: the model "
        "would not write them there if it saw all others.",
        judge_mean(
            "clashes when filled at once, less those one at a time",
            np.subtract(at_once, in_turn),
            "pages",
            above=LENGTH / 10,
        ),
        control="filled one at a time, {slow:number} clash.",
        ran_on=FILLED_ON,
        numbers={"once": at_once, "slow": in_turn, "n": LENGTH},
    )


@experiment("C39")
def an_encoder_reads_first(context: ExperimentContext) -> Finding:
    """One pass of the encoder, then a loop: what stays and what grows."""
    passed, texts = [], []
    for gaps in GAPS:
        text = Infilling(context.other("gapfiller"), gaps)
        while text.finished is None:
            text.step()
        caches = text.look()
        is_fixed = caches.drift == 0 and len(set(caches.cross_bytes[1:])) == 1
        grown = {b - a for a, b in pairwise(caches.own_bytes)}
        passed.append(caches.n_encoder_passes == 1 and is_fixed and len(grown) == 1)
        texts.append((len(caches.source_labels), len(text.written_ids)))
    read, written = map(sum, zip(*texts, strict=True))
    return finding(
        "The encoder read {read:count} tokens, and the decoder wrote {written:count} one by one; "
        "the last text’s cross-attention cache stayed at {cross:bytes} while the decoder’s own "
        "grew to {own:bytes}.",
        judge_all(
            "one pass of the encoder, a fixed cache of it, and one entry for each written token",
            passed,
            "texts",
        ),
        ran_on="gapfiller",
        numbers={"read": read, "written": written}
        | {"cross": caches.cross_bytes[-1], "own": caches.own_bytes[-1]},
    )


def training_of(name: str) -> dict[str, Any]:
    """Returns what two shipped models must have in common to differ in their lesson alone."""
    card = json.loads((SHIPPED[name] / "measured.json").read_text(encoding="utf-8"))
    return {key: card[key] for key in ("parameters", "phases")} | {
        "tokens": card["run"]["tokens"],
        "steps": card["run"]["step"],
    }


def _fill(
    context: ExperimentContext,
    n_passes: int,
    n_pages: int,
    *,
    order: Order = "confidence",
    are_checked: bool = False,
) -> list[Clashes]:
    """Fills pages of a few seeds, and measures how well each fits."""
    unmasker, judge = context.other("unmasker"), context.other("storyteller")
    found = []
    for seed in range(n_pages):
        page = Diffusion(
            unmasker, LENGTH, BEGINNING, ENDING, n_passes=n_passes, temperature=0.8,
            order=order, seed=context.first_seed + seed,
        )  # fmt: skip
        fill_page(page)
        probs = finish(leave_one_out(unmasker, page.ids, page.positions)) if are_checked else None
        found.append(measure_clashes(judge, page, probs))
    return found
