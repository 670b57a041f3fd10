"""Every mask and penalty against code that is not ours: transformers' own, the answers that
llama.cpp's samplers gave (llama_samplers.json says of which build), or the plainest loop.

transformers' sort is not stable, so which of several tied tokens top-p drops is arbitrary there:
the number kept and the sorted scores kept are compared, for every other mask the tokens themselves.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pytest
import torch
from transformers import GenerationConfig, LlamaConfig, LlamaForCausalLM
from transformers.generation.logits_process import (
    EpsilonLogitsWarper,
    EtaLogitsWarper,
    LogitsProcessor,
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

from model.records import FloatArray
from model.sampling import ORDERS, Settings, process

pytestmark = pytest.mark.oracle

N_VALUES = 40  # of each of eight processors, and 80 settings for all of them in a row
N_ROWS = 10  # of logits for each of them
N_VOCAB = 40
TOLERANCE = 1e-10


def random_logits(rng: np.random.Generator) -> FloatArray:
    """A row of one of several kinds: smooth, with ties, with -inf, huge, flat, or peaked."""
    kind = rng.integers(6)
    row = rng.normal(0, 3, N_VOCAB)
    if kind == 1:
        row = np.round(row)
    elif kind == 2:
        row[rng.random(N_VOCAB) < 0.5] = -np.inf
        row[rng.integers(N_VOCAB)] = 1
    elif kind == 3:
        row *= 1e4
    elif kind == 4:
        row = np.full(N_VOCAB, float(rng.integers(-3, 4)))
    elif kind == 5:
        row = np.round(row * 2)
        row[rng.integers(N_VOCAB)] = -np.inf
    return row.astype(np.float32).astype(np.float64)


def random_rows(rng: np.random.Generator, *, with_ties: bool | None = None) -> FloatArray:
    """Rows of logits; none, or all of them, with ties where that is asked for."""
    rows: list[FloatArray] = []
    while len(rows) < N_ROWS:
        row = random_logits(rng)
        finite = row[np.isfinite(row)]
        if with_ties in (None, len(np.unique(finite)) < len(finite)):
            rows.append(row)
    return np.array(rows)


Theirs: TypeAlias = LogitsProcessor | LogitsProcessorList


def theirs(processor: Theirs, logits: FloatArray, ids: npt.ArrayLike) -> FloatArray:
    """The scores that a processor of transformers makes of each row, in float64."""
    return np.asarray(processor(torch.as_tensor(ids), torch.tensor(logits)))


def assert_same(ours: FloatArray, other: FloatArray, *, by_token: bool) -> None:
    """Compares scores: token by token, or sorted where which of the tied ones went is arbitrary."""
    if not by_token:
        ours, other = np.sort(ours), np.sort(other)
    assert (np.isfinite(ours) == np.isfinite(other)).all()
    held = np.isfinite(ours)
    np.testing.assert_allclose(ours[held], other[held], rtol=1e-12, atol=1e-12)


def stands_on_its_bound(name: str, logits: FloatArray, value: float) -> bool:
    """Whether rounding decides: a cumulative mass within 1e-12 of the bound that it is held to."""
    if name not in ("top_p", "typical_p"):
        return False
    (raw,) = process(logits, [], Settings())
    falling = np.sort(raw.probs)
    bound = 1 - value if name == "top_p" else value
    if name == "typical_p":
        with np.errstate(divide="ignore"):
            surprise = np.abs(-np.log(raw.probs) - raw.entropy)
        falling = raw.probs[np.argsort(surprise, kind="stable")]
    return bool((np.abs(np.cumsum(falling) - bound) < TOLERANCE).any())


PROCESSORS: dict[str, tuple[Callable[[Any], LogitsProcessor], Callable[[Any], float]]] = {
    "repetition_penalty": (RepetitionPenaltyLogitsProcessor, lambda rng: rng.uniform(0.5, 2)),
    "temperature": (TemperatureLogitsWarper, lambda rng: 10 ** rng.uniform(-2, 2)),
    "top_k": (TopKLogitsWarper, lambda rng: int(rng.integers(1, N_VOCAB + 5))),
    "top_p": (TopPLogitsWarper, lambda rng: rng.uniform(0.001, 0.999)),
    "min_p": (MinPLogitsWarper, lambda rng: rng.uniform(0.001, 1)),
    "typical_p": (TypicalLogitsWarper, lambda rng: rng.uniform(0.001, 0.999)),
    "epsilon": (EpsilonLogitsWarper, lambda rng: 10 ** rng.uniform(-6, -0.01)),
    "eta": (EtaLogitsWarper, lambda rng: 10 ** rng.uniform(-6, -0.01)),
}


@pytest.mark.parametrize("name", PROCESSORS)
def test_each_stage_is_the_processor_of_transformers(name: str) -> None:
    rng = np.random.default_rng(sum(map(ord, name)))
    make, draw_value = PROCESSORS[name]
    n_compared = 0
    for _ in range(N_VALUES):
        value, rows = draw_value(rng), random_rows(rng)
        texts = rng.integers(0, N_VOCAB, (N_ROWS, 8))
        values: dict[str, Any] = {name: value}
        for logits, ids, expected in zip(
            rows, texts, theirs(make(value), rows, texts), strict=True
        ):
            if stands_on_its_bound(name, logits, value):
                continue
            stage = process(logits, ids.tolist(), Settings(**values))[-1]
            assert stage.name == name
            assert_same(stage.scores, expected, by_token=name != "top_p")
            n_compared += 1
    assert n_compared > 0.95 * N_VALUES * N_ROWS


@pytest.mark.parametrize("p", [0.1, 0.25, 0.3, 0.5, 0.7, 0.75, 0.9])
@pytest.mark.parametrize("n", [1, 2, 4, 8, 16])
def test_top_p_of_equals_keeps_as_many_as_transformers(n: int, p: float) -> None:
    # every cumulative mass is exact, or rounded in the same way: the bound itself is compared
    logits = np.zeros(n)
    stage = process(logits, [], Settings(top_p=p))[-1]
    assert stage.kept.sum() == np.isfinite(theirs(TopPLogitsWarper(p), logits[None], [[0]])).sum()


def random_settings(rng: np.random.Generator, *, with_ties: bool) -> Settings:
    """Settings of which each is in force in half of the cases."""
    values = {name: draw_value(rng) for name, (_, draw_value) in PROCESSORS.items()}
    values["temperature"] = rng.uniform(0.3, 3)
    if with_ties:  # whose removal by top-p is arbitrary, and would change what comes after
        del values["top_p"]
    chosen: dict[str, Any] = {name: values[name] for name in values if rng.random() < 0.5}
    return Settings(**chosen)


def generate_config(settings: Settings) -> GenerationConfig:
    """The same settings in transformers' words."""
    return GenerationConfig(  # type: ignore[no-untyped-call]  # it has no types
        do_sample=True,
        repetition_penalty=settings.repetition_penalty,
        temperature=settings.temperature,
        top_k=settings.top_k,
        top_p=settings.top_p,
        min_p=settings.min_p or None,
        typical_p=settings.typical_p,
        epsilon_cutoff=settings.epsilon,
        eta_cutoff=settings.eta,
    )


def test_the_pipeline_is_that_of_generate() -> None:
    """`generate` builds its own list of processors, whose order is not ours to choose."""
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=N_VOCAB, hidden_size=8, intermediate_size=8, num_hidden_layers=1,
        num_attention_heads=1, bos_token_id=0, eos_token_id=1, pad_token_id=1,
    )  # fmt: skip
    model: Any = LlamaForCausalLM(config)  # what makes the list is not public
    rng = np.random.default_rng(5)
    for n in range(2 * N_VALUES):
        rows = random_rows(rng, with_ties=n % 2 == 0)
        settings = random_settings(rng, with_ties=n % 2 == 0)
        texts = rng.integers(0, N_VOCAB, (N_ROWS, 8))
        processors = model._get_logits_processor(
            generation_config=generate_config(settings), input_ids_seq_length=8
        )
        for logits, ids, expected in zip(rows, texts, theirs(processors, rows, texts), strict=True):
            stages = process(logits, ids.tolist(), settings)
            assert len(processors) == len(stages) - 1
            assert_same(stages[-1].scores, expected, by_token=True)


def plainly(name: str, value: float, row: FloatArray, written: Sequence[int]) -> FloatArray:
    """A stage that transformers lacks, by its definition, token by token."""
    if name == "top_n_sigma":
        finite = row[row > -math.inf].tolist()
        mean = math.fsum(finite) / len(finite)
        sigma = math.sqrt(math.fsum((score - mean) ** 2 for score in finite) / len(finite))
        return np.where(row >= max(row) - value * sigma, row, -math.inf)
    counts = [written.count(token_id) for token_id in range(len(row))]
    times = np.array(counts if name == "frequency_penalty" else [min(1, n) for n in counts])
    return row - value * times


def test_dry_and_xtc_do_what_llama_cpp_s_do() -> None:
    recorded = json.loads(Path(__file__).with_name("llama_samplers.json").read_text("utf-8"))
    n_changed = {"dry": 0, "xtc": 0}
    for case in recorded["cases"]:
        logits = np.array(case["logits"], dtype=np.float32)
        if case["stage"] == "xtc":
            last = process(logits, [], Settings(xtc=1, order=ORDERS["llama.cpp"]))[-1]
            assert np.flatnonzero(last.kept).tolist() == case["kept"]
            n_changed["xtc"] += len(case["kept"]) < len(logits)
        else:
            last = process(logits, case["ids"], Settings(dry=0.8, order=ORDERS["llama.cpp"]))[-1]
            assert last.scores == pytest.approx(case["scores"], rel=1e-6, abs=1e-5)
            n_changed["dry"] += last.scores != pytest.approx(case["logits"], abs=1e-5)
    assert min(n_changed.values()) > 10


@pytest.mark.parametrize("engine", ORDERS)
def test_each_preset_is_its_stages_in_its_order(engine: str) -> None:
    rng = np.random.default_rng(sum(map(ord, engine)))
    for _ in range(2 * N_VALUES):
        logits = rng.normal(0, 3, N_VOCAB)
        values: dict[str, Any] = {
            name: draw_value(rng) for name, (_, draw_value) in PROCESSORS.items()
        }
        values["temperature"] = rng.uniform(0.3, 3)
        values["presence_penalty"], values["frequency_penalty"] = rng.uniform(-2, 2, 2)
        values["top_n_sigma"] = rng.uniform(0.5, 3)
        chosen = {name: values[name] for name in values if rng.random() < 0.6}
        settings = Settings(order=ORDERS[engine], **chosen)
        ids, n_prompt = rng.integers(0, N_VOCAB, 12).tolist(), int(rng.integers(0, 12))
        expected = logits
        for name in (name for name in ORDERS[engine] if name in chosen):
            if name in PROCESSORS:
                (expected,) = theirs(PROCESSORS[name][0](values[name]), expected[None], [ids])
            else:
                expected = plainly(name, values[name], expected, ids[n_prompt:])
        stages = process(logits, ids, settings, n_prompt)
        assert_same(stages[-1].scores, expected, by_token=True)


def test_the_worked_example() -> None:
    """Of logits 3, 2, 1 with p = 0.8 and T = 0.5: temperature first keeps {0}, last {0, 1}."""
    logits = np.array([3.0, 2.0, 1.0])
    warpers = [TemperatureLogitsWarper(0.5), TopPLogitsWarper(0.8)]
    for order, chain in (("transformers", warpers), ("llama.cpp", warpers[::-1])):
        settings = Settings(temperature=0.5, top_p=0.8, order=ORDERS[order])
        ours = process(logits, [], settings)[-1]
        (expected,) = theirs(LogitsProcessorList(chain), logits[None], [[0]])
        assert_same(ours.scores, expected, by_token=True)
        assert ours.kept.sum() == {"transformers": 1, "llama.cpp": 2}[order]
