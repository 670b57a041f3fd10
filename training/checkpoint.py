"""What is written to disk: a checkpoint to go on from, and the folder a model is loaded from.

Both appear at once or not at all: all is written beside its place first, then renamed into it.
"""

import errno
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
from tokenizers import Tokenizer
from transformers import GenerationConfig, PreTrainedModel

from training.tokenizer import save_tokenizer

Checkpoint = dict[str, Any]


class DiskError(OSError):
    """Something could not be written; the message says what to do."""


@contextmanager
def writing(path: Path) -> Iterator[None]:
    """Turns what goes wrong while a file is written into one sentence with its remedy.

    Raises:
        DiskError: the disk is full, or the place cannot be written.
    """
    try:
        yield
    except (OSError, RuntimeError) as error:  # torch reports a full disk as a RuntimeError
        is_full = getattr(error, "errno", None) == errno.ENOSPC or "PytorchStreamWriter" in str(
            error
        )
        if is_full or "No space left" in str(error):
            remedy = "free some space and run the same command again"
            raise DiskError(f"The disk is full, {path} was not written: {remedy}.") from error
        remedy = "choose a folder that you may write to"
        raise DiskError(f"Cannot write {path} ({error}): {remedy}.") from error


def write_checkpoint(state: Checkpoint, path: Path) -> None:
    """Saves a dictionary of tensors and plain values in place of the old one, or leaves the old."""
    unfinished = path.with_suffix(".tmp")
    try:
        with writing(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            torch.save(state, unfinished)
            os.replace(unfinished, path)
    finally:
        unfinished.unlink(missing_ok=True)


def read_checkpoint(path: Path) -> Checkpoint | None:
    """Loads a checkpoint, or None where there is none yet."""
    if not path.exists():
        return None
    state: Checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    return state


def export(
    model: PreTrainedModel, tokenizer: Tokenizer, folder: Path, dtype: torch.dtype = torch.bfloat16
) -> None:
    """Writes what `from_pretrained(folder)` reads: config, weights as safetensors, tokenizer.

    Args:
        model: stays as it is; the copy on disk is rounded.
        tokenizer: the family's.
        folder: files of the same name in it are replaced, others stay.
        dtype: of the weights on disk.
    """
    unfinished = folder.with_name(f".{folder.name}.tmp")
    shutil.rmtree(unfinished, ignore_errors=True)
    rounded: dict[str, torch.Tensor] = {}
    written: set[int] = set()
    for name, weight in model.state_dict().items():
        if weight.data_ptr() not in written:  # tied weights are one tensor by several names
            rounded[name] = weight.detach().to(dtype, copy=True)
        written.add(weight.data_ptr())
    try:
        with writing(folder):
            unfinished.mkdir(parents=True)
            model.generation_config = greedy_config(model)
            model.save_pretrained(unfinished, state_dict=rounded)
            save_tokenizer(tokenizer, unfinished)
            folder.mkdir(parents=True, exist_ok=True)
            for file in sorted(unfinished.iterdir()):
                file.chmod(0o644)  # safetensors writes for its owner only
                os.replace(file, folder / file.name)
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def greedy_config(model: PreTrainedModel) -> GenerationConfig:
    """How the model writes unless told otherwise: greedily, with no hidden sampling settings."""
    config = model.config
    return GenerationConfig(  # type: ignore[no-untyped-call]  # transformers has no types here
        bos_token_id=config.bos_token_id,
        eos_token_id=config.eos_token_id,
        pad_token_id=config.pad_token_id,
        decoder_start_token_id=getattr(config, "decoder_start_token_id", None),
        do_sample=False,
    )
