"""Shapes with random weights, counted before they are made; recordings that come back."""

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from benchmarks.record import save_recording
from model.fast.engines import PLAIN
from model.job import finish
from model.passes import prefill
from model.prefill_decode.batching import measure_batches
from model.prefill_decode.experiments import measure_phases
from model.prefill_decode.random_weights import make_shape
from model.prefill_decode.recordings import Recording, recordings
from model.prefill_decode.roofline import measure_roofline
from model.weights import shapes
from model.weights.published_shapes import published_shape
from model.weights.shapes import plan_shape, read_shape, typed_shape
from tests.tiny_models import tiny

SMALL = {"n_layers": 2, "hidden": 64, "n_heads": 4, "n_kv_heads": 2, "vocab": 300}


def test_a_typed_shape_is_made_with_as_many_numbers_as_planned() -> None:
    shape = typed_shape(**SMALL)
    plan, lm = plan_shape(shape), make_shape(shape)
    weights = list(lm.model.parameters())
    assert sum(weight.numel() for weight in weights) == plan.n_parameters == lm.n_parameters
    assert lm.cache_shape.bytes_per_token == 2 * 2 * 2 * 16 * 4
    logits, _ = prefill(lm, [1, 2, 3], None)
    assert logits.shape == (300,)
    assert np.isfinite(logits).all()
    assert logits.std() > 0
    assert lm.weights.quick is not None
    assert all(torch.isfinite(weight).all() for weight in weights)


def test_a_shape_that_does_not_fit_is_refused_before_it_is_made(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shapes, "free_bytes", lambda _: 10**9)
    shape = published_shape("Llama-3-8B")
    assert not plan_shape(shape).fits
    with pytest.raises(ValueError, match="choose a smaller shape"):
        make_shape(shape)
    with pytest.raises(ValueError, match="choose one of GPT-2"):
        published_shape("GPT-5")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"n_layers": 0}, "1 or more"),
        ({"n_heads": 5}, "multiple of 10"),
        ({"n_kv_heads": 3}, "choose a divisor"),
    ],
)
def test_a_shape_whose_numbers_do_not_go_together_says_so(
    changes: dict[str, int], said: str
) -> None:
    with pytest.raises(ValueError, match=said):
        typed_shape(**{**SMALL, **changes})


def test_a_config_is_read_as_it_is_written() -> None:
    config = tiny("llama").model.config.to_dict()
    assert plan_shape(read_shape(json.dumps(config))).n_parameters == tiny("llama").n_parameters


def test_a_recording_comes_back_as_it_was_saved(tmp_path: Path) -> None:
    lm = tiny("llama")
    phases = finish(measure_phases(lm, PLAIN, swap=(3, 8), lengths=(4,)))
    roofline = finish(measure_roofline(lm, (4,), (1,), n_past=4, n_passes=1))
    batches = finish(measure_batches(lm, (1, 2), n_past=4, n_steps=1))
    path = save_recording(Recording(phases.machine, phases, roofline, batches), tmp_path)
    (read,) = recordings(tmp_path)
    assert read.roofline.points[0].flops == roofline.points[0].flops
    assert save_recording(read, tmp_path / "again").read_text() == path.read_text()


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1}'])
def test_a_file_that_is_no_recording_is_one_sentence(text: str, tmp_path: Path) -> None:
    (tmp_path / "x.json").write_text(text)
    with pytest.raises(ValueError, match="record it again"):
        recordings(tmp_path)
