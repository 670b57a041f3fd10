"""Every mask and penalty against code that is not ours: transformers' own, the answers that
llama.cpp's samplers gave (llama_samplers.json says of which build), or the plainest loop.

transformers' sort is not stable, so which of several tied tokens top-p drops is arbitrary there: of
equals, the number kept is compared.
"""

import json
import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
import torch
from transformers import GenerationConfig
from transformers.generation.logits_process import (
    EpsilonLogitsWarper,
    EtaLogitsWarper,
    LogitsProcessor,
    LogitsProcessorList,
    MinPLogitsWarper,
    RepetitionPenaltyLogitsProcessor,
    TemperatureLogitsWarper,
    TopHLogitsWarper,
    TopKLogitsWarper,
    TopPLogitsWarper,
    TypicalLogitsWarper,
)

from model.records import FloatArray
from model.sampling import ORDERS, Settings, process
from tests.tiny_models import bare_model

pytestmark = pytest.mark.oracle

N_SETTINGS = 80
N_ROWS = 10  # of logits for each of them
N_VOCAB = 40


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


def random_rows(rng: np.random.Generator, *, with_ties: bool) -> FloatArray:
    """Rows of logits, all of them with ties or none."""
    rows: list[FloatArray] = []
    while len(rows) < N_ROWS:
        row = random_logits(rng)
        finite = row[np.isfinite(row)]
        if with_ties == (len(np.unique(finite)) < len(finite)):
            rows.append(row)
    return np.array(rows)


def theirs(
    processor: LogitsProcessor | LogitsProcessorList, logits: FloatArray, ids: npt.ArrayLike
) -> FloatArray:
    """The scores that a processor of transformers makes of each row, in float64."""
    return np.asarray(processor(torch.as_tensor(ids), torch.tensor(logits)))


def assert_same(ours: FloatArray, other: FloatArray) -> None:
    assert (np.isfinite(ours) == np.isfinite(other)).all()
    held = np.isfinite(ours)
    np.testing.assert_allclose(ours[held], other[held], rtol=1e-12, atol=1e-12)


PROCESSORS: dict[str, tuple[Callable[[Any], LogitsProcessor], Callable[[Any], float]]] = {
    "repetition_penalty": (RepetitionPenaltyLogitsProcessor, lambda rng: rng.uniform(0.5, 2)),
    "temperature": (TemperatureLogitsWarper, lambda rng: rng.uniform(0.3, 3)),
    "top_h": (TopHLogitsWarper, lambda rng: rng.uniform(0.001, 0.999)),
    "top_k": (TopKLogitsWarper, lambda rng: int(rng.integers(1, N_VOCAB + 5))),
    "top_p": (TopPLogitsWarper, lambda rng: rng.uniform(0.001, 0.999)),
    "min_p": (MinPLogitsWarper, lambda rng: rng.uniform(0.001, 1)),
    "typical_p": (TypicalLogitsWarper, lambda rng: rng.uniform(0.001, 0.999)),
    "epsilon": (EpsilonLogitsWarper, lambda rng: 10 ** rng.uniform(-6, -0.01)),
    "eta": (EtaLogitsWarper, lambda rng: 10 ** rng.uniform(-6, -0.01)),
}
THEIR_NAMES = {"epsilon": "epsilon_cutoff", "eta": "eta_cutoff"}


def random_values(rng: np.random.Generator, share: float) -> dict[str, Any]:
    """Values of the settings that transformers has as well, each with this chance."""
    values = {name: draw_value(rng) for name, (_, draw_value) in PROCESSORS.items()}
    return {name: value for name, value in values.items() if rng.random() < share}


@pytest.mark.parametrize("p", [0.1, 0.25, 0.3, 0.5, 0.7, 0.75, 0.9])
@pytest.mark.parametrize("n", [1, 2, 4, 8, 16])
def test_top_p_of_equals_keeps_as_many_as_transformers(n: int, p: float) -> None:
    # every cumulative mass is exact, or rounded in the same way: the bound itself is compared
    logits = np.zeros(n)
    stage = process(logits, [], Settings(top_p=p))[-1]
    assert stage.kept.sum() == np.isfinite(theirs(TopPLogitsWarper(p), logits[None], [[0]])).sum()


@pytest.mark.parametrize("share", [0.15, 0.5])  # most often one stage alone, and several in a row
def test_the_pipeline_is_that_of_generate(share: float) -> None:
    """`generate` builds its own list of processors, whose order is not ours to choose."""
    model: Any = bare_model("gpt2")  # what makes the list is not public
    rng = np.random.default_rng(5)
    for n in range(N_SETTINGS):
        values, rows = random_values(rng, share), random_rows(rng, with_ties=n % 2 == 0)
        if n % 2 == 0:  # which of equals top-p removes would change what comes after
            values.pop("top_p", None)
            values.pop("top_h", None)
        texts = rng.integers(0, N_VOCAB, (N_ROWS, 8))
        named = {THEIR_NAMES.get(name, name): value for name, value in values.items()}
        config = GenerationConfig(do_sample=True, **{"top_k": 0} | named)
        processors = model._get_logits_processor(generation_config=config, input_ids_seq_length=8)
        for logits, ids, expected in zip(rows, texts, theirs(processors, rows, texts), strict=True):
            stages = process(logits, ids.tolist(), Settings(**values))
            assert len(processors) == len(stages) - 1
            assert_same(stages[-1].scores, expected)


def plainly(name: str, value: float, row: FloatArray, written: Sequence[int]) -> FloatArray:
    """A stage that transformers lacks, by its definition, token by token."""
    if name == "top_n_sigma":
        finite = row[row > -math.inf].tolist()
        mean = math.fsum(finite) / len(finite)
        sigma = math.sqrt(math.fsum((score - mean) ** 2 for score in finite) / len(finite))
        return np.where(row >= max(row) - value * sigma, row, -math.inf)
    if name == "min_k":  # 2604.11012, equations 3 to 6
        falling = sorted(row[row > -math.inf].tolist(), reverse=True)
        spread = falling[0] - falling[-1]
        falls = [(a - b) / spread / i for i, (a, b) in enumerate(pairwise(falling), start=1)]
        k = max(
            falls.index(max(falls)) + 1 if falls else 1,
            min(value / spread if spread else math.inf, len(row)),
        )
        return np.where(row >= falling[min(int(k), len(falling)) - 1], row, -math.inf)
    if name == "p_less":  # 2509.23234: the likelihood that two draws agree
        probs = np.asarray(torch.softmax(torch.tensor(row), dim=-1))
        return np.where(probs >= math.fsum(p * p for p in probs), row, -math.inf)
    counts = [written.count(token_id) for token_id in range(len(row))]
    times = np.array(counts if name == "frequency_penalty" else [min(1, n) for n in counts])
    return row - value * times


@pytest.mark.parametrize("engine", ORDERS)
def test_each_preset_is_its_stages_in_its_order(engine: str) -> None:
    rng = np.random.default_rng(sum(map(ord, engine)))
    for _ in range(N_SETTINGS):
        logits, values = rng.normal(0, 3, N_VOCAB), random_values(rng, 0.6)
        values["presence_penalty"], values["frequency_penalty"] = rng.uniform(-2, 2, 2)
        values |= {"top_n_sigma": rng.uniform(0.5, 3), "min_k": rng.uniform(0, 100), "p_less": 1}
        settings = Settings(order=ORDERS[engine], **values)
        ids, n_prompt = rng.integers(0, N_VOCAB, 12).tolist(), int(rng.integers(0, 12))
        expected = logits
        for name in (name for name in ORDERS[engine] if name in values):
            if name in PROCESSORS:
                (expected,) = theirs(PROCESSORS[name][0](values[name]), expected[None], [ids])
            else:
                expected = plainly(name, values[name], expected, ids[n_prompt:])
        assert_same(process(logits, ids, settings, n_prompt)[-1].scores, expected)


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


@pytest.mark.parametrize("n_prompt", [0, 3, 8])
def test_generated_tokens_alone_are_counted_as_transformers_does(n_prompt: int) -> None:
    rng = np.random.default_rng(n_prompt)
    rows, texts = random_rows(rng, with_ties=False), rng.integers(0, N_VOCAB, (N_ROWS, 8))
    processor = RepetitionPenaltyLogitsProcessor(1.7, prompt_ignore_length=n_prompt)
    settings = Settings(repetition_penalty=1.7, generated_only=1)
    for logits, ids, expected in zip(rows, texts, theirs(processor, rows, texts), strict=True):
        assert_same(process(logits, ids.tolist(), settings, n_prompt)[-1].scores, expected)
