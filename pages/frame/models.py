"""One copy of each model for the whole process.

A model stays in memory while a session holds it; the shipped one stays for good. The weights of a
server's model stay there: ONE_TOKEN_ENGINE_URL, ONE_TOKEN_ENGINE_KEY and ONE_TOKEN_ENGINE_MODEL say
how to ask for it.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakValueDictionary

from model.sentences import Sentence
from pages.frame.gc_tuning import collector_paused, free_when_gone, freeze_heap, later
from pages.frame.offers import DEFAULT_MODEL, resolve, server_model

if TYPE_CHECKING:
    from model.job import Work
    from model.loading import LanguageModel

_HEAD_START = 1.0  # seconds in which the first token is shown
_GIVE_WAY = 0.0005  # seconds; a pass asks for the interpreter many times

sys.setswitchinterval(_GIVE_WAY)  # a press beside a page that is drawn takes half the time so

_Key: TypeAlias = tuple[str, str, str]  # name, device, format of numbers


@dataclass
class _LoadingTurn:
    """One reader at a time loads a model."""

    lock: threading.Lock = field(default_factory=threading.Lock)
    failed: float = 0.0  # when it could not be loaded last
    why: str = ""  # in one sentence


_loaded: WeakValueDictionary[_Key, LanguageModel] = WeakValueDictionary()
_kept: dict[str, LanguageModel] = {}
_turns: defaultdict[_Key, _LoadingTurn] = defaultdict(_LoadingTurn)


def opening(name: str, device: str = "auto", dtype: str = "auto") -> Work[LanguageModel]:
    """Returns the one copy of a model as `shared_model` does, told how far a download is.

    Raises:
        LoadError: One sentence with the remedy; whatever was loaded before stays.
    """
    from model.job import Progress, meanwhile, part_of
    from model.weights.device import choose_devices, choose_dtype
    from model.weights.fetch import fetch
    from model.weights.locate import find_folder

    shown, source = resolve(name.strip())
    is_guarded = True
    if shown != server_model() and find_folder(source) is None:
        places = choose_devices(device)
        numbers = choose_dtype(dtype, places[0])
        work = fetch(source, places, numbers, is_guarded=True, is_to_write=True)
        yield from part_of(
            work, lambda part: Progress(part.n_done, part.n_total, part.doing, unit=part.unit)
        )
        is_guarded = False  # it was tried before its weights came
    load = partial(shared_model, name, None, device, dtype, is_guarded=is_guarded)
    return (yield from meanwhile(load, Sentence("opening {model}", model=shown)))


def shared_model(
    name: str,
    progress: Callable[[str], None] | None = None,
    device: str = "auto",
    dtype: str = "auto",
    *,
    is_guarded: bool = True,
) -> LanguageModel:
    """Returns the one copy of a model, loading it first if nobody has.

    Args:
        name: A shipped name, a folder, or a hub id, as far as readers may open it here.
        progress: Is told, in a few words, what is being done.
        device: Where it is to run.
        dtype: The format of its numbers.
        is_guarded: Try its files in another process first.

    Raises:
        LoadError: One sentence with the remedy; whatever was loaded before stays.
    """
    from model.loading import SHIPPED, LoadError
    from model.machine.text_trial import guard
    from model.weights.device import choose_devices, choose_dtype

    name, source = resolve(name.strip())
    place = choose_devices(device)[0]
    key = (name, str(place), str(choose_dtype(dtype, place)))
    turn = _turns[key]
    if progress is not None and turn.lock.locked():
        progress(Sentence("Waiting for {model}, which another reader is opening", model=name))
    asked = time.monotonic()
    with turn.lock:
        found = _loaded.get(key)
        if found is not None:
            return found
        if turn.failed > asked:  # while this reader waited: what takes long is tried once for all
            raise LoadError(turn.why)
        try:
            found = _load(name, source, device, dtype, progress, is_guarded=is_guarded)
        except LoadError as error:
            turn.failed, turn.why = time.monotonic(), error.args[0]
            raise
        if source not in SHIPPED and found.local is not None:
            guard(found.tokenizer)
        _loaded[key] = found
        _settle(found, is_usual=device == dtype == "auto")
    return found


def _load(
    name: str,
    source: str,
    device: str,
    dtype: str,
    progress: Callable[[str], None] | None,
    *,
    is_guarded: bool,
) -> LanguageModel:
    from model.loading import load_model

    if source == server_model():
        found = _open_server(source, progress)
    else:
        found = load_model(source, device, dtype, progress, is_guarded=is_guarded)
    return found if source == name else replace(found, name=name)


def _settle(lm: LanguageModel, *, is_usual: bool) -> None:
    """Puts a model that was loaded out of the collector's way."""
    freeze_heap()
    if lm.name == DEFAULT_MODEL and is_usual:
        _kept[lm.name] = lm
        # what the first token did not need, and other lessons do
        later(_HEAD_START, _read_rest, lm)
    else:
        # readers whom this load froze are looked at again: they may have left by then
        free_when_gone(lm)


def _open_server(name: str, progress: Callable[[str], None] | None) -> LanguageModel:
    """Opens the model of the operator's server."""
    from model.server.opening import open_server

    variables = ("ONE_TOKEN_ENGINE_URL", "ONE_TOKEN_ENGINE_KEY", "ONE_TOKEN_ENGINE_MODEL")
    url, key, model = (os.environ.get(variable, "") for variable in variables)
    return replace(open_server(url, key, model, progress), name=name)


def with_weights(lm: LanguageModel) -> LanguageModel:
    """Returns a model whose weights are in this process: of a server's, the shipped one instead."""
    return lm if lm.local is not None else shared_model(DEFAULT_MODEL)


def _read_rest(lm: LanguageModel) -> None:
    """Reads transformers' own model."""
    with collector_paused("transformers.modeling_utils"):
        lm.weights.source()
    freeze_heap()
