"""What bounds the phases and what they cost: C27 to C30."""

from statistics import fmean

import numpy as np

from model.batch import Batch
from model.claims.context import ExperimentContext
from model.claims.records import Finding
from model.claims.registry import experiment
from model.claims.verdicts import finding, judge_all, judge_mean, judge_ratio
from model.job import finish
from model.prefill_decode.batching import measure_batches
from model.prefill_decode.cost import price_tokens, saved_by_budget
from model.prefill_decode.roofline import measure_roofline
from model.prefill_decode.scoring import score_and_write
from model.tokenizing import random_ids

PRICE = 2.0  # an hour, in any currency: the ratio does not depend on it
BATCH, N_PROMPT = 8, 64
BALL, ANSWERS = "He lost his ball. The boy was very", ("sad", "happy", "made of stone")
N_WRITTEN = 20
AS_ONE = 2.0  # times as quick at least as tokens that are read one after another
FAIR = 1.1  # times a price at least that is called more: less is the clock's


@experiment("C27")
def decode_reads_much_to_compute_little(context: ExperimentContext) -> Finding:
    """A decode step's measured time beside what reading its weights takes at best."""
    work = measure_roofline(context.lm, (N_PROMPT,), (1,), n_past=N_PROMPT, n_passes=context.n(6))
    roofline = finish(work)
    read = next(point for point in roofline.points if point.phase == "prefill")
    step = next(point for point in roofline.points if point.phase == "decode")
    top = roofline.ceilings
    reached = [step.n_bytes / seconds / top.copy for seconds in step.seconds.seconds]
    return finding(
        "A decode step computes {step:number} FLOPs for each byte it reads, a prefill of {n:count} "
        "tokens {read:number}. Of the three floors, memory, compute and overhead, {bound:text} is "
        "the highest here, and a step takes {seconds:seconds}.",
        judge_mean(
            "memory bandwidth that a decode step reaches (MBU)",
            reached,
            "steps",
            "fraction",
            above=0.5,
        ),
        judge_all("memory is the highest floor", [step.bound(top) == "memory"], "rooflines"),
        control="a prefill reaches {mbu:fraction} of the bandwidth and {mfu:fraction} of the "
        "arithmetic.",
        why="A step takes longer than the reading alone would.",
        numbers={"step": step.intensity, "n": N_PROMPT, "read": read.intensity}
        | {"bound": step.bound(top) or "none", "seconds": step.seconds.median}
        | {"mbu": read.mbu(top), "mfu": read.mfu(top)},
    )


@experiment("C28")
def a_batch_shares_the_weights(context: ExperimentContext) -> Finding:
    """Steps of one text and of a batch, in turns."""
    work = measure_batches(context.lm, (1, BATCH), n_past=N_PROMPT, n_steps=context.n(7))
    alone, batch = (np.array(point.seconds.seconds) for point in finish(work).points)
    return finding(
        "A step over {n:count} texts takes {many:seconds}, a step over one {one:seconds}.",
        judge_ratio(
            "tokens per second of the batch over those of one text",
            BATCH * alone,
            batch,
            "turns",
            above=1.5,
            partly=1.2,
        ),
        control="without sharing it would be 1.",
        why="On this device arithmetic binds early, so a batch gains little.",
        numbers={"n": BATCH, "many": batch, "one": alone},
    )


@experiment("C29")
def output_costs_more(context: ExperimentContext) -> Finding:
    """The price of a token in and of a token out, alone and in a batch."""
    ids = random_ids(context.lm, 2 * N_PROMPT)
    alone, batch = (Batch(context.lm, [ids] * n) for n in (1, BATCH))
    seconds_in, seconds_out, shared = context.seconds(
        lambda: Batch(context.lm, [ids]).seconds / len(ids),
        lambda: alone.append([ids[0]]),
        lambda: batch.append([ids[0]] * BATCH) / BATCH,
    )
    prices = price_tokens(PRICE, float(np.median(seconds_in)), float(np.median(seconds_out)))
    saved = saved_by_budget(prices, 100, 500, 100)
    return finding(
        "At these prices a limit of {budget:count} tokens instead of {n_out:count} saves "
        "{saved:fraction} of a request with {n_in:count} tokens in.",
        judge_ratio(
            "price of a token out over a token in, one text alone",
            seconds_out,
            seconds_in,
            "turns",
            above=FAIR,
        ),
        judge_ratio("the same, eight texts in a batch", shared, seconds_in, "turns", above=FAIR),
        numbers={"n_in": 100, "n_out": 500, "budget": 100, "saved": saved},
    )


@experiment("C30")
def one_pass_for_a_score(context: ExperimentContext) -> Finding:
    """Three answers scored at once against one answer written."""
    runs = [
        finish(score_and_write(context.lm, BALL, ANSWERS, N_WRITTEN)) for _ in range(context.n(4))
    ]
    best = max(runs[0].choices, key=lambda choice: choice.share).text
    scored = [run.score_seconds.median for run in runs]
    written = [run.written.seconds for run in runs]
    n_written = round(fmean(run.written.n_out for run in runs))
    in_turn = n_written / runs[0].n_prompt  # if a pass read one token after another
    return finding(
        "One pass scored {n:count} answers in {scored:seconds} and picks “{best:text}”; writing an "
        "answer of {tokens:count} tokens took {written:seconds}.",
        judge_ratio(
            "seconds to write over seconds to score",
            written,
            scored,
            "runs",
            above=max(1, AS_ONE * in_turn),
        ),
        control="were the prompt’s {prompt:count} tokens read one after another, it would be "
        "{in_turn:ratio} at most.",
        why="On this device so short an answer is written as fast.",
        numbers={"n": len(ANSWERS), "scored": scored, "best": best}
        | {"tokens": n_written, "written": written}
        | {"prompt": runs[0].n_prompt, "in_turn": in_turn},
    )
