"""What is frozen is given back all the same once nobody holds it, also where it holds itself."""

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


class ReferenceCycle:
    """What holds itself."""

    def __init__(self) -> None:
        self.itself = self


def test_a_full_collection_comes_by_the_clock_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    due: list[tuple[float, Callable[[], None]]] = []
    monkeypatch.setattr(gc_tuning, "later", lambda seconds, act: due.append((seconds, act)))
    young, middle, old = gc.get_threshold()
    try:
        gc_tuning.collect_once_a_minute()
        assert gc.get_threshold()[:2] == (young, middle)
        assert gc.get_threshold()[2] > 1000 * old
    finally:
        gc.set_threshold(young, middle, old)
    watched = weakref.ref(ReferenceCycle())
    for n_asked in (1, 2):
        assert [seconds for seconds, _ in due] == [gc_tuning.EVERY] * n_asked
        due[-1][1]()
    assert watched() is None


def test_free_memory_goes_back_with_each_collection(monkeypatch: pytest.MonkeyPatch) -> None:
    due: list[float] = []
    trimmed: list[int] = []
    monkeypatch.setattr(gc_tuning, "later", lambda seconds, _: due.append(seconds))
    library = SimpleNamespace(malloc_trim=lambda kept: trimmed.append(kept) or 1)
    monkeypatch.setattr(gc_tuning.ctypes, "CDLL", lambda _: library)
    monkeypatch.setattr(gc_tuning.sys, "platform", "linux")
    gc_tuning._collect_again()
    assert (trimmed, due) == ([0], [gc_tuning.EVERY])
    monkeypatch.setattr(gc_tuning.ctypes, "CDLL", lambda _: SimpleNamespace())  # musl has none
    assert gc_tuning.trim_heap() is False
    monkeypatch.setattr(gc_tuning.sys, "platform", "darwin")
    assert gc_tuning.trim_heap() is False


def test_threads_share_a_heap_where_it_is_glibc_s(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[int, int]] = []
    libc = SimpleNamespace(mallopt=lambda *option: asked.append(option) is None)
    monkeypatch.setattr(gc_tuning.sys, "platform", "linux")
    monkeypatch.setattr(gc_tuning.ctypes, "CDLL", lambda _: libc)
    assert gc_tuning.share_heap() is True
    assert asked == [(-8, 2), (-3, 2_000_000)]
    libc.mallopt = lambda *_: 0  # it may be refused
    assert gc_tuning.share_heap() is False
    monkeypatch.setattr(gc_tuning.ctypes, "CDLL", lambda _: SimpleNamespace())  # musl has none
    assert gc_tuning.share_heap() is False
    monkeypatch.setattr(gc_tuning.sys, "platform", "darwin")
    assert gc_tuning.share_heap() is False
