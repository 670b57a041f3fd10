"""Which models readers may open, and what they are called here.

The shipped family; what the operator lists in ONE_TOKEN_MODELS; folders below ONE_TOKEN_FOLDER; and
any hub id or folder where all readers are on this machine. "any" in the list allows hub
ids to readers elsewhere. ONE_TOKEN_ENGINE_URL names a server whose model readers begin with.
"""

import ipaddress
import os
from functools import cache
from pathlib import Path

import streamlit as st

from model.sentences import Sentence, cut
from pages.frame.readers import PROXIES

DEFAULT_MODEL = "storyteller"
DEFAULT_PROMPT = "The bird sat on the"  # see tests/home/test_prompts.py
ANY = "any"  # in the operator's list: every hub id


def listed_models() -> dict[str, str]:
    """Returns what the operator lists: what readers call it, and what it is."""
    from model.weights.locate import path_of

    folders = ((name, Path(path_of(name))) for name in _listed() if name != ANY)
    return {folder.name if folder.is_dir() else name: name for name, folder in folders}


def _listed() -> list[str]:
    names = os.environ.get("ONE_TOKEN_MODELS", "").split(",")
    return [name.strip() for name in names if name.strip()]


def is_restricted() -> bool:
    """Tells whether readers may not open just any model of the hub."""
    return ANY not in _listed() if _listed() else not _is_alone()


def takes_names() -> bool:
    """Tells whether readers may name a model that is not offered."""
    return bool(os.environ.get("ONE_TOKEN_FOLDER")) or not is_restricted()


def _is_alone() -> bool:
    """Returns whether all readers are on this machine.

    The server listens there alone, and no proxy is named and no name allowed by which others come.
    """
    if os.environ.get(PROXIES) or st.config.get_option("server.allowedHosts"):
        return False
    address = str(st.config.get_option("server.address"))
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return address == "localhost"


def server_model() -> str | None:
    """Returns what readers call the model of the operator's server; None where there is none."""
    if not os.environ.get("ONE_TOKEN_ENGINE_URL"):
        return None
    return f"{Path(os.environ.get('ONE_TOKEN_ENGINE_MODEL') or 'vLLM').name} (server)"


def default_model() -> str:
    """Returns the model that readers begin with."""
    return server_model() or DEFAULT_MODEL


def offered_models() -> tuple[str, ...]:
    """Returns the names that the page offers, the default first.

    Of the shipped family only what writes one token at a time: the rest belongs to other lessons.
    """
    here = tuple(listed_models()) or _shipped_writers()
    return here if server_model() is None else (default_model(), *here)


@cache
def _shipped_writers() -> tuple[str, ...]:
    from model.weights.locate import SHIPPED

    writers = {name for name, folder in SHIPPED.items() if _writes(folder)}
    return (DEFAULT_MODEL, *sorted(writers - {DEFAULT_MODEL}))


def resolve(name: str) -> tuple[str, str]:
    """Returns what a model is called here, and what to load, by a name that a reader gave.

    Raises:
        LoadError: One sentence, where readers may not open it here.
    """
    from model.loading import SHIPPED, LoadError
    from model.weights.hub import full_id, is_hub_id
    from model.weights.locate import path_of

    if name == server_model():
        return name, name
    for listed, source in listed_models().items():
        if name in (listed, source):
            return listed, source
    path, root = path_of(name), os.environ.get("ONE_TOKEN_FOLDER")
    if name in SHIPPED or (_is_alone() and not root and not is_restricted()):
        is_id = name not in SHIPPED and not os.path.isdir(path)
        return (full_id(name),) * 2 if is_id else (name, name)
    if root:
        folder = Path(os.path.realpath(os.path.join(root, path)))
        if Path(os.path.realpath(root)) in folder.parents and os.path.isdir(folder):
            return os.path.relpath(folder, os.path.realpath(root)), str(folder)
    of_hub = full_id(name)
    # a folder of the server's is refused as one that is not there: nobody learns which are
    if is_restricted() or os.path.exists(path) or not is_hub_id(of_hub):
        says = Sentence("This server offers {offered} only: choose one of them.")
        if not is_restricted():
            says = Sentence(
                "This server offers {offered} and models of the hub, such as "
                "openai-community/gpt2, only: choose one of them."
            )
        raise LoadError(says.filled(offered=cut(", ".join(offered_models()), 150)))
    return (of_hub,) * 2


def models_here() -> list[str]:
    """Returns what readers may open and write with without a network, beside what is offered."""
    from model.weights.hub import cached_models, is_whole

    cached = {} if is_restricted() else cached_models()
    names = [name for name, folder in cached.items() if _writes(folder)]
    root = Path(os.environ.get("ONE_TOKEN_FOLDER") or os.devnull)
    below = [*sorted(root.glob("*")), *sorted(root.glob("*/*"))]
    whole = [path for path in below if path.is_dir() and is_whole(path) and _writes(path)]
    names += [str(path.relative_to(root)) for path in whole]
    return [name for name in names if name not in offered_models()]


def _writes(folder: Path) -> bool:
    """Tells whether a folder's config is that of a causal model."""
    from model.weights.check import LoadError, kind_of, read_config

    try:
        return kind_of(read_config(folder, ""), "") == "causal"
    except LoadError:
        return False


def name_of(name: str) -> str:
    """Returns what a model is called here, by a name that a reader gave.

    Raises:
        LoadError: One sentence, where readers may not open it here.
    """
    return resolve(name.strip())[0]


def folder_of(name: str) -> Path | None:
    """Returns the folder of a model on this disk; None where it would come from the hub.

    Raises:
        LoadError: One sentence, where readers may not open it here, or it cannot be one.
    """
    from model.weights.locate import find_folder

    return find_folder(resolve(name.strip())[1])
