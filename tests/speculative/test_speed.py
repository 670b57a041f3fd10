"""Speed of speculative decoding: what the parts predict, and what is measured."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import pytest

from model.job import Job
from model.recorded import recorded_job
from model.speculative import timing
from model.speculative.decoding import (
    decode_baseline,
)
from model.speculative.drafting import (
    ModelDraft,
    PromptLookup,
    new_batch,
)
from model.speculative.records import Acceptance, Parts, RoundCost, SpeedReport
from tests.jobs import run_until
from tests.speculative.pairs import PROMPT, WIDTH, draft, speculation
from tests.tiny_models import generated, tiny

# What the parts predict


def test_tokens_of_a_round_and_the_textbooks_example_by_hand() -> None:
    assert timing.tokens_per_round([]) == 1
    assert timing.tokens_per_round([0.5, 0.4]) == pytest.approx(1 + 0.5 + 0.2)
    assert timing.tokens_per_round([0.8] * 4) == pytest.approx((1 - 0.8**5) / (1 - 0.8))
    assert timing.textbook_speed_up(1, 4, 0.1) == pytest.approx(
        0.250 / timing.TEXTBOOK_ROUND.seconds
    )


def test_the_prediction_adds_up_the_measured_parts() -> None:
    parts = Parts(
        decode_seconds=0.010,
        verify_seconds={1: 0.010, 2: 0.012, 3: 0.014},
        draft_seconds=0.001,
        overhead_seconds=0.002,
        acceptance=Acceptance(n_tested=(100, 60), n_accepted=(60, 30)),
    )
    assert parts.acceptance.by_place == (0.6, 0.5)
    assert parts.acceptance.rate == pytest.approx(90 / 160)
    assert timing.predict_speed_up(parts, 1) == pytest.approx(1.6 * 0.010 / 0.015)
    assert timing.predict_speed_up(parts, 2) == pytest.approx(1.9 * 0.010 / 0.018)
    assert timing.round_cost(parts, 2) == RoundCost(2, 0.001, 0.014, 0.010, 0.002, 1.9)


def test_a_plain_token_takes_its_share_of_the_time() -> None:
    """Two texts of 4 and 5 tokens in 8 and 20 seconds: 2 and 4 a token, 3 in the middle."""
    text = speculation(tiny("llama"), draft())
    rounds = [text.round(2)]
    samples = [
        timing._Sample(1, 0, rounds, 3, n, seconds, True) for n, seconds in ((4, 8), (5, 20))
    ]
    assert timing._parts(samples, samples).decode_seconds == 3
    copied = [speculation(tiny("llama"), PromptLookup(WIDTH), prompt=[5, 6, 5]).round(2)]
    without = [timing._Sample(1, 0, copied, 3, 4, 8, True)]
    assert timing._parts(without, without).draft_seconds == 0, "no model drafts"


def test_the_recording_has_every_length_of_a_round() -> None:
    recorded = recorded_job("spec_speed", SpeedReport)
    assert recorded is not None
    lengths = [speed.n_draft or timing.ADAPTIVE for speed in recorded.result.speeds]
    assert lengths == list(timing.LENGTHS)


def test_a_speed_up_is_the_median_over_the_runs_of_plain_seconds_over_these() -> None:
    rounds: Any = [SimpleNamespace(seconds=2.0)]
    runs = [timing._Sample(1, run, rounds, 3, 4, plain, True) for run, plain in enumerate((8, 4))]
    assert timing._speed_up(runs) == pytest.approx((4 + 2) / 2)


def test_proposals_are_counted_by_their_place_in_a_round() -> None:
    rounds: Any = [SimpleNamespace(n_tested=n, n_accepted=k) for n, k in ((3, 2), (1, 0), (2, 2))]
    counted = timing.acceptance_of(rounds, 4)
    assert (counted.n_tested, counted.n_accepted) == ((3, 2, 1, 0), (2, 2, 0, 0))


@pytest.mark.parametrize("n_prompt", [1, 2, 6])
def test_a_baseline_of_any_prompt_is_greedy(n_prompt: int) -> None:
    target, ids = tiny("llama"), PROMPT[:n_prompt]
    text, seconds = decode_baseline(new_batch(target), ids, 5)
    assert text == generated(target, ids, 5, target.end_ids)
    assert seconds > 0


def test_widths_that_were_not_timed_lie_between_those_that_were() -> None:
    filled = timing.fill({1: 1.0, 3: 2.0, 5: 4.0})
    assert [filled[width] for width in (1, 2, 3, 4, 5, 9)] == [1, 1.5, 2, 3, 4, 4]


def test_every_draft_length_writes_the_same_texts_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    timed, parts_of = list[timing._Sample](), timing._parts

    def parts(samples: Sequence[timing._Sample], own: Sequence[timing._Sample]) -> Parts:
        timed[:] = samples
        return parts_of(samples, own)

    monkeypatch.setattr(timing, "_parts", parts)
    prompts, lengths = [PROMPT, PROMPT[:3]], (1, 3, timing.ADAPTIVE)
    job = Job(timing.measure_speed(tiny("llama"), draft, prompts, 10, 2, lengths))
    n_ways = 1 + len(lengths) + 2  # plain, three lengths, right, wrong
    assert job.progress.n_total == (1 + 4) * n_ways
    # the second text begins with another length
    doing = {n_ways: "plain decoding", n_ways + 1: "3", n_ways + 2: "an adaptive draft"}
    for n_done, what in (doing | {2 * n_ways: "plain decoding"}).items():
        run_until(job, n_done)
        assert job.progress.doing == what
        assert bool(job.progress.look) == (n_done == 2 * n_ways), "once one is written in every way"
    run_until(job, 5 * n_ways)
    report = job.result
    assert [speed.n_draft for speed in report.speeds] == [1, 3, None]
    assert all(speed.is_same and speed.n_tokens == 40 for speed in report.speeds)
    assert all(speed.measured > 0 for speed in report.speeds)
    assert {(one.n_tokens, one.n_plain) for one in timed} == {(10, 10)}
    predicted = [timing.predict_speed_up(report.parts, n_draft) for n_draft in (1, 3)]
    assert [speed.predicted for speed in report.speeds] == [*predicted, None]
    rate, cost = report.parts.acceptance.rate, report.parts.draft_seconds
    cost /= report.parts.decode_seconds
    textbook = [timing.textbook_speed_up(rate, n_draft, cost) for n_draft in (1, 3)]
    assert [speed.textbook for speed in report.speeds] == [*textbook, None]
    assert report.extremes is not None
    assert report.n_runs == 2
    one, three, _ = report.speeds
    assert 0.5 < one.mean_drafted <= 1 < three.mean_drafted <= 3
    assert 1 <= one.tokens_per_round <= 1 + one.mean_drafted


@pytest.mark.parametrize(("extreme", "n_rounds"), [(timing.BEST, 2), (timing.WORST, 10)])
def test_the_extremes_are_all_right_and_all_wrong(extreme: timing.Length, n_rounds: int) -> None:
    target = tiny("llama")
    truth, _ = timing._write(target, draft(), 1, PROMPT, [], 10)
    text, rounds = timing._write(target, draft(), extreme, PROMPT, truth, 10)
    assert text == truth
    assert len(rounds) == n_rounds, "rounds of four proposals and one token more"


def test_a_report_counts_what_was_tested() -> None:
    target = tiny("llama")
    makers = [lambda: ModelDraft(target, WIDTH), lambda: PromptLookup(WIDTH)]
    prompts = [PROMPT, PROMPT[:3], PROMPT[1:]]
    progress: list[tuple[int, int]] = []
    work = timing.compare_drafts(target, makers, prompts, 10, 4)
    try:
        while True:
            step = next(work)
            progress.append((step.n_done, step.n_total))
    except StopIteration as done:
        itself, lookup = done.value
    assert progress == [(n, 6) for n in range(6)]
    assert (itself.n_rounds, itself.n_tokens, itself.acceptance.rate) == (6, 30, 1)
    assert itself.acceptance.n_tested == (6, 6, 6, 6)
    assert lookup.name == "prompt lookup"
