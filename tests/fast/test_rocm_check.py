"""Attention that misreads values with gaps between them is found out when a model is loaded."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import torch

from model import loading
from model.fast.rocm_check import check_attention
from model.weights.check import LoadError
from tests.tiny_models import tiny

ATTEND = torch.nn.functional.scaled_dot_product_attention


@pytest.fixture(autouse=True)
def _kernels() -> Iterator[None]:
    yield
    torch.backends.cuda.enable_flash_sdp(True)
    torch.backends.cuda.enable_mem_efficient_sdp(True)


def misread(values: torch.Tensor) -> torch.Tensor:
    """Reads values as if they lay without gaps, as the kernels on record did."""
    return values.as_strided(values.shape, torch.empty(values.shape).stride())


def broken(monkeypatch: pytest.MonkeyPatch, *, is_mended: bool) -> None:
    def attend(q: Any, k: Any, v: Any, **named: Any) -> torch.Tensor:
        is_fused = torch.backends.cuda.flash_sdp_enabled() or not is_mended
        return ATTEND(q, k, v if v.is_contiguous() or not is_fused else misread(v), **named)

    monkeypatch.setattr(torch.nn.functional, "scaled_dot_product_attention", attend)


@pytest.mark.parametrize("architecture", ["llama", "gpt2", "mistral", "mamba", "openai_gpt"])
def test_right_attention_passes_whatever_the_model_keeps(architecture: str) -> None:
    check_attention(tiny(architecture))
    assert torch.backends.cuda.flash_sdp_enabled()


def test_fused_attention_that_errs_is_turned_off(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, is_mended=True)
    check_attention(tiny("llama"))
    assert not torch.backends.cuda.flash_sdp_enabled()
    assert not torch.backends.cuda.mem_efficient_sdp_enabled()


def test_a_gpu_that_errs_all_the_same_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    broken(monkeypatch, is_mended=False)
    with pytest.raises(LoadError, match=r"other logits than .*: load it on the CPU"):
        check_attention(tiny("llama"))


def test_it_is_asked_on_an_amd_gpu_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[object] = []
    monkeypatch.setattr("model.fast.rocm_check.check_attention", asked.append)
    lm = loading.load_model("scribbler", "cpu")
    monkeypatch.setattr(torch.version, "hip", "7.0")
    assert loading.load_model("scribbler", "cpu") is not None
    assert not asked, "a CPU beside it is not asked"
    monkeypatch.setattr(loading, "_load", lambda *_: OnGpu(lm))
    loading.load_model("scribbler")
    assert len(asked) == 1


class OnGpu:
    """A model that says it is on a GPU."""

    def __init__(self, lm: object) -> None:
        self.lm, self.device = lm, torch.device("cuda")
