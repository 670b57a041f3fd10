"""Both phases: passes counted, requests timed, jobs stopped, texts replayed, engines compared."""

import time
import weakref
from collections.abc import Callable
from itertools import islice
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from model.batch import Batch
from model.fast.engines import MANUAL, PLAIN, STATIC, engine_names, make_engine
from model.job import Job, Work, finish
from model.loading import LanguageModel
from model.prefill_decode import experiments
from model.prefill_decode.batching import measure_batches
from model.prefill_decode.experiments import (
    Choose,
    answer,
    best_that_goes_on,
    measure_phases,
    stream,
    swap_lengths,
)
from model.prefill_decode.records import PhaseRun, RequestTiming
from model.prefill_decode.roofline import measure_roofline
from model.tokenizing import random_ids
from pages.lessons.prefill_decode.stream import lanes_of
from tests.tiny_models import generated, passes_of, tiny
from viz.prefill_decode.latency_charts import phase_ratio, phase_rows
from viz.prefill_decode.phase_charts import pace_figure

PROMPT = [5, 6, 7, 8]


def small(engine: str = PLAIN) -> Work[PhaseRun]:
    return measure_phases(tiny("llama"), engine, swap=(3, 12), lengths=(4, 8, 99))


def test_a_wait_lasts_until_the_id_is_known_and_not_until_the_pass_has_run() -> None:
    def late(_: object) -> tuple[np.ndarray, float]:
        """A pass that says that it took no time, and whose logits come late."""
        time.sleep(0.02)
        return np.zeros(9, dtype=np.float32), 0.0

    def choose(logits: np.ndarray, _ids: object) -> int:
        time.sleep(0.01)
        return int(logits.argmax())

    writing = stream(SimpleNamespace(prefill=late, decode=late), PROMPT, choose)
    for _ in range(3):
        started = time.perf_counter()
        _, wait = next(writing)
        assert 0.03 <= wait <= time.perf_counter() - started


def test_an_answer_warms_up_and_ends_at_its_end_its_length_or_its_time() -> None:
    lm = tiny("llama")
    end = min(lm.end_ids)

    def written(choose: Choose, n_out: int = 4, seconds: float = 60.0) -> tuple[int, ...]:
        engine = make_engine(lm, PLAIN, 20)
        return finish(answer(lm, engine, PROMPT, choose, n_out, seconds)).token_ids

    assert written(lambda _logits, _ids: 7) == (7,) * 4
    assert written(lambda _logits, ids: end if len(ids) > len(PROMPT) else 7) == (7, end)
    assert written(lambda _logits, _ids: 7, seconds=0.0) == (7,)


@pytest.mark.parametrize(("n_in", "n_out"), [(12, 1), (60, 5), (5, 60)])
def test_c03_c23_n_tokens_out_are_n_passes_one_after_another(
    storyteller: LanguageModel, n_in: int, n_out: int
) -> None:
    engine = make_engine(storyteller, PLAIN, n_in + n_out)
    with passes_of(storyteller) as read:
        writing = stream(engine, random_ids(storyteller, n_in), best_that_goes_on(storyteller))
        written = [token_id for token_id, _ in islice(writing, n_out)]
    assert [len(ids) for ids in read] == [n_in] + [1] * (n_out - 1)
    assert [ids[0] for ids in read[1:]] == written[:-1]
    ends = storyteller.end_ids
    certain = np.eye(storyteller.vocab_size, dtype=np.float32)[min(ends)]
    chosen = best_that_goes_on(storyteller)(certain, [])
    assert not {*written, *read[0], chosen} & ends, "no answer ends early"


@pytest.mark.parametrize("engine", [PLAIN, MANUAL])
def test_c22_a_run_reads_each_prompt_in_one_pass_and_is_drawn_or_not_shown_after_each(
    engine: str,
) -> None:
    with passes_of(tiny("llama")) as read:
        for n_done, progress in enumerate(small(engine)):
            assert progress.n_done == n_done
            assert progress.look is not None
            run = progress.look()
            pace_figure(run)
            if run.has_both_phases:
                assert phase_rows(run)
                assert phase_ratio(run) > 0
            else:  # the request that it was at counts as long as no other ran whole
                assert [r.n_out for r in run.long_in] in ([], [1], [2], [3])
    assert progress.n_total == n_done + 1
    run = progress.look()
    assert run.engine == engine
    assert [reading.n_tokens for reading in run.readings] == [4, 8]
    for reading in run.readings:
        n_passes = sum(len(ids) == reading.n_tokens for ids in read)
        assert n_passes == reading.seconds.n == experiments.N_READINGS
    assert {(r.n_in, r.n_out) for r in run.long_in} == {(12, 3)}
    assert {(r.n_in, r.n_out) for r in run.long_out} == {(3, 12)}
    assert all(second > 0 for r in run.long_out for second in (r.first_seconds, *r.gaps))


def test_no_further_round_begins_after_enough_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "ENOUGH_SECONDS", 0.0)
    result = finish(small())
    assert (len(result.long_in), len(result.long_out)) == (1, 1)
    assert {reading.seconds.n for reading in result.readings} == {experiments.MIN_READINGS}


def test_a_short_context_gets_shorter_requests_or_one_sentence() -> None:
    assert swap_lengths(tiny("llama")) == (24, 72)
    assert swap_lengths(tiny("bloom")) == (50, 1000)
    with pytest.raises(ValueError, match="longer context"):
        next(measure_phases(tiny("llama"), PLAIN, swap=(1, 9)))


def test_engines_are_those_that_run_here_and_refuse_in_one_sentence() -> None:
    assert engine_names(tiny("llama")) == (PLAIN, MANUAL)
    assert engine_names(tiny("gpt2")) == (PLAIN,)
    with pytest.raises(ValueError, match="cannot run by"):
        make_engine(tiny("llama"), STATIC, 8)
    with pytest.raises(ValueError, match="takes no cache"):
        make_engine(tiny("openai_gpt"), PLAIN, 8)


@pytest.mark.oracle
@pytest.mark.parametrize("architecture", ["gpt2", "gemma2", "storyteller"])
def test_every_engine_writes_what_generate_writes(
    architecture: str, storyteller: LanguageModel
) -> None:
    lm = storyteller if architecture == "storyteller" else tiny(architecture)
    expected = generated(lm, PROMPT, 12)[len(PROMPT) :]
    for name in engine_names(lm):
        writing = stream(make_engine(lm, name, 20), PROMPT, lambda logits, _: int(logits.argmax()))
        assert [token_id for token_id, _ in islice(writing, 12)] == expected, name


@pytest.mark.parametrize("measure", [measure_batches, measure_roofline])
def test_a_job_that_is_stopped_gives_its_caches_back(
    measure: Callable[..., Work[Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    caches: list[weakref.ref[Batch]] = []
    read = Batch.read

    def seen(batch: Batch, *rows: Any) -> Any:
        caches.append(weakref.ref(batch))
        return read(batch, *rows)

    monkeypatch.setattr(Batch, "read", seen)
    job = Job(measure(tiny("llama"), batches=(1, 2), n_past=4))
    while len({id(cache()) for cache in caches}) < 2:
        job.run_for(1e-5)
    assert caches[-1]() is not None
    job.stop()
    assert caches[-1]() is None
    assert not job.is_done


def test_both_lanes_of_an_answer_take_as_long_and_one_is_silent_until_its_end() -> None:
    request = RequestTiming(3, 0.1, (0.1, 0.2), (1, 2, 3))
    streamed, whole = lanes_of(request, ("", "a", "ab", "abc"))
    assert streamed.seconds == whole.seconds == pytest.approx(0.4)
    assert streamed.arrivals == pytest.approx((0.1, 0.2, 0.4))
    assert set(whole.arrivals) == {request.seconds}
    assert streamed.texts == whole.texts == ("", "a", "ab", "abc")
    assert lanes_of(request, ())[1].texts == ()
