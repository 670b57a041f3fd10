"""Decoding algorithms: C31 to C34, and the encoder that reads first (C39)."""

from __future__ import annotations

from statistics import fmean

from model.claims.context import ExperimentContext, finding
from model.claims.records import Finding
from model.diffusion.denoising import Diffusion, fill_page
from model.diffusion.infilling import Infilling
from model.diffusion.quality import leave_one_out, measure_clashes
from model.job import finish
from model.speculative.drafting import ModelDraft
from model.speculative.proof import PROMPTS as HUNDRED_PROMPTS
from model.speculative.proof import check_greedy
from model.speculative.timing import compare_drafts, measure_speed
from model.tokenizing import encode

PROMPTS = ("Once upon a time there was a little girl who", "The dragon opened the door and")
AGREEMENT_PROMPTS = (*PROMPTS, *HUNDRED_PROMPTS[4::11])  # it varies much from text to text
N_DRAFT = 4
BEGINNING = "Once upon a time, there was a little girl named Lily. She had a red ball."
ENDING = " Lily hugged her mom and they went home."
LENGTH = 32
GAPS = "Once upon a time there was a little ____ . She liked to ____ in the park."


def c31_a_draft_changes_nothing(context: ExperimentContext) -> Finding:
    """Greedy texts with a draft and without, token by token."""
    scribbler = context.other("scribbler")
    work = check_greedy(
        context.lm,
        lambda: ModelDraft(scribbler, context.lm.vocab_size),
        PROMPTS,
        context.n_tokens,
        N_DRAFT,
    )
    compared = finish(work)
    n_same = sum(one.first_difference is None for one in compared)
    return finding(
        True if n_same == len(compared) else "holds partly",
        "{same} of {n} greedy texts are the same with a draft, token by token: {tokens} tokens in "
        "{rounds} rounds.",
        "In a 16-bit format rounding may part two tokens that are almost equal.",
        same=(n_same, "count"),
        n=(len(compared), "count"),
        tokens=(sum(one.n_tokens for one in compared), "count"),
        rounds=(sum(one.n_rounds for one in compared), "count"),
    )


def c32_the_gain_follows_agreement(context: ExperimentContext) -> Finding:
    """Speed with the distilled draft, and what it and its undistilled twin agree on."""
    ids = [encode(context.lm, prompt) for prompt in AGREEMENT_PROMPTS]
    width = context.lm.vocab_size
    distilled, plain = (context.other(name) for name in ("scribbler", "scribbler_plain"))
    makers = [lambda: ModelDraft(distilled, width), lambda: ModelDraft(plain, width)]
    reports = finish(compare_drafts(context.lm, makers, ids, context.n_tokens, N_DRAFT))
    one, other = (report.acceptance.rate for report in reports)
    work = measure_speed(
        context.lm,
        makers[0],
        ids[: len(PROMPTS)],
        n_tokens=context.n_tokens,
        n_runs=1,
        lengths=(N_DRAFT,),
    )
    speed = finish(work).speeds[0]
    return finding(
        True if one > other else "holds partly",
        "The distilled draft had {one} of its tokens accepted, its undistilled twin {other}; with "
        "{k} draft tokens per round it gave {tokens} tokens a target pass, {speed} the speed.",
        "On these prompts both drafts agree with the target equally often.",
        one=(one, "fraction"),
        other=(other, "fraction"),
        k=(N_DRAFT, "count"),
        tokens=(speed.tokens_per_round, "number"),
        speed=(speed.measured, "ratio"),
    )


def c33_few_passes_or_many(context: ExperimentContext) -> Finding:
    """A hole filled in two passes and one position at a time, judged by the storyteller."""
    likely = {n: _fill(context, n)[0] for n in (2, LENGTH)}
    return finding(
        True if likely[LENGTH] > likely[2] else "holds partly",
        "{n} positions filled in 2 passes have {few} a token by the storyteller, in {n} passes "
        "{many}; the loop needs a pass for each token.",
        "In this draw the quick fill happened to be the likelier.",
        n=(LENGTH, "count"),
        few=(likely[2], "nats"),
        many=(likely[LENGTH], "nats"),
    )


def c34_blind_to_each_other(context: ExperimentContext) -> Finding:
    """Tokens that the model itself takes back when it sees all the others."""
    clashes = {n: _fill(context, n)[1] for n in (1, LENGTH)}
    return finding(
        True if clashes[1] > clashes[LENGTH] else "holds partly",
        "Filled all at once, {once} of {n} tokens clash with the rest; one at a time, {slow} do.",
        "In this draw the tokens happened to fit.",
        once=(clashes[1], "number"),
        n=(LENGTH, "count"),
        slow=(clashes[LENGTH], "number"),
    )


def c39_an_encoder_reads_first(context: ExperimentContext) -> Finding:
    """One pass of the encoder, then a loop: what stays and what grows."""
    text = Infilling(context.other("gapfiller"), GAPS)
    while text.finished is None:
        text.step()
    caches = text.look()
    is_fixed = caches.drift == 0 and len(set(caches.cross_bytes[1:])) == 1
    return finding(
        is_fixed and caches.n_encoder_passes == 1,
        "The encoder read {n} tokens in {passes} pass, and its cache stayed at {cross}; the "
        "decoder’s own grew to {own} over {written} tokens.",
        n=(len(caches.source_labels), "count"),
        passes=(caches.n_encoder_passes, "count"),
        cross=(caches.cross_bytes[-1], "bytes"),
        own=(caches.own_bytes[-1], "bytes"),
        written=(len(text.written_ids), "count"),
    )


def _fill(context: ExperimentContext, n_passes: int, n_pages: int = 3) -> tuple[float, float]:
    """Returns mean log-probability per token and mean clashes, over pages of a few seeds."""
    unmasker, judge = context.other("unmasker"), context.other("storyteller")
    likely, clashing = [], []
    for seed in range(n_pages):
        page = Diffusion(
            unmasker, LENGTH, BEGINNING, ENDING, n_passes=n_passes, temperature=0.8, seed=seed
        )
        fill_page(page)
        loo_probs = finish(leave_one_out(unmasker, page.ids, page.positions))
        clashes = measure_clashes(judge, page, loo_probs)
        likely.append(clashes.logprob)
        clashing.append(float(clashes.n_clashes or 0))
    return fmean(likely), fmean(clashing)
