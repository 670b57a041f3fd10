"""Where a model runs, in which numbers, and whether it fits."""

import pytest
import torch

from model.loading import load_model
from model.weights import device
from model.weights.check import LoadError


def gpus(monkeypatch: pytest.MonkeyPatch, *free: int) -> list[torch.device]:
    """Gives this machine so many GPUs, with so much memory free on each."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: len(free))
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda place: (free[place.index], 0))
    monkeypatch.setattr(device, "find_spec", lambda name: name)
    return device.choose_devices("auto")


@pytest.mark.parametrize(("n_bytes", "has_to_spread"), [(80, False), (150, True)])
def test_a_model_spreads_over_the_gpus_only_where_one_is_too_small(
    monkeypatch: pytest.MonkeyPatch, n_bytes: int, has_to_spread: bool
) -> None:
    places = gpus(monkeypatch, 100, 100)
    assert [str(place) for place in places] == ["cuda:0", "cuda:1"]
    assert device.check_memory("m", n_bytes, places, 0) is has_to_spread
    with pytest.raises(LoadError, match="free on cuda"):
        device.check_memory("m", 1000, places, 0)
    with pytest.raises(LoadError, match="own memory"):
        device.check_memory("m", 80, places[:1], int(1e15))


def test_numbers_that_a_gpu_takes_as_they_are_stored_take_no_memory_here(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counts = {"BF16": 100, "F32": 10}
    monkeypatch.setattr(device, "find_spec", lambda _: None)
    assert device.host_bytes(counts, torch.bfloat16) == 2 * 10
    assert device.host_bytes(counts, torch.float32) == 4 * 100
    monkeypatch.setattr(device.sys, "platform", "win32")
    assert device.host_bytes(counts, torch.bfloat16) == 2 * 110
    monkeypatch.setattr(device, "find_spec", lambda name: name)
    assert device.host_bytes(counts, torch.bfloat16) == 0


def test_a_mac_keeps_small_models_on_its_cpu_and_counts_what_metal_may_take(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(torch.backends.mps, "is_available", lambda: True)
    kinds = [device.choose_devices("auto", n_bytes)[0].type for n_bytes in (None, 10**6, 10**9)]
    assert kinds == ["mps", "cpu", "mps"]
    assert device.choose_devices("mps", 10**6) == [torch.device("mps")]
    assert load_model("storyteller").device.type == "cpu"
    monkeypatch.setattr(torch.mps, "recommended_max_memory", lambda: 3000)
    for n_used, n_free in ((1000, 2000), (4000, 0)):
        monkeypatch.setattr(torch.mps, "current_allocated_memory", lambda n=n_used: n)
        assert device.free_bytes(torch.device("mps")) == n_free


def test_a_device_that_was_named_is_used_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    gpus(monkeypatch, 100, 100)
    assert device.choose_devices("cuda:1") == [torch.device("cuda:1")]
    monkeypatch.setattr(device, "find_spec", lambda _: None)
    assert device.choose_devices("auto") == [torch.device("cuda")]


@pytest.mark.parametrize(("is_fast", "expected"), [(True, torch.bfloat16), (False, torch.float32)])
def test_numbers_have_16_bits_on_a_gpu_that_is_made_for_them(
    monkeypatch: pytest.MonkeyPatch, is_fast: bool, expected: torch.dtype
) -> None:
    monkeypatch.setattr(torch.cuda, "is_bf16_supported", lambda **_: is_fast)
    assert device.choose_dtype("auto", torch.device("cuda")) == expected
