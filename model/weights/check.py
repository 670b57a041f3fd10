"""The files of a model on this disk: its config, its tokenizer, its safetensors.

They are looked at before anything is loaded, so that each thing that can be wrong with them has its
own sentence. This module opens no pickle, runs no code of a model's and does not import torch.
"""

import json
import math
import threading
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from safetensors import safe_open

from model.machine.child import Child, EndedError
from model.records import ModelKind
from model.sentences import Sentence, apart, cut

# writes from left to right, fills masks, or reads one text to write another

SETTINGS_FILES = (
    "config.json",
    "generation_config.json",
    "chat_template.jinja",
    "special_tokens_map.json",
)
INDEX = "model.safetensors.index.json"
_PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".h5", ".msgpack")
_TOKENIZERS = ("tokenizer", "vocab", "merges", "spiece", "sentencepiece", "tekken")
# of numbers that are kept as they are; those of all other kinds are loaded in another format
_BYTES = {"BOOL": 1, "U8": 1, "I8": 1, "U16": 2, "I16": 2, "U32": 4, "I32": 4, "U64": 8, "I64": 8}


MAX_SETTINGS = 1_000_000  # bytes of a file of settings, which is read whole in this process
MAX_INDEX = 20_000_000  # bytes of the index of the weights: the largest models' have nine million
MAX_TOKENIZER = 100_000_000  # bytes of a tokenizer's files
MAX_TENSORS = 200_000  # of all weights: the largest models have ninety thousand
_TRIAL_SECONDS = 4.0
_SECONDS_PER_MB = 4.0  # of the tokenizer: a large one takes its time
_one_at_a_time = threading.Lock()  # a trial takes some 400 MB
_passed: dict[Path, set[tuple[str, int, int]]] = {}  # the files of folders that passed theirs


class LoadError(ValueError):
    """A model cannot be loaded; the message is one sentence with the remedy."""


def read_config(folder: Path, name: str) -> dict[str, Any]:
    """Returns config.json as it is written, once it is sure to describe a model of this library.

    Raises:
        LoadError: where it is missing or malformed, or where its model needs code of its own.
    """
    from transformers import CONFIG_MAPPING

    path = folder / "config.json"
    if not path.is_file():
        if (folder / "adapter_config.json").is_file():
            raise LoadError(
                Sentence(
                    "{name} has no config.json and is an adapter: merge it into its base model, "
                    "or choose a saved model's folder.",
                    name=name,
                )
            )
        raise LoadError(
            Sentence(
                "{name} has no config.json and is no model: choose a saved model's folder.",
                name=name,
            )
        )
    for file in SETTINGS_FILES:
        check_size(folder / file, name)
    config = read_json(path, name)
    model_type = config.get("model_type")
    if not isinstance(model_type, str):
        raise LoadError(
            Sentence(
                "The config.json of {name} names no model_type: save the model again.", name=name
            )
        )
    classes = config.get("architectures")
    if not isinstance(classes, list) or not classes or not all(isinstance(c, str) for c in classes):
        raise LoadError(
            Sentence(
                "The config.json of {name} names no architectures: save the model again.", name=name
            )
        )
    if model_type not in CONFIG_MAPPING:
        if "auto_map" in config:
            raise LoadError(
                Sentence(
                    "{name} runs only with code of its own, which is never executed here: choose "
                    "a model whose type transformers knows.",
                    name=name,
                )
            )
        raise LoadError(
            Sentence(
                "transformers knows no model of the type “{given}”, which {name} is: upgrade "
                "transformers or choose another model.",
                given=cut(model_type),
                name=name,
            )
        )
    return config


def kind_of(config: dict[str, Any], name: str) -> ModelKind:
    """Tells what a model does, by the class that its config names.

    Raises:
        LoadError: where it is no language model, or a part of one that cannot be opened alone.
    """
    from transformers.models.auto import modeling_auto as auto

    architectures, model_type = set(config["architectures"]), config["model_type"]
    is_causal_type = model_type in auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES
    names_causal = bool(architectures & _classes(auto.MODEL_FOR_CAUSAL_LM_MAPPING_NAMES))
    has_encoder = architectures & _classes(auto.MODEL_FOR_SEQ_TO_SEQ_CAUSAL_LM_MAPPING_NAMES)
    if config.get("is_encoder_decoder") or (has_encoder and not names_causal):
        return "seq2seq"
    # an encoder reads both sides of a word, whatever its class is called, unless its config says so
    if is_causal_type and _is_encoder(config):
        return "masked"
    if names_causal and is_causal_type:
        return "causal"
    if architectures & _classes(auto.MODEL_FOR_MASKED_LM_MAPPING_NAMES):
        return "masked"
    # one without its head, or one that sees as well: its text half is a causal model
    has_text_half = architectures <= _classes(auto.MODEL_FOR_IMAGE_TEXT_TO_TEXT_MAPPING_NAMES)
    is_bare = all(architecture.endswith("Model") for architecture in architectures)
    if is_causal_type and (is_bare or has_text_half):
        return "causal"
    if names_causal:
        raise LoadError(
            Sentence(
                "{name} is of the type “{given}”, which transformers opens only as a part of "
                "another model: choose the whole one.",
                name=name,
                given=cut(model_type),
            )
        )
    raise LoadError(
        Sentence(
            "{name} is no language model but “{given}”: choose one whose config.json "
            "names a class that ends in ForCausalLM or LMHeadModel.",
            name=name,
            given=cut(min(architectures)),
        )
    )


def _is_encoder(config: dict[str, Any]) -> bool:
    """Tells whether a model of BERT's family was left an encoder."""
    from transformers import CONFIG_MAPPING
    from transformers.models.auto.modeling_auto import MODEL_FOR_MASKED_LM_MAPPING_NAMES

    kind: Any = CONFIG_MAPPING[config["model_type"]]
    has_both = config["model_type"] in MODEL_FOR_MASKED_LM_MAPPING_NAMES
    fields = getattr(kind, "__dataclass_fields__", {})
    return has_both and "is_decoder" in fields and not config.get("is_decoder")


def check_causal(kind: ModelKind, name: str) -> None:
    """Refuses a model that does not write from left to right.

    Raises:
        LoadError: one sentence with the remedy.
    """
    if kind == "masked":
        raise LoadError(
            Sentence(
                "{name} is a masked model, which fills gaps in a text and does not write from "
                "left to right: choose a causal one, such as openai-community/gpt2.",
                name=name,
            )
        )
    if kind == "seq2seq":
        raise LoadError(
            Sentence(
                "{name} is a seq2seq model, which has an encoder before it writes and does not "
                "write from left to right: choose a causal one, such as openai-community/gpt2.",
                name=name,
            )
        )


def _classes(mapping: dict[str, Any]) -> set[str]:
    """Returns the class names of one of transformers' mappings, each of which may be several."""
    values = (value if isinstance(value, tuple) else (value,) for value in mapping.values())
    return {name for names in values for name in names}


def find_weights(folder: Path, name: str) -> list[Path]:
    """Lists the safetensors files of a model.

    Raises:
        LoadError: where there are none, or where some are missing.
    """
    if (folder / "model.safetensors").is_file():
        return [folder / "model.safetensors"]
    if (folder / INDEX).is_file():
        paths = [folder / shard for shard in shards_of(folder, name)]
        missing = [path.name for path in paths if not path.is_file()]
        if missing:
            raise LoadError(
                Sentence(
                    "{name} lacks {file}: download the model again.", name=name, file=missing[0]
                )
            )
        return paths
    raise no_weights(name, (path.name for path in folder.iterdir()))


def shards_of(folder: Path, name: str) -> list[str]:
    """Lists the files that a model's index names."""
    shards = read_json(folder / INDEX, name, MAX_INDEX).get("weight_map")
    if not isinstance(shards, dict):
        raise LoadError(
            Sentence(
                "{index} of {name} has no weight_map: download the model again.",
                index=INDEX,
                name=name,
            )
        )
    return sorted({Path(str(shard)).name for shard in shards.values()})


def no_weights(name: str, files: Iterable[str]) -> LoadError:
    """Returns the error of a model whose files hold no safetensors that can be loaded."""
    if any(file.endswith(_PICKLES) for file in files):
        return LoadError(
            Sentence(
                "{name} has its weights as pickles only, which can run code and are never "
                "opened: choose a model with safetensors, or save it again with "
                "save_pretrained.",
                name=name,
            )
        )
    return LoadError(
        Sentence("{name} has no safetensors weights: choose a model that has.", name=name)
    )


def is_tokenizer_file(file: str) -> bool:
    """Tells whether a file of this name belongs to a tokenizer."""
    return file.startswith(_TOKENIZERS) or file.endswith(".model")


def tokenizer_bytes(folder: Path) -> int:
    """Returns the bytes of a tokenizer's files."""
    return sum(path.stat().st_size for path in folder.iterdir() if is_tokenizer_file(path.name))


def check_tokenizer(folder: Path, name: str) -> None:
    """Refuses a tokenizer that would take minutes and gigabytes to read.

    Raises:
        LoadError: one sentence with the remedy.
    """
    if (n_bytes := tokenizer_bytes(folder)) > MAX_TOKENIZER:
        has, most = apart(n_bytes / 1e6, MAX_TOKENIZER / 1e6, 0)
        raise LoadError(
            Sentence(
                "The tokenizer of {name} has {has} MB, and {most} are read: choose another model.",
                name=name,
                has=has,
                most=most,
            )
        )


def try_first(folder: Path, name: str) -> None:
    """Reads all of a model but its weights in another process, which it may hang or abort.

    Files that have passed are not tried again: a download that was stopped goes on at once.

    Raises:
        LoadError: where that fails, takes too long, or ends that process.
    """
    folder = folder.resolve()
    files = {
        (path.name, path.stat().st_size, path.stat().st_mtime_ns)
        for path in folder.iterdir()
        if path.is_file() and path.suffix != ".safetensors"
    }
    n_bytes = tokenizer_bytes(folder)
    seconds = _TRIAL_SECONDS + _SECONDS_PER_MB * n_bytes / 1e6
    with _one_at_a_time:
        if _passed.get(folder) != files:
            _try(folder, name, seconds)
            _passed[folder] = files


def _try(folder: Path, name: str, seconds: float) -> None:
    with Child("model.weights.trial", seconds) as child:
        try:
            child.ask(folder=str(folder), name=name)
        except EndedError as error:
            raise LoadError(
                Sentence(
                    "{name} was tried and not loaded ({error}): choose another model.",
                    name=name,
                    error=error.args[0],
                )
            ) from error
        except ValueError as error:
            raise LoadError(f"{error}.") from error


def count_numbers(paths: list[Path], name: str) -> Mapping[str, int]:
    """Counts the numbers of these weights by their kind, as safetensors name it.

    Raises:
        LoadError: where a file is not safetensors, say a pointer that Git LFS left behind.
    """
    counts: Counter[str] = Counter()
    n_tensors = 0
    for path in paths:
        try:
            with safe_open(path, framework="numpy") as file:
                keys = file.offset_keys()
                n_tensors += len(keys)
                tensors = [file.get_slice(key) for key in keys[:MAX_TENSORS]]
        except Exception as error:  # some of a header's faults have kinds of their own
            raise LoadError(
                Sentence(
                    "{file} of {name} is not a safetensors file: download it again, with `git "
                    "lfs pull` if it came by Git.",
                    file=path.name,
                    name=name,
                )
            ) from error
        if n_tensors > MAX_TENSORS:
            raise LoadError(
                Sentence(
                    "{name} has {n_tensors} tensors or more, and {max_tensors} are read: choose "
                    "another model.",
                    name=name,
                    n_tensors=format(n_tensors, ","),
                    max_tensors=format(MAX_TENSORS, ","),
                )
            )
        for tensor in tensors:
            counts[tensor.get_dtype()] += math.prod(tensor.get_shape())
    return counts


def bytes_of(counts: Mapping[str, int], bytes_per_number: int) -> int:
    """Returns what numbers take in memory, counted by kind, as safetensors name them."""
    return sum(n * _BYTES.get(kind, bytes_per_number) for kind, n in counts.items())


def check_size(path: Path, name: str, limit: int = MAX_SETTINGS) -> None:
    """Refuses a file that is too large to be read whole.

    Raises:
        LoadError: where it is larger; one that is missing is not.
    """
    if path.is_file() and path.stat().st_size > limit:
        size = f"{limit / 1e6:.0f} MB"
        raise LoadError(
            Sentence(
                "{file} of {name} has more than {size}: download it again.",
                file=path.name,
                name=name,
                size=size,
            )
        )


def read_json(path: Path, name: str, limit: int = MAX_SETTINGS) -> dict[str, Any]:
    """Returns the object that a JSON file holds.

    Raises:
        LoadError: where the file is too large, or cannot be read as one.
    """
    check_size(path, name, limit)
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise LoadError(
            Sentence("{file} of {name} is malformed: download it again.", file=path.name, name=name)
        ) from error
    if not isinstance(content, dict):
        raise LoadError(
            Sentence("{file} of {name} is malformed: download it again.", file=path.name, name=name)
        )
    return content
