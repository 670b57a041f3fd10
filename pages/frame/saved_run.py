"""A saved run that comes back as a file: what every page that takes one asks of it."""

import json
from collections.abc import Callable
from typing import Any, TypeAlias, TypeVar

from model.sentences import reason

MAX_MEGABYTES = 20
MAX_IDS = 200_000  # tokens of one run
KIND = "All of it, JSON"  # the button that saves one

Read = TypeVar("Read")
SavedIds: TypeAlias = tuple[str, list[int], list[int]]  # the model, its prompt, what was written


def read_saved(data: bytes, read: Callable[[dict[str, Any]], Read]) -> Read:
    """Returns what is read of a saved run.

    Args:
        data: The file.
        read: Is told what stands in it, and raises ValueError with a few words.

    Raises:
        ValueError: It is no saved run; one sentence with the remedy.
    """
    try:
        saved = json.loads(data)
        if not isinstance(saved, dict) or "link" not in saved:
            raise ValueError("it holds no run")
        return read(saved)
    except (ValueError, RecursionError) as error:
        raise ValueError(
            f"This file cannot be opened ({reason(error)}): choose one saved by “{KIND}”."
        ) from None


def ids_of(saved: dict[str, Any]) -> SavedIds:
    """Returns which model wrote a saved run, and its tokens.

    Raises:
        ValueError: They cannot be read; a few words.
    """
    try:
        prompt, steps = list(saved["prompt"]["ids"]), [step["id"] for step in saved["steps"]]
        name = saved["model"]["name"]
    except (KeyError, TypeError):
        raise ValueError("its tokens are missing") from None
    if len(prompt) + len(steps) > MAX_IDS:
        raise ValueError(f"it has more than {MAX_IDS:,} tokens")
    if not isinstance(name, str) or not all(type(i) is int and i >= 0 for i in prompt + steps):
        raise ValueError("its tokens cannot be read")
    return name, prompt, steps
