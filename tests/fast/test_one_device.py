"""Whatever touches a device does so under its lock: every operation of torch is looked at.

The CPU stands for an accelerator here. A thread that holds the lock is the only one that may run
an operation on a tensor; views touch nothing, and tensors without numbers are nowhere.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_leaves

from model.batch import Batch
from model.causal_mask.attention import read_attention, read_unmasked
from model.causal_mask.mask_training import train_both_ways
from model.encoder_decoder.infilling import Infilling
from model.generation import Generation
from model.job import finish
from model.kv_cache.experiments import look_into, race, watch_rewind
from model.kv_cache.query_key_value import read_query
from model.loading import LanguageModel, load_model
from model.machine import device
from model.prefill_decode.batching import measure_batches
from model.prefill_decode.padding import compare_padding
from model.prefill_decode.random_weights import make_shape
from model.prefill_decode.roofline import measure_roofline
from model.prefill_decode.scoring import score_and_write
from model.sampling import Settings
from model.weights import facts
from model.weights.shapes import typed_shape

CPU = torch.device("cpu")


class UnheldOperations(TorchDispatchMode):
    """Notes every operation that runs while this thread does not hold the device."""

    def __init__(self) -> None:
        super().__init__()
        self.unguarded: set[str] = set()

    def __torch_dispatch__(
        self, func: Any, types: Any, args: Any = (), kwargs: Any = None
    ) -> object:
        lock: Any = device.lock_of(CPU)
        made = func(*args, **(kwargs or {}))
        tensors = [x for x in tree_leaves(made) if isinstance(x, torch.Tensor)]
        is_nowhere = any(tensor.is_meta for tensor in tensors)
        if not (lock._is_owned() or func.is_view or is_nowhere):
            self.unguarded.add(str(func))
        return made


@pytest.fixture
def guard(monkeypatch: pytest.MonkeyPatch) -> UnheldOperations:
    monkeypatch.setattr(device, "_SHARED", {"cpu"})
    monkeypatch.setattr("model.weights.facts._ROWS", 64)
    facts.bytes_per_second.cache_clear()
    return UnheldOperations()


def write_and_batch(lm: LanguageModel) -> None:
    text = Generation(lm, "The cat sat", seed=0)
    for _ in range(3):
        text.step(Settings())
    text.rewind(n_tokens=1)
    look_into(text)
    watch_rewind(text.fork(), 1)
    batch = Batch(lm, [[5, 6, 7], [5, 6]])
    batch.append([8, 9])
    batch.reorder([1, 0])
    batch.join([batch.fork()])


def look_inside(lm: LanguageModel) -> None:
    ids = [5, 6, 7, 8, 9]
    read_query(lm, ids)
    read_attention(lm, ids)
    read_unmasked(lm, ids)
    finish(race(lm, ids, 5, 1))
    finish(compare_padding(lm, [[5, 6, 7], [5, 6]]))


def train(lm: LanguageModel) -> None:
    finish(train_both_ways(lm, [5, 6, 7, 8], n_steps=1))


def measure(lm: LanguageModel) -> None:
    facts.bytes_per_second("cpu", "float32")
    finish(measure_batches(lm, (1, 2), n_past=4, n_steps=1))
    finish(measure_roofline(lm, (4,), (1,), n_past=4, n_passes=1))
    finish(score_and_write(lm, "the cat", ["a", "the then"], n_written=2))


@pytest.mark.parametrize(
    ("use", "on_the_host"),
    [
        (write_and_batch, set()),
        (look_inside, set()),
        (train, {"aten.randint.generator", "aten.index.Tensor"}),  # which rows are next
        (measure, set()),
    ],
)
def test_a_device_is_touched_under_its_lock_alone(
    use: Callable[[LanguageModel], None], on_the_host: set[str], guard: UnheldOperations
) -> None:
    lm = load_model("scribbler", "cpu", "bfloat16")
    assert lm.weights.lock is device.lock_of(CPU)
    with guard:
        use(lm)
    assert guard.unguarded == on_the_host


def test_so_is_one_on_which_a_model_is_loaded_made_or_fills_gaps(guard: UnheldOperations) -> None:
    with guard:
        load_model("storyteller", "cpu", "bfloat16")
        lm = make_shape(typed_shape(2, 32, 4, 2, 290), "bfloat16")
        assert np.isfinite(Generation(lm, [5, 6], seed=0).logits).all()
        filling = Infilling(load_model("gapfiller", "cpu", "bfloat16"), "The ___ sat.")
        for _ in range(2):
            filling.step()
        filling.back()
        filling.look()
    assert not guard.unguarded
