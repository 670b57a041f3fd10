"""Both phases on tiny models: passes counted, requests timed, jobs stopped, texts replayed."""

from __future__ import annotations

import time
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

from model.batch import Batch
from model.fast.cuda_decode import StaticDecode
from model.fast.engines import BY_HAND, PLAIN, STATIC, engine_names, make_engine
from model.job import Job, Progress, Work, finish
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
from model.prefill_decode.records import PhaseRun, Request
from model.prefill_decode.roofline import measure_roofline
from model.tokenizing import random_ids
from pages.lessons.prefill_decode.state import PhaseLesson, Replay
from tests.jobs import run_until
from tests.tiny_models import tiny
from viz.prefill_decode.latency_charts import phase_ratio, phase_rows
from viz.prefill_decode.phase_charts import pace_figure

PROMPT = [5, 6, 7, 8]


def small(engine: str = PLAIN) -> Work[PhaseRun]:
    return measure_phases(tiny("llama"), engine, swap=(3, 12), lengths=(4, 8, 99))


class SlowToHandOver:
    """An engine whose passes say that they took no time, and whose logits come late."""

    name, trials = "slow", ()

    def prepare(self) -> Iterator[str]:
        return iter(())

    def prefill(self, _ids: object) -> tuple[np.ndarray, float]:
        time.sleep(0.02)
        return np.zeros(9, dtype=np.float32), 0.0

    def decode(self, _token_id: int) -> tuple[np.ndarray, float]:
        return self.prefill(())


def test_a_wait_lasts_until_the_id_is_known_and_not_until_the_pass_has_run() -> None:
    def choose(logits: np.ndarray, _ids: object) -> int:
        time.sleep(0.01)
        return int(logits.argmax())

    writing = stream(SlowToHandOver(), PROMPT, choose)
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


@pytest.mark.parametrize("engine", [PLAIN, BY_HAND])
def test_the_run_reads_all_lengths_and_answers_both_requests(engine: str) -> None:
    result = finish(small(engine))
    assert [reading.n_tokens for reading in result.readings] == [4, 8]
    assert {reading.seconds.n for reading in result.readings} == {experiments.N_READINGS}
    assert {(r.n_in, r.n_out) for r in result.long_in} == {(12, 3)}
    assert {(r.n_in, r.n_out) for r in result.long_out} == {(3, 12)}
    assert result.engine == engine
    assert all(second > 0 for r in result.long_out for second in (r.first_seconds, *r.gaps))
    assert len(result.warmup) == 2 * experiments.N_WARM


def test_no_further_round_begins_after_enough_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "ENOUGH_SECONDS", 0.0)
    result = finish(small())
    assert (len(result.long_in), len(result.long_out)) == (1, 1)
    assert {reading.seconds.n for reading in result.readings} == {experiments.MIN_READINGS}


def test_a_run_counts_every_pass_and_is_drawn_or_not_shown_after_each() -> None:
    shown, unseen = [], 0
    for n_done, progress in enumerate(small()):
        assert progress.n_done == n_done
        assert progress.look is not None
        run = progress.look()
        pace_figure(run)
        if run.has_both_phases:
            assert phase_rows(run)
            shown.append(phase_ratio(run))
        else:
            unseen += 1
            # the request that it was at counts as long as no other ran whole
            assert [r.n_out for r in run.long_in] in ([], [1], [2], [3])
    assert progress.n_total == n_done + 1
    assert min(shown) > 0
    # until the second request has a gap: warm-up, readings, the first request, its first token
    assert unseen == 2 * experiments.N_WARM + 2 * experiments.N_READINGS + 3 + 2


def test_no_answer_of_the_two_requests_ends_early() -> None:
    lm = tiny("llama")
    logits = np.zeros(lm.vocab_size, dtype=np.float32)
    logits[list(lm.end_ids)] = 9
    logits[7] = 5
    assert best_that_goes_on(lm)(logits, []) == 7
    assert logits[list(lm.end_ids)].max() == 9, "the logits are left as they were"
    assert not set(random_ids(lm, 500)) & lm.end_ids


def test_a_short_context_gets_shorter_requests_or_one_sentence() -> None:
    assert swap_lengths(tiny("llama")) == (24, 72)
    assert swap_lengths(tiny("bloom")) == (50, 1000)
    with pytest.raises(ValueError, match="longer context"):
        next(measure_phases(tiny("llama"), PLAIN, swap=(1, 9)))


def test_engines_are_those_that_run_here_and_refuse_in_one_sentence() -> None:
    assert engine_names(tiny("llama")) == (PLAIN, BY_HAND)
    assert engine_names(tiny("gpt2")) == (PLAIN,)
    with pytest.raises(ValueError, match="cannot run by"):
        make_engine(tiny("llama"), STATIC, 8)
    with pytest.raises(ValueError, match="takes no cache"):
        make_engine(tiny("openai_gpt"), PLAIN, 8)


def test_the_static_step_is_chosen_by_measurement_and_says_what_failed() -> None:
    steps = StaticDecode(tiny("llama"), 16)
    assert [doing.split()[2] for doing in steps.prepare()] == ["plain", "graph", "compiled"]
    assert steps.way == "plain"
    assert [t.reason for t in steps.trials] == ["", "needs a CUDA device", "needs a CUDA device"]
    assert (steps.trials[0].step_seconds or 0) > 0
    with pytest.raises(ValueError, match="0 of 16"):
        steps.decode(5)
    with pytest.raises(ValueError, match="room for 16"):
        steps.prefill(list(range(17)))


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


def test_a_page_measures_one_thing_at_a_time_and_forgets_with_the_model() -> None:
    def tick() -> Work[int]:
        yield from (Progress(n, 3) for n in range(3))
        return 3

    lesson = PhaseLesson(tiny("llama"), tiny("llama"))
    lesson.jobs["first"] = lesson.start(tick())
    lesson.replay = Replay(Request(3, 0.1, (0.1,), (1, 2)), ("a", "ab"), 1e6)
    lesson.jobs["second"] = lesson.start(tick())
    assert [job.is_running for job in lesson.jobs.values()] == [False, True]
    assert lesson.replay.is_over, "a replay would be timed with what is measured"
    assert lesson.phases is None
    run_until(lesson.jobs["second"], 99)
    assert lesson.found("second") == 3
    lesson.measure(tiny("gpt2"))
    assert (lesson.jobs, lesson.is_measuring, lesson.replay) == ({}, False, None)


def test_a_replay_shows_as_many_tokens_as_were_in_hand_by_then() -> None:
    request = Request(3, 0.1, (0.1, 0.1), (1, 2, 3))
    now = time.monotonic()
    shown = [
        Replay(request, ("a", "ab", "abc"), 10.0, started=now - ago).n_shown
        for ago in (0.5, 1.5, 2.5, 60)
    ]
    assert shown == [0, 1, 2, 3]
    assert Replay(request, ("a", "ab", "abc"), 10.0, started=now - 60).is_over
