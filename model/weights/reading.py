"""Reads the files of a model: its tokenizer, then its weights; what fails is one sentence.

safetensors only, and never code that comes with a model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import torch
from transformers.utils import logging

from model.machine.device import lock_of
from model.records import ModelKind
from model.sentences import Sentence, is_failure, reason
from model.weights import building
from model.weights.check import (
    LoadError,
    check_tokenizer,
    is_tokenizer_file,
    kind_of,
    read_config,
    try_first,
)
from model.weights.device import has_accelerate
from model.weights.locate import SHIPPED
from model.weights.quantisation import check_quantisation

if TYPE_CHECKING:
    from transformers import PreTrainedModel

Say: TypeAlias = Callable[[str], None]  # is told, in words, what is being done
Place: TypeAlias = torch.device | Literal["auto"]  # "auto" is all GPUs together

SAFELY: dict[str, Any] = {"local_files_only": True, "trust_remote_code": False}


def check_readable(
    folder: Path, name: str, base: str | None = None, *, is_guarded: bool = False
) -> ModelKind:
    """Tells what a model does, once everything but its weights is known to be readable.

    Args:
        folder: with its config and tokenizer; weights are not looked for.
        name: what sentences call it.
        base: what it was made from, if that is known: named where it cannot be read.
        is_guarded: try the files in another process first, which may hang or end over them.

    Raises:
        LoadError: one sentence with the remedy.
    """
    kind = kind_of(read_config(folder, name), name)
    check_quantisation(folder, name, base)
    check_tokenizer(folder, name)
    if is_guarded:
        try_first(folder, name)
    return kind


@contextmanager
def reading(name: str) -> Iterator[None]:
    """Turns whatever is raised while a model is read into one sentence."""
    try:
        yield
    except LoadError:
        raise
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise LoadError(
            Sentence(
                "The memory ran out while {name} was read: choose a smaller model, or a "
                "16-bit dtype if this is none.",
                name=name,
            )
        ) from error
    except BaseException as error:  # transformers raises many kinds; each ends this load
        if not is_failure(error):
            raise
        raise LoadError(
            Sentence(
                "transformers cannot read {name} ({reason}): download it again or choose "
                "another model.",
                name=name,
                reason=reason(error),
            )
        ) from error


def load_tokenizer(folder: Path, name: str) -> Any:
    """Returns the tokenizer that lies beside the weights."""
    from transformers import AutoTokenizer, PreTrainedTokenizerFast

    if not any(is_tokenizer_file(path.name) for path in folder.iterdir()):
        raise LoadError(
            Sentence(
                "{name} has no tokenizer files: save its tokenizer into the same folder.", name=name
            )
        )
    # ours is read by the plain class, which needs no model's
    reader: Any = PreTrainedTokenizerFast if folder == SHIPPED.get(name) else AutoTokenizer
    tokenizer = reader.from_pretrained(folder, **SAFELY)
    if not len(tokenizer):
        raise LoadError(
            Sentence("The tokenizer of {name} knows no tokens: save it again.", name=name)
        )
    return tokenizer


def load_weights(
    folder: Path, name: str, kind: ModelKind, place: Place, dtype: torch.dtype
) -> PreTrainedModel:
    """Returns the model with its weights on one device, or spread over all GPUs, ready to run.

    Raises:
        LoadError: where a weight is missing, which would leave random numbers in its place.
    """
    from transformers import AutoConfig

    hush: Callable[[], None] = logging.disable_progress_bar
    hush()  # progress goes to the page, not to the terminal
    config = AutoConfig.from_pretrained(folder, **SAFELY)
    n_layers = getattr(config.get_text_config(decoder=True), "num_hidden_layers", None)
    if isinstance(n_layers, int) and n_layers < 1:
        raise LoadError(Sentence("{name} has no layers: choose another model.", name=name))
    is_direct = place == "auto" or (place.type != "cpu" and has_accelerate())
    target = torch.device("cuda") if place == "auto" else place
    with building, lock_of(target), _quietly():
        model, report = auto_class(kind).from_pretrained(
            folder,
            config=config,
            dtype=dtype,
            use_safetensors=True,
            output_loading_info=True,
            device_map=place if is_direct else None,
            **SAFELY,
        )
        if not is_direct:  # numbers that need no conversion come from the file that is mapped
            model = model.to(target)
        is_finite = _is_finite(model)
    if report["missing_keys"]:
        missing = sorted(report["missing_keys"])[0]
        raise LoadError(
            Sentence(
                "{name} has no weights for {missing}: choose a model saved with its head.",
                name=name,
                missing=missing,
            )
        )
    if not is_finite:
        raise LoadError(
            Sentence(
                "{name} has weights that are not finite numbers: choose another model.", name=name
            )
        )
    ready: PreTrainedModel = model.eval()
    return ready


@contextmanager
def _quietly() -> Iterator[None]:
    """Keeps transformers' report out of the log, which has a line for each tensor that is alike.

    What matters of it is said on the page.
    """
    verbosity: Callable[[], int] = logging.get_verbosity
    set_verbosity: Callable[[int], None] = logging.set_verbosity
    hush: Callable[[], None] = logging.set_verbosity_error
    before = verbosity()
    hush()
    try:
        yield
    finally:
        set_verbosity(before)


def _is_finite(model: PreTrainedModel) -> bool:
    """Tells whether every weight is a number, of those that are in memory and not quantized."""
    weights = (w for w in model.parameters() if w.is_floating_point() and w.itemsize > 1)
    ends = (torch.stack(weight.aminmax()) for weight in weights if not weight.is_meta)
    return all(bool(end.isfinite().all()) for end in ends)


def auto_class(kind: ModelKind) -> Any:
    """Returns the class of transformers that reads models of this kind."""
    from transformers import AutoModelForCausalLM, AutoModelForMaskedLM, AutoModelForSeq2SeqLM

    classes = {"causal": AutoModelForCausalLM, "masked": AutoModelForMaskedLM}
    return classes.get(kind, AutoModelForSeq2SeqLM)
