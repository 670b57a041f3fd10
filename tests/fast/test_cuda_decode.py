"""The captured step without a GPU: recorded and replayed op by op, as a graph would, on the CPU.

The stand-in for CUDA's graph keeps the operations of a step and the tensors they met, and a replay
runs them again on the same tensors with no line of Python between: what a graph does, and what goes
wrong with one, goes wrong with it as well.
"""

import weakref
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import replace
from functools import partial
from threading import Event, Lock
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from transformers.cache_utils import StaticLayer

from benchmarks.record import by_quickest
from model import passes
from model.fast import cuda_decode, engines
from model.fast.cuda_decode import StaticDecode, check_same, runs_static
from model.fast.engines import MANUAL, PLAIN, STATIC, engine_names, make_engine
from model.flops import predict_flops
from model.job import Job, Progress, finish
from model.loading import LanguageModel, load_model
from model.passes import PassError
from model.prefill_decode import roofline
from model.prefill_decode.batching import measure_batches
from model.prefill_decode.experiments import measure_phases
from model.prefill_decode.roofline import measure_floors
from tests.nightly import by_night
from tests.tiny_models import ARCHITECTURES, fresh_logits, passes_of, tiny

PROMPT = [5, 6, 7, 8, 9]


class Tape(TorchDispatchMode):
    """Keeps each operation with its tensors while it is on; replays them on those tensors."""

    def __init__(self) -> None:
        super().__init__()
        self.ops: list[tuple[Any, Any, Any, Any]] = []

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        made = func(*args, **(kwargs or {}))
        self.ops.append((func, args, kwargs or {}, made))
        return made

    @torch.inference_mode()
    def replay(self) -> None:
        for func, args, kwargs, made in self.ops:
            again = func(*args, **kwargs)
            pairs = zip(made, again, strict=True) if isinstance(made, tuple) else [(made, again)]
            for old, new in pairs:
                if isinstance(old, torch.Tensor) and old.data_ptr() != new.data_ptr():
                    old.copy_(new)


@contextmanager
def recorded(tape: Tape, **_: object) -> Iterator[None]:
    with tape:
        yield


@pytest.fixture
def graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A CPU that takes itself for a GPU: graphs, and counts that lie on another device at first."""
    for module in (cuda_decode, engines):
        monkeypatch.setattr(module, "has_graphs", lambda _: True)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda *_: None)
    monkeypatch.setattr(torch.cuda, "device", lambda _: nullcontext())
    monkeypatch.setattr(torch.cuda, "CUDAGraph", Tape)
    monkeypatch.setattr(torch.cuda, "graph", recorded)
    moved = StaticLayer.lazy_initialization

    def initialise(layer: StaticLayer, keys: torch.Tensor, values: torch.Tensor) -> None:
        moved(layer, keys, values)
        layer.cumulative_length = layer.cumulative_length.clone()

    monkeypatch.setattr(StaticLayer, "lazy_initialization", initialise)


@pytest.fixture
def compiles(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Counts what is compiled, by the half of the compiler that needs no C."""
    real, seen = torch.compile, []

    def backend(graph: Any, _: object) -> Any:
        seen.append(1)
        return graph.forward

    def compile_here(step: Any, *, options: dict[str, Any], **given: Any) -> Any:
        compiler = torch._TorchCompileInductorWrapper(None, options, dynamic=False)
        assert compiler.config["coordinate_descent_tuning"], "the real one knows these options"
        return real(step, backend=backend, **given)

    monkeypatch.setattr(torch, "compile", compile_here)
    # the tape would keep it from compiling, so here the capture runs and the step is called again
    monkeypatch.setattr(torch.cuda, "CUDAGraph", object)
    monkeypatch.setattr(torch.cuda, "graph", lambda *_, **__: nullcontext())
    capture = StaticDecode._capture
    monkeypatch.setattr(StaticDecode, "_capture", lambda steps, step: capture(steps, step) and step)
    return seen


def prepared(lm: LanguageModel, ways: tuple[str, ...], n_rows: int = 1) -> StaticDecode:
    steps = StaticDecode(lm, 24, n_rows)
    list(steps.prepare(ways))
    return steps


@pytest.mark.oracle
@pytest.mark.usefixtures("graphs")
@pytest.mark.parametrize(
    ("architecture", "n_rows"),
    [("llama", 1), ("gpt2", 3), ("qwen3", 1), ("gpt_neox", 1), ("phi", 1), ("deepseek", 1)],
)
def test_a_captured_step_has_the_logits_of_a_pass_over_the_whole_text(
    architecture: str, n_rows: int
) -> None:
    lm = tiny(architecture)
    steps = prepared(lm, ("graph",), n_rows)
    assert (steps.way, steps.trials[0].reason) == ("graph", "")
    assert 0 <= (steps.trials[0].gap or 0) < 1e-5
    assert {len(layer.keys) for layer in steps._cache.layers} == {n_rows}
    with passes_of(lm) as read:
        for prompt in (PROMPT, PROMPT[::-1], PROMPT[:2]):  # the same cache, used again
            ids = list(prompt)
            logits, _ = steps.prefill(ids)
            for token_id in (20, 30, 40, 50):
                assert np.abs(logits - fresh_logits(lm, ids)).max() < 1e-5
                logits, _ = steps.decode(token_id)
                ids.append(token_id)
    assert len(read) == 3 * (1 + 4), "a prefill and the four passes that the test compares with"


@pytest.mark.nightly  # by day a captured step has the same logits, uncompiled
@pytest.mark.usefixtures("graphs")
def test_a_compiled_step_is_one_graph_compiled_once_for_each_size(compiles: list[int]) -> None:
    lock = Lock()

    def read() -> Any:
        with lock:  # a shipped model is read at its first use; no lock can be compiled
            return tiny("llama").model

    lm = tiny("llama")
    lm = replace(lm, local=replace(lm.weights, source=read))
    torch._dynamo.reset()
    with torch._dynamo.config.patch(recompile_limit=1):  # more are compiled than torch would
        for n_blocks in (1, 2):
            steps = StaticDecode(lm, 16 * n_blocks)
            list(steps.prepare(("compiled",)))
            assert steps.trials[0].reason == ""
            assert len(compiles) == n_blocks, "neither the warm-up nor the capture did it again"
    assert steps.trials[0].warmup_seconds > (steps.trials[0].step_seconds or 0)
    steps.prefill(PROMPT)
    logits, _ = steps.decode(20)
    assert np.abs(logits - fresh_logits(lm, [*PROMPT, 20])).max() < 1e-5


@pytest.mark.usefixtures("graphs")
def test_a_step_is_prepared_once_and_kept_with_its_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(StaticDecode.prepare, "__defaults__", (("plain", "graph"),))
    seen = tiny("llama")
    lm = replace(seen, local=replace(seen.weights))  # with nothing ready
    first, other = make_engine(lm, STATIC, 8), make_engine(lm, STATIC, 40)
    assert list(first.prepare())
    monkeypatch.setattr(StaticDecode, "_try", None)
    second = make_engine(lm, STATIC, 8)
    assert list(second.prepare()) == []
    assert second.trials is first.trials
    second.prefill(PROMPT)
    with pytest.raises(ValueError, match="Another measurement took"):
        first.decode(20)
    assert np.abs(second.decode(20)[0] - fresh_logits(lm, [*PROMPT, 20])).max() < 1e-5
    with pytest.raises(ValueError, match="use its own step"):
        list(other.prepare())
    gone = weakref.ref(lm)
    del lm, first, other, second
    assert gone() is None, "a step keeps its model's weights, and not the model that keeps it"


@pytest.mark.usefixtures("graphs")
def test_compiling_can_be_stopped_and_nobody_captures_meanwhile(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    seen = tiny("llama")
    lm, go_on = replace(seen, local=replace(seen.weights)), Event()
    monkeypatch.setattr(torch, "compile", lambda step, **_: lambda: go_on.wait() and step())
    job = Job(measure_phases(lm, STATIC, swap=(2, 8), lengths=(2,)))
    while "up to a minute" not in job.progress.doing:
        job.run_for(1e-5)
    logits, _ = passes.prefill(lm, PROMPT, None)  # a reader's pass goes on
    job.stop()
    assert not job.is_running
    assert not lm.weights.ready, "half of a step is not kept"
    steps = StaticDecode(lm, 24).prepare(("graph",))
    assert [next(steps) for _ in range(3)][1:] == ["waiting for another step to be compiled"] * 2
    go_on.set()
    assert set(steps) <= {"waiting for another step to be compiled"}
    assert np.abs(logits - fresh_logits(lm, PROMPT)).max() < 1e-5


@pytest.mark.usefixtures("graphs")
def test_a_batch_decodes_by_the_captured_step_or_where_it_is_refused_by_its_own(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    lm = tiny("llama")
    run = finish(measure_batches(lm, (1, 4), n_past=8, n_steps=2))
    assert [point.engine for point in run.points] == [STATIC, STATIC]
    assert run.points[1].flops == 4 * run.points[0].flops == 4 * predict_flops(lm, 1, 8).total
    monkeypatch.setattr(StaticDecode, "_forward", erring(position=1))
    monkeypatch.setattr(StaticDecode.prepare, "__defaults__", (("plain", "graph"),))
    run = finish(measure_batches(lm, (1, 4), n_past=8, n_steps=2))
    assert [point.engine for point in run.points] == [PLAIN, PLAIN]
    by_name = partial(measure_phases, replace(lm, local=replace(lm.weights)), swap=(2, 8))
    assert by_quickest(lm, by_name).engine == MANUAL


def test_without_a_gpu_the_step_is_plain_and_says_what_failed() -> None:
    steps = StaticDecode(tiny("llama"), 16)
    assert [doing.split()[2] for doing in steps.prepare()] == ["plain", "graph", "compiled"]
    assert steps.way == "plain"
    assert [t.reason for t in steps.trials] == ["", "needs a CUDA device", "needs a CUDA device"]
    assert (steps.trials[0].step_seconds or 0) > 0
    with pytest.raises(ValueError, match="0 of 16"):
        steps.decode(5)
    with pytest.raises(ValueError, match="room for 16"):
        steps.prefill(list(range(17)))


@pytest.mark.usefixtures("graphs")
def test_a_way_with_other_logits_or_none_is_not_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    def constant(steps: StaticDecode, step: Any) -> Any:
        """Captures nothing: the row of the token that was there is handed out again and again."""
        n_before = steps._n_tokens
        row = step().clone()
        steps._set_length(n_before)
        return lambda: row

    def breaks(*_: object) -> None:
        raise RuntimeError("operation not permitted when stream is capturing")

    for wrong, why in ((constant, "other logits"), (breaks, "stream is capturing")):
        monkeypatch.setattr(StaticDecode, "_capture", torch.inference_mode()(wrong))
        steps = prepared(tiny("llama"), ("graph", "plain"))
        assert steps.way == "plain"
        assert [t.step_seconds is None for t in steps.trials] == [True, False]
        assert why in steps.trials[0].reason
    with pytest.raises(ValueError, match="use its own step"):
        prepared(tiny("llama"), ("graph",))


def erring(position: int = 0, newest: int = 0) -> Any:
    """A step that takes its token for another one, or sees some columns more or less."""

    def forward(steps: StaticDecode) -> torch.Tensor:
        steps._position += newest
        mask = steps._mask()
        steps._position += position - newest
        row: torch.Tensor = steps.lm.model(
            input_ids=steps._token,
            attention_mask=mask,
            position_ids=steps._position,
            past_key_values=steps._cache,
            use_cache=True,
        ).logits[0, -1]
        return row

    return forward


@pytest.mark.parametrize("dtype", by_night(["float32", "float16", "bfloat16"], ["bfloat16"]))
def test_a_step_is_apart_by_rounding_alone_or_refused_however_coarse_the_numbers(
    dtype: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    lm = load_model("storyteller", "cpu", dtype)
    steps = prepared(lm, ("plain",))
    assert (steps.way, steps.trials[0].reason) == ("plain", "")
    for wrong in (
        erring(position=-1),
        erring(position=1),
        erring(newest=-1),  # blind to its own token
        erring(newest=1),  # sees what an earlier text left behind
    ):
        monkeypatch.setattr(StaticDecode, "_forward", wrong)
        with pytest.raises(ValueError, match=r"other logits than the model's own.*use its own"):
            prepared(lm, ("plain",))


def test_logits_far_from_zero_may_snap_to_the_next_number() -> None:
    exact = tiny("llama")
    lm = replace(exact, local=replace(exact.weights, dtype=torch.bfloat16))
    # by hand: a spread of 1 and .03 of it; around 128 two numbers of bfloat16 are 1 apart
    truth = np.array([[127.0, 129.0, 127.0, 129.0]], dtype=np.float32)
    near, far = truth + np.float32(0.17), truth + np.float32(0.18)
    check_same(lm, near, truth)  # .17 ** 2 < .03 * (.03 + 1)
    with pytest.raises(ValueError, match="other logits"):
        check_same(lm, far, truth)
    with pytest.raises(ValueError, match="other logits"):
        check_same(exact, near, truth)
    with pytest.raises(ValueError, match="other logits"):
        check_same(lm, truth * np.float32("nan"), truth)


@pytest.mark.parametrize("architecture", ["llama", "gpt2"])
def test_a_prompt_is_read_without_a_mask_and_a_token_with_one_to_add(
    architecture: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    attend = torch.nn.functional.scaled_dot_product_attention
    seen: list[tuple[int, Any, bool]] = []

    def spy(q: Any, k: Any, v: Any, attn_mask: Any = None, **named: Any) -> torch.Tensor:
        seen.append((k.shape[2], attn_mask, named["is_causal"]))
        return attend(q, k, v, attn_mask=attn_mask, **named)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", spy)
    steps = StaticDecode(tiny(architecture), 24)
    assert steps.capacity == 32, "whole blocks, so that no layer fills its mask up"
    steps.prefill(PROMPT[::-1] * 4)  # what lies behind the next prompt is no prompt's
    for prompt in (PROMPT, PROMPT[:2]):
        seen.clear()
        logits, _ = steps.prefill(prompt)
        assert {one[1:] for one in seen} == {(None, True)}
        assert {one[0] for one in seen} == {len(prompt)}, "its own keys and values alone"
        assert np.abs(logits - fresh_logits(tiny(architecture), prompt)).max() < 1e-5
    seen.clear()
    steps.decode(20)
    assert {one[0] for one in seen} == {32}
    assert {(one[1].dtype, one[1].shape[-1]) for one in seen} == {(torch.float32, 32)}
    logits, _ = steps.prefill([9])
    assert np.abs(logits - fresh_logits(tiny(architecture), [9])).max() < 1e-5


def test_a_step_that_fails_leaves_the_text_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    lm = tiny("llama")
    steps = StaticDecode(lm, 24)
    steps.prefill(PROMPT)
    whole = StaticLayer.update

    def runs_out(layer: StaticLayer, *given: Any, **named: Any) -> Any:
        if layer is steps._cache.layers[-1]:
            raise torch.OutOfMemoryError
        return whole(layer, *given, **named)

    with monkeypatch.context() as patch:
        patch.setattr(StaticLayer, "update", runs_out)
        with pytest.raises(PassError, match="ran out"):
            steps.decode(20)
    logits, _ = steps.decode(20)
    assert np.abs(logits - fresh_logits(lm, [*PROMPT, 20])).max() < 1e-5


@pytest.mark.usefixtures("graphs")
def test_the_captured_step_is_offered_only_where_every_position_is_kept() -> None:
    offered = {name for name in ARCHITECTURES if STATIC in engine_names(tiny(name))}
    assert offered == {name for name in ARCHITECTURES if runs_static(tiny(name))}
    assert offered >= {"llama", "gpt2", "qwen2", "qwen3", "gpt_neox", "phi"}
    assert not offered & {"mistral", "gemma2", "gemma3", "mamba", "bloom", "openai_gpt"}


@pytest.mark.usefixtures("graphs")
def test_a_gpu_reads_long_prompts_and_knows_what_a_captured_step_takes_at_least(
    monkeypatch: pytest.MonkeyPatch, compiles: list[int]
) -> None:
    """A compiled step has fewer operations: its floor is of a twin that was compiled as well."""
    monkeypatch.setattr(roofline, "has_graphs", lambda _: True)
    assert max(roofline.prefill_lengths(tiny("bloom"), (16,))) == 4096
    assert max(roofline.prefill_lengths(tiny("llama"), (16, 256))) == 16
    floors = finish(measure_floors(tiny("gpt2"), partial(Progress, 0, 1)))
    assert set(floors) == {PLAIN, STATIC}
    assert floors[STATIC] > 0
    assert compiles
