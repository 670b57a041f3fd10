"""A shape filled with random numbers: what its phases cost, with nothing downloaded.

Time depends on how many numbers there are and not on which. What does not fit is refused before
anything is made. What such a model writes means nothing.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

import torch

from model.language_model import LanguageModel
from model.loading import describe, parts_of
from model.machine.device import lock_of
from model.sentences import apart
from model.weights import building
from model.weights.device import choose_devices, choose_dtype
from model.weights.locate import SHIPPED
from model.weights.published_shapes import ModelShape
from model.weights.shapes import build, plan_shape

if TYPE_CHECKING:
    from transformers import PreTrainedModel

_HEADROOM = 1.1
_BLOCK = 1 << 20  # random numbers that are drawn; larger tensors repeat them
_SPREAD = 0.02


def make_shape(shape: ModelShape, dtype: str = "auto") -> LanguageModel:
    """Makes a model of a shape, its weights random.

    Raises:
        ValueError: where it does not fit, or cannot be built; one sentence with the remedy.
    """
    from transformers import AutoTokenizer

    plan, config = plan_shape(shape, dtype), shape.config
    need = plan.total_bytes * _HEADROOM
    if need > plan.free_bytes:
        needed, there = apart(need / 1e9, plan.free_bytes / 1e9)
        raise ValueError(
            f"{plan.name} needs {needed} GB and {there} GB is free: choose a smaller shape."
        )
    device = choose_devices("auto")[0]
    numbers = choose_dtype(dtype, device)
    try:
        with building, lock_of(device):
            model = build(config, device, numbers)
            _fill(model)
    except (MemoryError, torch.OutOfMemoryError) as error:
        raise ValueError(
            f"The memory ran out while {plan.name} was made: choose a smaller shape."
        ) from error
    tokenizer = AutoTokenizer.from_pretrained(SHIPPED["storyteller"], local_files_only=True)
    name = f"{plan.name}, random weights"
    lm = describe(name, "causal", parts_of(model, numbers), tokenizer)
    return replace(lm, end_ids=frozenset(), bos_id=None)


@torch.inference_mode()
def _fill(model: "PreTrainedModel") -> None:
    """Gives every weight a small random number, repeating one block: what is drawn is few."""
    device = model.device
    generator = torch.Generator(device).manual_seed(0)
    block = _SPREAD * torch.randn(_BLOCK, generator=generator, device=device)
    for parameter in model.parameters():
        if parameter.dim() < 2:
            parameter.fill_(1.0)  # norms, which scale
            continue
        flat = parameter.data.view(-1)
        for start in range(0, flat.numel(), _BLOCK):
            part = flat[start : start + _BLOCK]
            part.copy_(block[: part.numel()])
