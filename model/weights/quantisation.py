"""Whether quantised weights can be read here, by transformers' own rules, before they come."""

import copy
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

from model.sentences import Sentence, cut, reason
from model.weights.check import LoadError, read_json


def check_quantisation(folder: Path, name: str, base: str | None) -> None:
    """Lets pass what is not quantised, and what this machine has all the parts for.

    Args:
        folder: with the model's config.
        name: of the model, for the message.
        base: what it was made from, if that is known.

    Raises:
        LoadError: where a library or a device is missing.
    """
    if not (said := quantisation_of(read_json(folder / "config.json", name))):
        return
    from transformers import AutoConfig
    from transformers.quantizers.auto import get_hf_quantizer

    method = cut(str(said.get("quant_method", "an unnamed method")))
    why = ""
    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        check: Callable[..., Any] = get_hf_quantizer
        if check(copy.deepcopy(config), None, None, weights_only=True, user_agent={})[0]:
            return
    except Exception as error:  # of as many kinds as there are methods
        logging.getLogger(__name__).info("%s cannot be read", name, exc_info=True)
        why = reason(error)
    raise LoadError(_refused(why, base).filled(name=name, method=method))


def _refused(why: str, base: str | None) -> Sentence:
    """Returns what is said of a model by the reason, empty if the method is not known at all."""
    if why and base:
        return Sentence(
            "{name} is quantised by {method} and cannot be read here ({why}): choose {base}, "
            "which it was made from.",
            why=why,
            base=base,
        )
    if why:
        return Sentence(
            "{name} is quantised by {method} and cannot be read here ({why}): choose the model "
            "that it was quantised from.",
            why=why,
        )
    if base:
        return Sentence(
            "{name} is quantised by {method} and cannot be read here (transformers does not know "
            "this method): choose {base}, which it was made from.",
            base=base,
        )
    return Sentence(
        "{name} is quantised by {method} and cannot be read here (transformers does not know this "
        "method): choose the model that it was quantised from."
    )


def quantisation_of(config: dict[str, Any]) -> dict[str, Any]:
    """Returns what a config says of its quantised weights; nothing where they are not."""
    text = config.get("text_config")
    said = config.get("quantization_config") or (
        text.get("quantization_config") if isinstance(text, dict) else None
    )
    return said if isinstance(said, dict) else {}
