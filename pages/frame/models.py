"""Which models readers may open, and one copy of each for the whole process.

From a page: the shipped family; what the operator lists in ONE_TOKEN_MODELS; folders below
ONE_TOKEN_FOLDER; and any hub id or folder where the server listens on this machine alone. "any" in
the list allows hub ids to readers elsewhere. A model stays in memory while a session holds it; the
shipped one stays for good. ONE_TOKEN_ENGINE_URL names a server whose model readers begin with; its
weights stay there, and ONE_TOKEN_ENGINE_KEY and ONE_TOKEN_ENGINE_MODEL say how to ask for it.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeAlias
from weakref import WeakValueDictionary

import streamlit as st

from model.sentences import cut
from pages.frame.gc_tuning import collector_paused, free_when_gone, freeze_heap, later

if TYPE_CHECKING:
    from model.job import Work
    from model.loading import LanguageModel

DEFAULT_MODEL = "storyteller"
DEFAULT_PROMPT = "The cat sat on the"
ANY = "any"  # in the operator's list: every hub id
_HEAD_START = 1.0  # seconds in which the first token is shown
_GIVE_WAY = 0.0005  # seconds; a pass asks for the interpreter many times

sys.setswitchinterval(_GIVE_WAY)  # a press beside a page that is drawn takes half the time so

_Key: TypeAlias = tuple[str, str, str]  # name, device, format of numbers

_loaded: WeakValueDictionary[_Key, LanguageModel] = WeakValueDictionary()
_kept: dict[str, LanguageModel] = {}
_locks: defaultdict[_Key, threading.Lock] = defaultdict(threading.Lock)


# Who may open what


def listed_models() -> dict[str, str]:
    """Return what the operator lists: what readers call it, and what it is."""
    from model.weights.locate import path_of

    folders = ((name, Path(path_of(name))) for name in _listed() if name != ANY)
    return {folder.name if folder.is_dir() else name: name for name, folder in folders}


def _listed() -> list[str]:
    names = os.environ.get("ONE_TOKEN_MODELS", "").split(",")
    return [name.strip() for name in names if name.strip()]


def is_restricted() -> bool:
    """Tell whether readers may not open just any model of the hub."""
    return ANY not in _listed() if _listed() else not _is_alone()


def takes_names() -> bool:
    """Tell whether readers may name a model that is not offered."""
    return bool(os.environ.get("ONE_TOKEN_FOLDER")) or not is_restricted()


def _is_alone() -> bool:
    """Tell whether the server listens on this machine alone."""
    address = str(st.config.get_option("server.address"))
    return address in ("localhost", "::1") or address.startswith("127.")


def server_model() -> str | None:
    """Return what readers call the model of the operator's server; None where there is none."""
    if not os.environ.get("ONE_TOKEN_ENGINE_URL"):
        return None
    return f"{Path(os.environ.get('ONE_TOKEN_ENGINE_MODEL') or 'vLLM').name} (server)"


def default_model() -> str:
    """Return the model that readers begin with."""
    return server_model() or DEFAULT_MODEL


def offered_models() -> tuple[str, ...]:
    """Return the names that the page offers, the default first.

    Of the shipped family only what writes one token at a time: the rest belongs to other lessons.
    """
    listed = tuple(listed_models())
    here = listed or ("storyteller", "storyteller_early", "scribbler", "scribbler_plain")
    return here if server_model() is None else (default_model(), *here)


def _resolve(name: str) -> tuple[str, str]:
    """Return what a model is called here, and what to load, by a name that a reader gave.

    Raises:
        LoadError: One sentence, where readers may not open it here.
    """
    from model.loading import SHIPPED, LoadError
    from model.weights.locate import path_of

    if name == server_model():
        return name, name
    for listed, source in listed_models().items():
        if name in (listed, source):
            return listed, source
    path, root = path_of(name), os.environ.get("ONE_TOKEN_FOLDER")
    if name in SHIPPED or (_is_alone() and not root and not is_restricted()):
        return name, name
    if root:
        folder = Path(os.path.realpath(os.path.join(root, path)))
        if Path(os.path.realpath(root)) in folder.parents and os.path.isdir(folder):
            return os.path.relpath(folder, os.path.realpath(root)), str(folder)
    if is_restricted() or os.path.exists(path):
        offered = cut(", ".join(offered_models()), 150)
        raise LoadError(f"This server offers {offered} only: choose one of them.")
    return name, name


def models_here() -> list[str]:
    """Return what readers may open without a network, beside what is offered."""
    from model.weights.hub import cached_models, is_whole

    names = [] if is_restricted() else list(cached_models())
    root = Path(os.environ.get("ONE_TOKEN_FOLDER") or os.devnull)
    below = [*sorted(root.glob("*")), *sorted(root.glob("*/*"))]
    names += [str(path.relative_to(root)) for path in below if path.is_dir() and is_whole(path)]
    return [name for name in names if name not in offered_models()]


def folder_of(name: str) -> Path | None:
    """Return the folder of a model on this disk; None where it would come from the hub.

    Raises:
        LoadError: One sentence, where readers may not open it here, or it cannot be one.
    """
    from model.weights.locate import find_folder

    return find_folder(_resolve(name.strip())[1])


# One copy of each


def opening(name: str, device: str = "auto", dtype: str = "auto") -> Work[LanguageModel]:
    """Return the one copy of a model as `shared_model` does, told how far a download is.

    Raises:
        LoadError: One sentence with the remedy; whatever was loaded before stays.
    """
    from model.job import Progress, meanwhile, part_of
    from model.weights.device import choose_devices, choose_dtype
    from model.weights.fetch import fetch
    from model.weights.locate import find_folder

    shown, source = _resolve(name.strip())
    is_guarded = True
    if find_folder(source) is None:
        places = choose_devices(device)
        work = fetch(source, places, choose_dtype(dtype, places[0]), is_guarded=True)
        yield from part_of(
            work, lambda part: Progress(part.n_done, part.n_total, part.doing, unit=part.unit)
        )
        is_guarded = False  # it was tried before its weights came
    load = partial(shared_model, name, None, device, dtype, is_guarded=is_guarded)
    return (yield from meanwhile(load, f"reading the weights of {shown}"))


def shared_model(
    name: str,
    progress: Callable[[str], None] | None = None,
    device: str = "auto",
    dtype: str = "auto",
    *,
    is_guarded: bool = True,
) -> LanguageModel:
    """Return the one copy of a model, loading it first if nobody has.

    Args:
        name: A shipped name, a folder, or a hub id, as far as readers may open it here.
        progress: Is told, in a few words, what is being done.
        device: Where it is to run.
        dtype: The format of its numbers.
        is_guarded: Try its files in another process first.

    Raises:
        LoadError: One sentence with the remedy; whatever was loaded before stays.
    """
    from model.loading import load_model
    from model.weights.device import choose_devices, choose_dtype

    name, source = _resolve(name.strip())
    place = choose_devices(device)[0]
    key = (name, str(place), str(choose_dtype(dtype, place)))
    if progress is not None and _locks[key].locked():
        progress(f"Waiting for {name}, which another reader is opening")
    with _locks[key]:
        found = _loaded.get(key)
        if found is None:
            if source == server_model():
                found = _open_server(source, progress)
            else:
                found = load_model(source, device, dtype, progress, is_guarded=is_guarded)
            if source != name:
                found = replace(found, name=name)
            _loaded[key] = found
            freeze_heap()
            if name == DEFAULT_MODEL and device == dtype == "auto":
                _kept[name] = found
                # what the first token did not need, and other lessons do
                later(_HEAD_START, _read_rest, found)
            else:
                # readers whom this load froze are looked at again: they may have left by then
                free_when_gone(found)
    return found


def _open_server(name: str, progress: Callable[[str], None] | None) -> LanguageModel:
    """Open the model of the operator's server."""
    from model.server.opening import open_server

    variables = ("ONE_TOKEN_ENGINE_URL", "ONE_TOKEN_ENGINE_KEY", "ONE_TOKEN_ENGINE_MODEL")
    url, key, model = (os.environ.get(variable, "") for variable in variables)
    return replace(open_server(url, key, model, progress), name=name)


def with_weights(lm: LanguageModel) -> LanguageModel:
    """Return a model whose weights are in this process: of a server's, the shipped one instead."""
    return lm if lm.local is not None else shared_model(DEFAULT_MODEL)


def _read_rest(lm: LanguageModel) -> None:
    """Read transformers' own model."""
    with collector_paused("transformers.modeling_utils"):
        lm.weights.source()
    freeze_heap()
