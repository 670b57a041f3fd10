"""Encodes a text in another process first: a stranger's tokenizer may take all time and memory.

The trial of a model's files cannot try every text: a rule may wait for a word that is none of its
own. The other process has limits, and holds the tokenizers that were used last.
"""

import threading
from collections import OrderedDict
from contextlib import suppress
from itertools import count
from typing import Any
from weakref import WeakKeyDictionary

import psutil  # type: ignore[import-untyped]  # ships no types

from model.machine.child import Child, answer

TEXT_SECONDS = 4.0  # of the processor, for one text: 200,000 characters take a tenth
SECONDS_PER_MB = 2.0  # more, where the tokenizer has to be read first
MAX_TEXT_BYTES = 500_000_000  # of memory that one text may take
_MAX_HELD = 2  # tokenizers that the other process holds
_child = Child("model.machine.text_trial", TEXT_SECONDS)
_asking = threading.Lock()
_keys: WeakKeyDictionary[Any, int] = WeakKeyDictionary()  # of the tokenizers that are guarded
_numbers = count()


def guard(tokenizer: Any) -> None:
    """Lets each text be tried first that this tokenizer is given from now on.

    One that is written in Python has no rules that another process could be sent.
    """
    if hasattr(tokenizer, "backend_tokenizer"):
        _keys.setdefault(tokenizer, next(_numbers))


def try_text(tokenizer: Any, text: str) -> None:
    """Encodes a text in the other process, if the tokenizer is guarded.

    Raises:
        ValueError: It took too much time or memory, or failed; a few words.
    """
    key = _keys.get(tokenizer)
    if key is None:
        return
    with _asking:
        _child.seconds = TEXT_SECONDS
        if not _child.ask(key=key, text=text):
            rules = tokenizer.backend_tokenizer.to_str()
            _child.seconds += SECONDS_PER_MB * len(rules) / 1e6
            _child.ask(key=key, text=text, rules=rules)


# In the other process


_held: OrderedDict[int, Any] = OrderedDict()  # the longest idle first


def encode(key: int, text: str, rules: str | None = None) -> bool:
    """Encodes and decodes a text; returns whether the tokenizer is known here."""
    from tokenizers import Tokenizer

    if rules is not None:
        _held[key] = Tokenizer.from_str(rules)
        _held[key].no_truncation()
        _held[key].no_padding()
        while len(_held) > _MAX_HELD:
            _held.popitem(last=False)
    if key not in _held:
        return False
    _held.move_to_end(key)
    with suppress(ImportError, ValueError, OSError):  # not every system can
        import resource

        _, hard = resource.getrlimit(resource.RLIMIT_DATA)
        limit = psutil.Process().memory_info().rss + MAX_TEXT_BYTES
        resource.setrlimit(resource.RLIMIT_DATA, (min(limit, hard) if hard > 0 else limit, hard))
    _held[key].decode(_held[key].encode(text).ids)
    return True


if __name__ == "__main__":
    answer(encode)
