"""What is frozen is given back all the same once nobody holds it, also where it holds itself."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import pytest

from pages.frame import gc_tuning, models
from pages.frame.models import shared_model
from tests.tiny_models import bare_model, save


def test_a_reader_s_own_model_is_given_back_once_it_is_gone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    due: list[Callable[[], None]] = []  # collections that were asked for, for later

    def timer(seconds: float, act: Callable[[], None], _: object) -> SimpleNamespace:
        assert seconds > 0  # what ends is still whole while it says so
        return SimpleNamespace(start=lambda: due.append(act))

    monkeypatch.setattr("threading.Timer", timer)
    monkeypatch.setattr(models, "free_when_gone", gc_tuning.free_when_gone)
    folder = save(tmp_path / "own", bare_model("llama"))
    lm = shared_model(str(folder))
    # as a layout over several devices does
    lm.model.forward = partial(type(lm.model).forward, lm.model)
    gc_tuning.freeze_heap()
    watched = weakref.ref(lm.model)
    assert not due
    del lm
    (collect,) = due
    assert watched() is not None
    collect()
    assert watched() is None
    assert gc.get_freeze_count() > 0, "the libraries stay out of the collector's sight"
    gc.unfreeze()
