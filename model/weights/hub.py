"""What the Hugging Face hub, and this machine's cache of it, hold of a model.

All of it is asked of `huggingface_hub`: names, revisions, files, the cache, what went wrong.
Nothing large is fetched here.
"""

from __future__ import annotations

import fnmatch
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from model.records import ModelKind
from model.sentences import Sentence, reason
from model.weights.check import (
    INDEX,
    SETTINGS_FILES,
    LoadError,
    count_numbers,
    find_weights,
    is_tokenizer_file,
    kind_of,
    no_weights,
)

if TYPE_CHECKING:
    from huggingface_hub import ResolvedRevision

_PATIENCE_SECONDS = 10.0


@dataclass(frozen=True)
class HubModel:
    """A model on the hub, as the hub describes it."""

    repo_id: str
    revision: ResolvedRevision  # what was asked for, and the commit that it stands for
    sizes: Mapping[str, int]  # bytes of the files that make up the model, small ones first
    counts: Mapping[str, int]  # numbers by kind, as safetensors name them; empty where not known
    licence: str | None
    is_gated: bool
    base: str | None  # what it was made from, by its card
    kind: ModelKind | None  # what it does, where the hub knows its class

    @property
    def name(self) -> str:
        """Its id, with the revision that was asked for."""
        return "@".join(filter(None, (self.repo_id, self.revision.initial)))

    @property
    def n_bytes(self) -> int:
        """Of all its files."""
        return sum(self.sizes.values())

    @property
    def before_weights(self) -> list[str]:
        """The files that tell whether its weights can be read."""
        return [file for file in self.sizes if not file.endswith(".safetensors")]


def split_name(name: str) -> tuple[str, str | None]:
    """Returns a repository and a revision of it, by a name such as "gpt2" or "gpt2@main"."""
    repo_id, _, revision = name.strip().partition("@")
    return repo_id, revision or None


def full_id(name: str) -> str:
    """Returns the id that a name without an owner stands for, such as GPT-2 for the listed gpt2.

    Names of what is listed, or on this disk, are told apart by their letters and digits alone.
    """
    repo_id, revision = split_name(name)
    if "/" in repo_id:
        return name
    known = dict.fromkeys([*listed_models(), *map(_owned, cached_models())])
    found = [other for other in known if _bare(other.rpartition("/")[2]) == _bare(repo_id)]
    meant = found[0] if len(found) == 1 and repo_id not in known else repo_id
    return "@".join(filter(None, (meant, revision)))


def _owned(name: str) -> str:
    return split_name(name)[0]


def _bare(name: str) -> str:
    return "".join(filter(str.isalnum, name.casefold()))


@cache
def listed_models() -> dict[str, dict[str, Any]]:
    """Returns what `small_models.json` says of the models that the page lists, by their ids."""
    listed = json.loads(Path(__file__).with_name("small_models.json").read_text(encoding="utf-8"))
    return {model["id"]: model for model in listed["models"]}


def is_hub_id(name: str) -> bool:
    """Tells whether a name can be one of the hub's."""
    from huggingface_hub import errors, utils

    repo_id, revision = split_name(name)
    try:
        utils.validate_repo_id(repo_id)  # type: ignore[attr-defined]  # documented, not exported
    except errors.HFValidationError:
        return False
    return revision is None or re.fullmatch(r"(?!.*\.\.)\w[\w./-]{0,79}", revision) is not None


def host() -> str:
    """Returns the hub's name, as sentences say it."""
    from huggingface_hub import constants

    return urlsplit(constants.ENDPOINT).netloc


def is_offline() -> bool:
    """Tells whether this process may not ask the hub."""
    from huggingface_hub import is_offline_mode

    return is_offline_mode()


def cached_folder(name: str) -> Path | None:
    """Returns the snapshot of a model that is on this disk, if all of it is there."""
    from huggingface_hub import try_to_load_from_cache

    repo_id, revision = split_name(full_id(name))
    config = try_to_load_from_cache(repo_id, "config.json", revision=revision)
    if not isinstance(config, str):
        return None
    folder = Path(config).parent
    return folder if is_whole(folder) else None


def is_whole(folder: Path) -> bool:
    """Tells whether a folder holds a config, a tokenizer and all weights, none cut short."""
    try:
        count_numbers(find_weights(folder, ""), "")
    except LoadError:
        return False
    names = [path.name for path in folder.iterdir()]
    return "config.json" in names and any(map(is_tokenizer_file, names))


def cached_models() -> dict[str, Path]:
    """Returns the folders of what of the hub is on this disk and whole, the latest used first."""
    from huggingface_hub import CacheNotFound, constants, scan_cache_dir

    try:
        repositories = scan_cache_dir(constants.HF_HUB_CACHE).repos
    except CacheNotFound:
        return {}
    models = [repo for repo in repositories if repo.repo_type == "model"]
    found = {}
    for repo in sorted(models, key=lambda repo: repo.last_accessed, reverse=True):
        for revision in repo.revisions:
            for ref in revision.refs:
                name = repo.repo_id if ref == "main" else f"{repo.repo_id}@{ref}"
                if is_whole(revision.snapshot_path):
                    found[name] = revision.snapshot_path
    return found


def ask(name: str) -> HubModel:
    """Asks the hub for a model: which files make it up, and what is known of them.

    Raises:
        LoadError: where it cannot be had, or has nothing that can be loaded.
    """
    from huggingface_hub import HfApi

    repo_id, revision = split_name(full_id(name))
    hub = HfApi()
    try:
        resolved = hub.resolve_revision(repo_id, revision=revision)
        info = hub.model_info(
            repo_id, revision=resolved.resolved, files_metadata=True, timeout=_PATIENCE_SECONDS
        )
        if info.id != repo_id:  # it was renamed, and is kept by its own name alone
            resolved = hub.resolve_revision(info.id, revision=revision)
    except Exception as error:  # of the hub's, the network's or the disk's many kinds
        raise hub_error(name, error) from error
    bases = getattr(info.card_data, "base_model", None) or ()
    licence = getattr(info.card_data, "license", None)
    base = next(iter([bases] if isinstance(bases, str) else bases), None)
    return HubModel(
        info.id,
        resolved,
        _wanted({file.rfilename: file.size or 0 for file in info.siblings or ()}, name, base),
        info.safetensors.parameters if info.safetensors else {},
        str(licence) if licence else None,
        bool(info.gated),
        base,
        _kind(info.config or {}, name),
    )


def _kind(said: Mapping[str, Any], name: str) -> ModelKind | None:
    """Tells what a model does by what the hub says of its config, which is its class alone.

    Raises:
        LoadError: where it is no language model.
    """
    from transformers import CONFIG_MAPPING

    if said.get("model_type") not in CONFIG_MAPPING or not said.get("architectures"):
        return None  # the config itself will tell
    return kind_of({**said, "is_decoder": True}, name)


def _wanted(sizes: Mapping[str, int], name: str, base: str | None) -> dict[str, int]:
    """Picks the files of a repository that make up its model, small ones first.

    Raises:
        LoadError: where they do not: no config, no safetensors.
    """
    top = [file for file in sizes if "/" not in file]
    if any(file.endswith(".gguf") for file in top) and "model.safetensors" not in top:
        says = Sentence(
            "{name} is in GGUF, the format of llama.cpp: choose a repository that has safetensors."
        )
        if base:
            says = Sentence(
                "{name} is in GGUF, the format of llama.cpp: choose {base}, which it was made from."
            )
        raise LoadError(says.filled(name=name, base=base))
    if "adapter_config.json" in top and "config.json" not in top:
        says = Sentence("{name} is an adapter, which changes another model: choose its base model.")
        if base:
            says = Sentence(
                "{name} is an adapter, which changes another model: choose {base}, which it was "
                "made from."
            )
        raise LoadError(says.filled(name=name, base=base))
    if "config.json" not in top:
        raise LoadError(
            Sentence(
                "{name} has no config.json and is no model: choose another repository.", name=name
            )
        )
    shards = fnmatch.filter(top, "model-*-of-*.safetensors")
    whole = "model.safetensors"
    weights = [whole] if whole in top else [*shards, *fnmatch.filter(top, INDEX)]
    if not weights:
        raise no_weights(name, top)
    others = [file for file in top if file in SETTINGS_FILES or is_tokenizer_file(file)]
    return {file: sizes[file] for file in sorted({*others, *weights}, key=sizes.__getitem__)}


def hub_error(name: str, error: Exception) -> LoadError:
    """Turns what went wrong on the way to the hub into one sentence with the remedy."""
    from huggingface_hub import constants, errors

    if isinstance(error, errors.RevisionResolutionError) and isinstance(error.__cause__, Exception):
        error = error.__cause__
    repo_id, revision = split_name(name)
    if isinstance(error, errors.GatedRepoError):
        return LoadError(
            Sentence(
                "{model} is gated: accept its terms at {endpoint}/{model}, then give this "
                "machine your token with `hf auth login` or in the variable HF_TOKEN.",
                model=repo_id,
                endpoint=constants.ENDPOINT,
            )
        )
    if isinstance(error, errors.RepositoryNotFoundError):
        return LoadError(
            Sentence(
                "{host} has no public model {model}: check the spelling, or sign in with `hf "
                "auth login` if it is private.",
                host=host(),
                model=repo_id,
            )
        )
    if isinstance(error, errors.RevisionNotFoundError):
        return LoadError(
            Sentence(
                "{model} has no revision {revision}: leave it out, or correct it.",
                model=repo_id,
                revision=revision,
            )
        )
    if isinstance(error, errors.OfflineModeIsEnabled):
        return LoadError(
            Sentence(
                "{name} is not on this machine and HF_HUB_OFFLINE forbids the network: unset "
                "it, or choose a model that is here.",
                name=name,
            )
        )
    if isinstance(error, errors.HfHubHTTPError):
        return LoadError(
            Sentence(
                "{host} refused {name} ({reason}): try again later.",
                host=host(),
                name=name,
                reason=reason(error),
            )
        )
    if isinstance(error, OSError) and error.errno is not None and error.filename is not None:
        return LoadError(
            Sentence(
                "{name} cannot be written to disk ({strerror}): free some space and try again.",
                name=name,
                strerror=error.strerror,
            )
        )
    return LoadError(
        Sentence(
            "{name} is not on this machine and {host} cannot be reached: connect to the "
            "network, or choose a model that is here.",
            name=name,
            host=host(),
        )
    )
