"""The two phases on tiny models: passes counted, requests timed, slices stopped, texts replayed."""

from __future__ import annotations

import time
import weakref
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
import torch

from model.batch import Batch
from model.fast.cuda_decode import StaticDecode
from model.fast.engines import BY_HAND, PLAIN, STATIC, engine_names, make_engine
from model.prefill_decode import ceilings, experiments
from model.prefill_decode.batching import BatchExperiment
from model.prefill_decode.experiments import (
    Answering,
    Choose,
    PhaseExperiment,
    Writing,
    best_that_goes_on,
    swap_lengths,
)
from model.prefill_decode.records import Request
from model.prefill_decode.roofline import RooflineExperiment
from model.timing import one_at_a_time
from model.tokenizing import random_ids
from pages.lessons.prefill_decode.state import PartRun, PhaseLesson, Playing
from tests.tiny_models import tiny
from viz.prefill_decode.latency_charts import phase_ratio, phase_rows
from viz.prefill_decode.phase_charts import pace_figure

PROMPT = [5, 6, 7, 8]


class Clockwork:
    """An experiment of three passes, of which the second may fail."""

    def __init__(self, failure: Exception | None = None) -> None:
        self.n_done, self.n_total, self.doing, self.is_done = 0, 3, "ticking", False
        self.failure = failure

    def advance(self) -> None:
        if self.n_done == 1 and self.failure is not None:
            raise self.failure
        self.n_done += 1
        self.is_done = self.n_done == self.n_total


def small(engine: str = PLAIN) -> PhaseExperiment:
    return PhaseExperiment(tiny("llama"), engine, swap=(3, 12), lengths=(4, 8, 99))


def run(experiment: PhaseExperiment) -> PhaseExperiment:
    while not experiment.is_done:
        experiment.advance()
    return experiment


def test_a_request_is_one_prefill_and_one_pass_for_each_further_token() -> None:
    lm = tiny("llama")
    lengths: list[int] = []
    hook = lm.model.register_forward_pre_hook(
        lambda _model, _args, given: lengths.append(given["input_ids"].shape[1]), with_kwargs=True
    )
    try:
        writing = Writing(make_engine(lm, PLAIN, 20), PROMPT, best_that_goes_on(lm))
        for _ in range(6):
            writing.advance()
    finally:
        hook.remove()
    assert lengths == [4, 1, 1, 1, 1, 1]
    assert writing.request.n_out == 6
    assert len(writing.request.gaps) == 5


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

    writing = Writing(SlowToHandOver(), PROMPT, choose)
    for _ in range(3):
        started = time.perf_counter()
        writing.advance()
        assert 0.03 <= writing.waits[-1] <= time.perf_counter() - started
    request = writing.request
    assert (request.first_seconds, *request.gaps) == tuple(writing.waits)


def test_an_answer_warms_up_and_ends_at_its_end_its_length_or_its_time() -> None:
    lm = tiny("llama")
    end = min(lm.end_ids)

    def answering(choose: Choose, n_out: int = 4, seconds: float = 60.0) -> Answering:
        answer = Answering(lm, make_engine(lm, PLAIN, 20), PROMPT, choose, n_out, seconds)
        while not answer.is_done:
            answer.advance()
        return answer

    whole = answering(lambda _logits, _ids: 7)
    assert whole.writing.token_ids == [7] * 4
    assert whole.n_done == whole.n_total
    ended = answering(lambda _logits, ids: end if len(ids) > len(PROMPT) else 7)
    assert ended.writing.token_ids == [7, end]
    assert answering(lambda _logits, _ids: 7, seconds=0.0).writing.token_ids == [7]


@pytest.mark.parametrize("engine", [PLAIN, BY_HAND])
def test_the_run_reads_all_lengths_and_answers_both_requests(engine: str) -> None:
    result = run(small(engine)).result
    assert [reading.n_tokens for reading in result.readings] == [4, 8]
    assert {reading.seconds.n for reading in result.readings} == {experiments.N_READINGS}
    assert {(r.n_in, r.n_out) for r in result.long_in} == {(12, 3)}
    assert {(r.n_in, r.n_out) for r in result.long_out} == {(3, 12)}
    assert result.engine == engine
    assert all(second > 0 for r in result.long_out for second in (r.first_seconds, *r.gaps))
    assert len(result.warmup) == 2 * experiments.N_WARM


def test_progress_ends_at_its_total() -> None:
    experiment = small()
    seen = []
    while not experiment.is_done:
        experiment.advance()
        seen.append(experiment.n_done)
    assert seen == sorted(seen)
    assert seen[-1] == experiment.n_total


def test_no_further_round_begins_after_enough_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(experiments, "ENOUGH_SECONDS", 0.0)
    result = run(small()).result
    assert (len(result.long_in), len(result.long_out)) == (1, 1)
    assert {reading.seconds.n for reading in result.readings} == {experiments.FEWEST}


def test_a_run_that_is_stopped_shows_the_request_that_it_was_at() -> None:
    experiment = small()
    while experiment.writing is None or len(experiment.writing.waits) < 2:
        experiment.advance()
    result = experiment.result
    assert [r.n_out for r in result.long_in] == [2]
    assert result.long_out == ()


def test_a_run_that_is_stopped_after_any_pass_is_drawn_or_not_shown() -> None:
    experiment, shown, unseen = small(), [], 0
    lesson = PhaseLesson(experiment.lm, experiment.lm)
    lesson.begin("phases", experiment)
    while not experiment.is_done:
        experiment.advance()
        pace_figure(experiment.result)
        if lesson.phases is None:
            unseen += 1
            continue
        assert phase_rows(lesson.phases)
        shown.append(phase_ratio(lesson.phases))
    assert min(shown) > 0
    # until the second request has a gap: warm-up, readings, the first request, its first token
    assert unseen == 2 * experiments.N_WARM + 2 * experiments.N_READINGS + 3 + 1


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
        PhaseExperiment(tiny("llama"), PLAIN, swap=(1, 9))


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
    for architecture in ("mistral", "mamba"):
        with pytest.raises(ValueError, match="does not keep all positions"):
            StaticDecode(tiny(architecture), 16)


def test_a_slice_ends_with_its_time_and_a_run_with_its_passes() -> None:
    run_of_three = PartRun(Clockwork())
    run_of_three.slice(0.0)
    assert run_of_three.work.n_done == 0
    run_of_three.slice(10.0)
    assert (run_of_three.is_running, run_of_three.was_stopped) == (False, False)
    stopped = PartRun(Clockwork())
    stopped.stop()
    assert stopped.was_stopped


@pytest.mark.parametrize(
    ("failure", "said"),
    [
        (ValueError("One sentence."), "One sentence."),
        (MemoryError(), "The memory ran out"),
        (torch.OutOfMemoryError("CUDA out of memory."), "The memory ran out"),
        (RuntimeError("no kernel image."), "It failed on the way (no kernel image)"),
    ],
)
def test_what_fails_ends_the_run_and_keeps_what_was_measured(failure: Exception, said: str) -> None:
    failed = PartRun(Clockwork(failure))
    failed.slice(10.0)
    assert not failed.is_running
    assert failed.work.n_done == 1
    assert said in (failed.notice or "")
    assert (failed.notice or "").endswith(".")


@pytest.mark.parametrize("kind", [BatchExperiment, RooflineExperiment])
def test_a_run_that_is_stopped_gives_its_caches_back(
    kind: type[BatchExperiment | RooflineExperiment], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(ceilings, "_COPIED", {"cpu": 1 << 20})
    monkeypatch.setattr(ceilings, "_MULTIPLIED", {"cpu": 64})
    caches: list[weakref.ref[Batch]] = []
    read = Batch.read

    def seen(batch: Batch, *rows: Any) -> Any:
        caches.append(weakref.ref(batch))
        return read(batch, *rows)

    monkeypatch.setattr(Batch, "read", seen)
    run = PartRun(kind(tiny("llama"), batches=(1, 2), n_past=4))
    while len(caches) < 2:
        run.work.advance()
    assert caches[-1]() is not None
    run.stop()
    assert caches[-1]() is None
    assert run.was_stopped


def test_a_slice_waits_for_its_turn_while_another_reader_measures() -> None:
    run = PartRun(Clockwork())
    with one_at_a_time():
        run.slice(10.0)
        assert (run.is_waiting, run.is_running, run.work.n_done) == (True, True, 0)
    run.slice(10.0)
    assert (run.is_waiting, run.is_running) == (False, False)


def test_a_page_measures_one_thing_at_a_time_and_forgets_with_the_model() -> None:
    lesson = PhaseLesson(tiny("llama"), tiny("llama"))
    lesson.begin("phases", Clockwork())
    lesson.begin("roofline", Clockwork())
    assert [lesson.is_running(part) for part in ("phases", "roofline", "batches")] == [
        False,
        True,
        False,
    ]
    assert (lesson.phases, lesson.roofline, lesson.batches, lesson.scoring) == (None,) * 4
    lesson.playing = Playing(Request(3, 0.1, (0.1,), (1, 2)), ("a", "ab"), 1e6)
    lesson.begin("batches", Clockwork())
    assert lesson.playing.is_over, "a replay would be timed with what is measured"
    assert (lesson.padding, lesson.energy) == (None, None)
    lesson.measure(tiny("gpt2"))
    assert (lesson.runs, lesson.is_measuring) == ({}, False)


def test_a_replay_shows_as_many_tokens_as_were_in_hand_by_then() -> None:
    request = Request(3, 0.1, (0.1, 0.1), (1, 2, 3))
    now = time.monotonic()
    shown = [
        Playing(request, ("a", "ab", "abc"), 10.0, started=now - ago).n_shown
        for ago in (0.5, 1.5, 2.5, 60)
    ]
    assert shown == [0, 1, 2, 3]
    assert Playing(request, ("a", "ab", "abc"), 10.0, started=now - 60).is_over
