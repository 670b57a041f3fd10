"""The claims of the two phases, on the shipped model, by the functions that the page shows.

What is timed is held to be there; what is counted is held to be right: no test here leans on the
clock.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import islice

import numpy as np
import pytest

from model.batch import Batch
from model.fast.engines import PLAIN, make_engine
from model.flops import count_flops, predict_flops
from model.generation import Generation
from model.job import finish
from model.loading import LanguageModel
from model.passes import prefill
from model.prefill_decode.batching import point_of, weight_bytes_read
from model.prefill_decode.cost import price_tokens, saved_by_budget
from model.prefill_decode.experiments import best_that_goes_on, measure_phases, request_of, stream
from model.prefill_decode.records import Request
from model.prefill_decode.roofline import measure_roofline
from model.prefill_decode.scoring import score_choices
from model.tokenizing import encode, random_ids
from tests.charts.drawn_charts import checked
from viz.prefill_decode.latency_charts import stream_figure
from viz.prefill_decode.phase_charts import swap_figure
from viz.prefill_decode.roofline_chart import verdict

PROMPT = "The cat sat on the"


@contextmanager
def passes_of(lm: LanguageModel) -> Iterator[list[int]]:
    """The passes of a model while the block runs: the tokens that each of them read."""
    lengths = list[int]()
    hook = lm.model.register_forward_pre_hook(
        lambda _model, _args, given: lengths.append(given["input_ids"].numel()), with_kwargs=True
    )
    yield lengths
    hook.remove()


def written(lm: LanguageModel, n_in: int, n_out: int) -> Request:
    engine = make_engine(lm, PLAIN, n_in + n_out)
    writing = stream(engine, random_ids(lm, n_in), best_that_goes_on(lm))
    return request_of(n_in, list(islice(writing, n_out)))


@pytest.mark.parametrize("n_out", [1, 5, 20])
def test_c03_n_tokens_out_are_n_passes_one_after_another(
    storyteller: LanguageModel, n_out: int
) -> None:
    with passes_of(storyteller) as lengths:
        request = written(storyteller, 12, n_out)
    assert lengths == [12] + [1] * (n_out - 1)
    assert request.n_out == n_out
    assert request.seconds == request.first_seconds + sum(request.gaps)


def test_c08_the_first_token_is_in_hand_long_before_the_whole(storyteller: LanguageModel) -> None:
    request = written(storyteller, 6, 15)
    streamed, whole = checked(stream_figure(request, "here")).data
    assert streamed.x[1] == request.first_seconds < whole.x[1] == pytest.approx(request.seconds)


def test_c22_a_prompt_is_one_pass_whose_arithmetic_shares_one_reading_of_the_weights(
    storyteller: LanguageModel,
) -> None:
    ids = random_ids(storyteller, 64)
    with passes_of(storyteller) as lengths:
        result = finish(measure_phases(storyteller, PLAIN, swap=(4, 16), lengths=(16,)))
    assert lengths.count(16) >= result.readings[0].seconds.n, "each reading was one pass"
    assert all(second > 0 for second in result.readings[0].seconds.seconds)
    # per token, prefill reads a 64th of the weights that a decode step reads
    read = point_of(storyteller, 1, 64, 0, [1.0], 0, PLAIN)
    step = point_of(storyteller, 1, 1, 64, [1.0], 0, PLAIN)
    assert read.weight_bytes == step.weight_bytes == 4 * storyteller.n_parameters
    one_pass, _ = prefill(storyteller, ids, None)
    assert one_pass.shape == (storyteller.vocab_size,)


def test_c23_as_many_tokens_but_far_more_passes_when_they_come_out(
    storyteller: LanguageModel,
) -> None:
    with passes_of(storyteller) as reading:
        much_in = written(storyteller, 60, 5)
    with passes_of(storyteller) as writing:
        much_out = written(storyteller, 5, 60)
    assert (len(reading), len(writing)) == (5, 60)
    chart = swap_figure([much_in, much_out], "here")
    assert "As many tokens in all, but 60 in and 5 out took" in chart.caption
    prefills, decodes = checked(chart).data
    assert list(prefills.x) == [much_in.first_seconds, much_out.first_seconds]
    assert decodes.x[1] == pytest.approx(sum(much_out.gaps))


def test_c27_decode_does_little_arithmetic_for_each_byte_and_the_page_says_what_binds(
    storyteller: LanguageModel,
) -> None:
    roofline = finish(measure_roofline(storyteller, (64,), (1,), n_past=32, n_passes=2))
    read, step = roofline.points[0], roofline.points[-1]
    assert step.intensity < 0.6, "two operations for each number of four bytes"
    assert read.intensity > 40 * step.intensity
    assert step.mbu(roofline.ceilings) > 0
    assert read.mfu(roofline.ceilings) > 0
    words = verdict(roofline)
    for sentence in ("Prefill of 64: ", "Decode, batch 1: ", "MBU", "MFU"):
        assert sentence in words
    counted = count_flops(lambda: prefill(storyteller, random_ids(storyteller, 64), None)).linear
    assert counted == predict_flops(storyteller, 64, 0).linear


def test_c28_a_batch_shares_one_reading_of_the_weights(storyteller: LanguageModel) -> None:
    rows = [random_ids(storyteller, 12)] * 8
    with passes_of(storyteller) as lengths:
        batch = Batch(storyteller, rows)
        seconds = batch.append([7] * 8)
    assert lengths == [96, 8], "eight tokens in one pass"
    assert seconds > 0
    assert batch.logits.shape == (8, storyteller.vocab_size)
    assert np.abs(batch.logits - batch.logits[0]).max() < 1e-4
    per_token = [weight_bytes_read(storyteller, n) / n for n in (1, 8, 64)]
    assert per_token[0] == 8 * per_token[1] == 64 * per_token[2]


def test_c29_the_price_follows_the_measured_times(storyteller: LanguageModel) -> None:
    request = written(storyteller, 40, 10)
    seconds_in, seconds_out = request.first_seconds / 40, request.per_output or 0
    prices = price_tokens(2.0, seconds_in, seconds_out)
    assert prices.ratio == pytest.approx(seconds_out / seconds_in)
    saved = saved_by_budget(prices, 40, 1000, 100)
    whole = 40 * seconds_in + 1000 * seconds_out
    assert saved == pytest.approx(900 * seconds_out / whole)


def test_c30_a_score_for_every_choice_takes_one_pass_and_no_loop(
    storyteller: LanguageModel,
) -> None:
    prompt = encode(storyteller, "He lost his ball. The boy was very")
    choices = [
        storyteller.tokenizer(text, add_special_tokens=False)["input_ids"]
        for text in (" sad", " happy", " made of stone")
    ]
    with passes_of(storyteller) as lengths:
        scores, _ = score_choices(storyteller, prompt, choices)
    longest = max(map(len, choices))
    assert lengths == [3 * (len(prompt) + longest)], "one pass over all three"
    # the loop, forced along each choice, comes to the same
    for choice, score in zip(choices, scores, strict=True):
        text = Generation(storyteller, prompt)
        steps = [text.step(token_id=token_id) for token_id in choice]
        assert score == pytest.approx(sum(step.logprob for step in steps), abs=1e-3)
    assert scores[0] > scores[2]
