"""Where a model's files are: shipped with this project, in a folder, or on the Hugging Face hub.

Every source ends as a folder on this disk. What is here already is used without asking the network,
and only the files that are needed are ever downloaded: config, tokenizer and safetensors. This
module knows names and the hub; what the files hold is for others to read.
"""

from __future__ import annotations

import fnmatch
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeAlias

from model.sentences import cut, reason
from model.weights.check import INDEX, LoadError, find_weights, is_tokenizer_file, no_weights

PRETRAINED = Path(__file__).parents[1] / "pretrained"
SHIPPED = {path.parent.name: path.parent for path in sorted(PRETRAINED.glob("*/config.json"))}

Progress: TypeAlias = Callable[[str], None]  # is told, in words, what is being done
Admission: TypeAlias = Callable[[int], object]  # raises where so many numbers do not fit in memory

_SETTINGS = (
    "config.json",
    "generation_config.json",
    "chat_template.jinja",
    "special_tokens_map.json",
)
_PATIENCE_SECONDS = 10.0


def find_folder(name: str, progress: Progress, admit: Admission) -> Path:
    """Returns the folder that holds the files of a model, downloading them if need be.

    Args:
        name: a shipped model, a folder, or a hub id. What is on this disk is used first.
        progress: is told, in words, what is being done.
        admit: is asked before a download, so that what cannot be loaded is not fetched.

    Raises:
        LoadError: where there is no such model or it cannot be had.
    """
    if not name.strip():
        raise LoadError(f"No model is named: choose one of {_choices()}.")
    if name in SHIPPED:
        return SHIPPED[name]
    path = path_of(name)
    if os.path.isdir(path):
        return Path(path)
    shown = shown_name(name)
    if os.path.isfile(path):
        raise LoadError(f"{shown} is a file: give the folder that holds it, its config.json too.")
    if not _is_hub_id(name.strip()):
        raise LoadError(
            f"“{shown}” is neither a folder on this machine nor a hub id: "
            f"choose one of {_choices()}."
        )
    return _cached_folder(name.strip()) or _download(name.strip(), progress, admit)


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


def _is_hub_id(name: str) -> bool:
    from huggingface_hub import errors, utils

    try:
        utils.validate_repo_id(name)  # type: ignore[attr-defined]  # documented, not exported
    except errors.HFValidationError:
        return False
    return True


def _choices() -> str:
    """Names what can be loaded."""
    return ", ".join([*SHIPPED, "a folder", "a hub id such as openai-community/gpt2"])


def _cached_folder(hub_id: str) -> Path | None:
    """Returns the snapshot of a model that was downloaded before, if all of it is there."""
    from huggingface_hub import try_to_load_from_cache

    config = try_to_load_from_cache(hub_id, "config.json")
    if not isinstance(config, str):
        return None
    folder = Path(config).parent
    try:
        find_weights(folder, hub_id)
    except LoadError:
        return None
    return folder if any(is_tokenizer_file(path.name) for path in folder.iterdir()) else None


def _download(hub_id: str, progress: Progress, admit: Admission) -> Path:
    """Fetches the files of a model, one after another, and returns the folder that they are in."""
    from huggingface_hub import HfApi, hf_hub_download

    progress(f"Asking huggingface.co for {hub_id}")
    try:
        info = HfApi().model_info(hub_id, files_metadata=True, timeout=_PATIENCE_SECONDS)
        if info.safetensors is not None:
            admit(info.safetensors.total)
        sizes = {file.rfilename: file.size or 0 for file in info.siblings or ()}
        folder = Path()
        for file in _wanted(sizes, hub_id):
            progress(f"Downloading {file} of {hub_id}, {sizes[file] / 1e6:,.1f} MB")
            folder = Path(hf_hub_download(hub_id, file, revision=info.sha)).parent
    except LoadError:
        raise
    except Exception as error:  # of the hub's, the network's or the disk's many kinds
        raise _hub_error(hub_id, error) from error
    return folder


def _wanted(sizes: dict[str, int], hub_id: str) -> list[str]:
    """Picks the files of a repository that make up its model, small ones first.

    Raises:
        LoadError: where they do not: no config, no safetensors.
    """
    if "config.json" not in sizes:
        raise LoadError(f"{hub_id} has no config.json and is no model: choose another repository.")
    top = [file for file in sizes if "/" not in file]
    whole = "model.safetensors"
    shards = fnmatch.filter(top, "model-*-of-*.safetensors")
    weights = [whole] if whole in top else [*shards, *fnmatch.filter(top, INDEX)]
    if not weights:
        raise no_weights(hub_id, top)
    others = [file for file in top if file in _SETTINGS or is_tokenizer_file(file)]
    return sorted({*others, *weights}, key=sizes.__getitem__)


def _hub_error(hub_id: str, error: Exception) -> LoadError:
    """Turns what went wrong on the way to the hub into one sentence with the remedy."""
    from huggingface_hub import errors

    if isinstance(error, errors.GatedRepoError):
        return LoadError(
            f"{hub_id} is gated: accept its terms on https://huggingface.co/{hub_id}, "
            "then sign in here with `hf auth login`."
        )
    if isinstance(error, errors.RepositoryNotFoundError):
        return LoadError(
            f"huggingface.co has no public model {hub_id}: check the spelling, or sign in with "
            "`hf auth login` if it is private."
        )
    if isinstance(error, errors.OfflineModeIsEnabled):
        return LoadError(
            f"{hub_id} is not on this machine and HF_HUB_OFFLINE forbids the network: "
            f"unset it, or choose one of {_choices()}."
        )
    if isinstance(error, errors.HfHubHTTPError):
        return LoadError(f"huggingface.co refused {hub_id} ({reason(error)}): try again later.")
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        return LoadError(
            f"{hub_id} cannot be written to disk ({error.strerror}): free some space and try again."
        )
    return LoadError(
        f"{hub_id} is not on this machine and huggingface.co cannot be reached: "
        f"connect to the network, or choose one of {_choices()}."
    )
