"""What is free on a device: a container's limit counts too."""

from pathlib import Path

import pytest
import torch

from model.machine import device


@pytest.mark.parametrize(
    ("limit", "expected"), [("max", None), ("1000", 1000 - 600 + 200), ("?", None)]
)
def test_the_limit_of_a_container_counts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str, expected: int | None
) -> None:
    monkeypatch.setattr(device, "_CGROUP", tmp_path)
    assert device._of_container() is None
    (tmp_path / "memory.max").write_text(limit)
    (tmp_path / "memory.current").write_text("600")
    (tmp_path / "memory.stat").write_text("anon 400\ninactive_file 200\n")
    assert device._of_container() == expected
    assert device.free_bytes(torch.device("cpu")) <= (expected or 1e15)


def test_models_share_the_lock_of_an_accelerator_and_none_on_the_cpu() -> None:
    first, same, other = (device.lock_of(torch.device(d)) for d in ("cuda", "cuda:0", "cuda:1"))
    assert first is same
    assert first is not other
    assert device.lock_of(torch.device("mps")) is device.lock_of(torch.device("mps"))
    assert device.lock_of(torch.device("cpu")) is not device.lock_of(torch.device("cpu"))
