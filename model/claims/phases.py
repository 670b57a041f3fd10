"""What bounds the phases and what they cost: C27 to C30."""

from __future__ import annotations

from statistics import median

from model.batch import Batch
from model.claims.context import ExperimentContext, finding
from model.claims.records import Finding
from model.job import finish
from model.prefill_decode.cost import price_tokens, saved_by_budget
from model.prefill_decode.roofline import measure_roofline
from model.prefill_decode.scoring import score_and_write
from model.tokenizing import random_ids

PRICE = 2.0  # an hour, in any currency: the ratio does not depend on it
BATCH, N_PROMPT, N_STEPS = 8, 64, 6
BALL = "He lost his ball. The boy was very"


def c27_decode_reads_much_to_compute_little(context: ExperimentContext) -> Finding:
    """A prefill and a decode step under the ceilings of this device."""
    work = measure_roofline(context.lm, (N_PROMPT,), (1,), n_past=N_PROMPT, n_passes=3)
    roofline = finish(work)
    read = next(point for point in roofline.points if point.phase == "prefill")
    step = next(point for point in roofline.points if point.phase == "decode")
    top = roofline.ceilings
    bound = step.bound(top)
    return finding(
        True if bound == "memory" else "holds partly",
        "A decode step computes {step} FLOPs for each byte it reads, a prefill of {n} tokens "
        "{read}. Here decode is {bound}-bound: MBU {mbu}, MFU {mfu}.",
        "It reads much to compute little all the same, but this model is so small that something "
        "else binds first.",
        step=(step.intensity, "number"),
        n=(N_PROMPT, "count"),
        read=(read.intensity, "number"),
        bound=(bound, "text"),
        mbu=(step.mbu(top), "fraction"),
        mfu=(step.mfu(top), "fraction"),
    )


def c28_a_batch_shares_the_weights(context: ExperimentContext) -> Finding:
    """Tokens per second alone and in a batch."""
    rates = {}
    for n_rows in (1, BATCH):
        batch = Batch(context.lm, [random_ids(context.lm, N_PROMPT)] * n_rows)
        seconds = [batch.append([7] * n_rows) for _ in range(N_STEPS)]
        rates[n_rows] = n_rows / median(seconds[1:])
    gain = rates[BATCH] / rates[1]
    return finding(
        True if gain > 1.3 else "holds partly",
        "{n} texts in one batch give {many} tokens per second, one alone {one}: {gain} as many.",
        "On this device arithmetic binds early, so a batch gains little.",
        n=(BATCH, "count"),
        many=(rates[BATCH], "number"),
        one=(rates[1], "number"),
        gain=(gain, "ratio"),
    )


def c29_output_costs_more(context: ExperimentContext) -> Finding:
    """The price of a token in and of a token out, from measured times."""
    ids = random_ids(context.lm, 2 * N_PROMPT)

    def read() -> float:
        return Batch(context.lm, [ids]).seconds / len(ids)

    batch = Batch(context.lm, [ids])
    seconds_in = context.seconds(read)
    seconds_out = context.seconds(lambda: batch.append([7]))
    prices = price_tokens(PRICE, seconds_in, seconds_out)
    return finding(
        True if prices.ratio > 1 else "does not hold",
        "From measured times an output token costs {ratio} what an input token does; holding the "
        "answers of {n_in} tokens in to {budget} of {n_out} tokens out saves {saved}.",
        ratio=(prices.ratio, "ratio"),
        n_in=(100, "count"),
        n_out=(500, "count"),
        budget=(100, "count"),
        saved=(saved_by_budget(prices, 100, 500, 100), "fraction"),
    )


def c30_one_pass_for_a_score(context: ExperimentContext) -> Finding:
    """Three answers scored at once against one answer written."""
    scoring = finish(score_and_write(context.lm, BALL, ["sad", "happy", "made of stone"], 20))
    best = max(scoring.choices, key=lambda choice: choice.share)
    scored, written = scoring.score_seconds.median, scoring.written.seconds
    return finding(
        True if scored < written else "holds partly",
        "One pass scored {n} answers in {scored} and picks “{best}”; writing an answer of {tokens} "
        "tokens took {written}.",
        "On this device so short an answer is written as fast.",
        n=(len(scoring.choices), "count"),
        scored=(scored, "seconds"),
        best=(best.text, "text"),
        tokens=(scoring.written.n_out, "count"),
        written=(written, "seconds"),
    )
