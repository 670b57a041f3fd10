"""Where a model's files are: shipped with this project, in a folder, or downloaded before.

Every source ends as a folder on this disk. What the hub has besides is for `hub` to say.
"""

import os
from pathlib import Path

from model.sentences import Sentence, cut
from model.weights.check import LoadError
from model.weights.hub import cached_folder, is_hub_id

PRETRAINED = Path(__file__).parents[1] / "pretrained"
SHIPPED = {path.parent.name: path.parent for path in sorted(PRETRAINED.glob("*/config.json"))}


def find_folder(name: str) -> Path | None:
    """Returns the folder on this disk that holds a model; None where only the hub can have it.

    Args:
        name: a shipped model, a folder, or a hub id. What was downloaded before is on this disk.

    Raises:
        LoadError: where there can be no such model.
    """
    if not name.strip():
        raise LoadError(
            Sentence(
                "No model is named: choose one of {models}, a folder, a hub id such as "
                "openai-community/gpt2.",
                models=", ".join(SHIPPED),
            )
        )
    if name in SHIPPED:
        return SHIPPED[name]
    path = path_of(name)
    if os.path.isdir(path):
        return Path(path)
    shown = shown_name(name)
    if os.path.isfile(path):
        raise LoadError(
            Sentence(
                "{model} is a file: give the folder that holds it, its config.json too.",
                model=shown,
            )
        )
    if not is_hub_id(name):
        raise LoadError(
            Sentence(
                "“{model}” is neither a folder on this machine nor a hub id: choose one of "
                "{models}, a folder, a hub id such as openai-community/gpt2.",
                model=shown,
                models=", ".join(SHIPPED),
            )
        )
    return cached_folder(name)


def path_of(name: str) -> str:
    """Returns a name as a path, whether or not anything is there."""
    # no path holds a NUL or half a character, and some functions refuse to look at one
    is_path = "\0" not in name and name.encode("utf-8", "ignore").decode() == name
    return os.path.expanduser(name.strip()) if is_path else ""


def shown_name(name: str) -> str:
    """Returns what sentences call a model: little of a long name, and no folders around its own."""
    path = path_of(name)
    shown = Path(path).name if os.path.exists(path) else name
    return cut(" ".join(shown.encode("utf-8", "backslashreplace").decode().split()))
