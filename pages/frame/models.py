"""One copy of each model for the whole process, however many readers there are.

A model stays in memory while a session holds it; the shipped one stays for good.
"""

from __future__ import annotations

import os
import sys
import threading
from collections import defaultdict
from collections.abc import Callable
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from pages.frame.gc_tuning import collector_paused, free_when_gone, freeze_heap

if TYPE_CHECKING:
    from model.loading import LanguageModel

DEFAULT_MODEL = "storyteller"
DEFAULT_PROMPT = "The cat sat on the"
_HEAD_START = 1.0  # seconds in which the first page is painted
_GIVE_WAY = 0.0005  # seconds; a pass asks for the interpreter some 200 times

_loaded: WeakValueDictionary[str, LanguageModel] = WeakValueDictionary()
_kept: dict[str, LanguageModel] = {}
_locks: defaultdict[str, threading.Lock] = defaultdict(threading.Lock)


def allowed_models() -> tuple[str, ...] | None:
    """Return the names that readers may load here, or None where any may be loaded.

    Whoever runs the app for a class lists them in the variable ONE_TOKEN_MODELS, separated by
    commas, so that no reader fills the server's memory.
    """
    names = tuple(name.strip() for name in os.environ.get("ONE_TOKEN_MODELS", "").split(","))
    listed = tuple(name for name in names if name)
    return listed or None


def offered_models() -> tuple[str, ...]:
    """Return the names that the page offers, the default first.

    Of the shipped family only what writes one token at a time: the rest belongs to other lessons.
    """
    from model.loading import SHIPPED

    offered = [
        name
        for name in ("storyteller", "storyteller_early", "scribbler", "scribbler_plain")
        if name in SHIPPED
    ]
    listed = allowed_models()
    return tuple(offered) if listed is None else listed


def shared_model(name: str, progress: Callable[[str], None] | None = None) -> LanguageModel:
    """Return the one copy of a model, loading it first if nobody has.

    Args:
        name: A shipped name, a folder, or a hub id.
        progress: Is told, in a few words, what is being done.

    Raises:
        LoadError: One sentence with the remedy; whatever was loaded before stays.
    """
    from model.loading import SHIPPED, LoadError, load_model

    name = name.strip()
    listed = allowed_models()
    if listed is not None and name not in (*listed, *SHIPPED):  # lessons need their own
        raise LoadError(f"This server offers {', '.join(listed)} only: choose one of them.")
    with _locks[name]:
        found = _loaded.get(name)
        if found is None:
            found = load_model(name, progress=progress)
            _loaded[name] = found
            freeze_heap()
            if name not in SHIPPED:
                free_when_gone(found)
            if name == DEFAULT_MODEL:
                _kept[name] = found
                _read_rest_soon(found)
    return found


def _read_rest_soon(lm: LanguageModel) -> None:
    """Read what the first token did not need, and other lessons do, once that token is shown."""
    timer = threading.Timer(_HEAD_START, _read_rest, [lm])
    timer.daemon = True  # the server may end before
    timer.start()


def _read_rest(lm: LanguageModel) -> None:
    """Read transformers' own model, and give way to the reader's presses meanwhile."""
    pace = sys.getswitchinterval()
    sys.setswitchinterval(_GIVE_WAY)
    try:
        with collector_paused("transformers.modeling_utils"):
            lm.source()
        freeze_heap()
    finally:
        sys.setswitchinterval(pace)
