"""What is frozen is given back all the same once nobody holds it, also where it holds itself."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Callable, Iterator
from functools import partial

import pytest
from torch import nn

from pages.frame import gc_tuning, models
from pages.frame.models import shared_model
from tests.tiny_models import bare_model, save


class Held:
    """Something that a model in use stands for."""


def hold_itself(module: nn.Module) -> None:
    """Does to a layer what a layout over several devices does."""
    module.forward = partial(type(module).forward, module)


@pytest.fixture(autouse=True)
def thawed() -> Iterator[None]:
    yield
    gc.unfreeze()


@pytest.fixture
def due(monkeypatch: pytest.MonkeyPatch) -> list[Callable[[], None]]:
    """The collections that were asked for; each is made when it is called."""
    acts: list[Callable[[], None]] = []

    class Later:
        daemon = False

        def __init__(self, seconds: float, act: Callable[[], None]) -> None:
            assert seconds > 0  # what ends is still whole while it says so
            self.act = act

        def start(self) -> None:
            assert self.daemon
            acts.append(self.act)

    monkeypatch.setattr("threading.Timer", Later)
    monkeypatch.setattr(models, "free_when_gone", gc_tuning.free_when_gone)
    return acts


def test_it_is_given_back_once_the_model_that_it_belongs_to_is_gone(
    due: list[Callable[[], None]],
) -> None:
    held, layer = Held(), nn.Linear(2, 2)
    hold_itself(layer)
    gc_tuning.free_when_gone(held)
    gc_tuning.freeze_heap()
    watched = weakref.ref(layer)
    del layer
    assert watched() is not None
    assert not due
    del held
    assert len(due) == 1
    due[0]()
    assert watched() is None
    assert gc.get_freeze_count() > 0, "the libraries stay out of the collector's sight"


def test_a_reader_s_own_model_is_given_back(
    tmp_path_factory: pytest.TempPathFactory, due: list[Callable[[], None]]
) -> None:
    folder = save(tmp_path_factory.mktemp("models") / "own", bare_model("llama"))
    lm = shared_model(str(folder))
    hold_itself(lm.model)
    gc_tuning.freeze_heap()
    watched = weakref.ref(lm.model)
    del lm
    assert len(due) == 1
    due[0]()
    assert watched() is None
