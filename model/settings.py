"""What the reader may set, and in which order an engine applies it.

A setting is named after the stage that it drives, so one table serves the sliders, the pipeline and
the link. This module computes nothing: it only knows which values make sense and says, in one
sentence, what to do about one that does not.

Sources of the orders: transformers 5.23 `GenerationMixin._get_logits_processor`; vLLM 0.32.0
`v1/sample/sampler.py`, and `v1/worker/gpu/sample/sampler.py` of its second model runner; llama.cpp
001d906 `common/common.h` (`common_params_sampling.samplers`); Ollama 0.32.15 `llm/llama_server.go`,
which hands its options to llama.cpp's server and names no samplers. (Its engine for MLX,
`x/mlxrunner/sample/sample.go`, has top-k, temperature, top-p, min-p behind the penalties.)
"""

from __future__ import annotations

import math
import reprlib
from dataclasses import dataclass, fields

import numpy as np

_PENALTIES = ("repetition_penalty", "frequency_penalty", "presence_penalty")
_LLAMA_MASKS = ("top_k", "typical_p", "top_p", "min_p")  # llama.cpp's, which Ollama runs
# What an engine lacks is absent from its tuple.
ORDERS: dict[str, tuple[str, ...]] = {
    "transformers": (
        "repetition_penalty",
        "temperature",
        "top_k",
        "top_p",
        "min_p",
        "typical_p",
        "epsilon",
        "eta",
    ),
    "vllm": (*_PENALTIES, "temperature", "min_p", "top_k", "top_p"),
    "llama.cpp": (*_PENALTIES, "dry", "top_n_sigma", *_LLAMA_MASKS, "xtc", "temperature"),
    "ollama": (*_PENALTIES, *_LLAMA_MASKS, "temperature"),
}
ORDERS_READ = (
    "transformers 5.23, vLLM 0.32.0, llama.cpp 001d906 and Ollama 0.32.15 (its llama.cpp engine), "
    "read on 22 November 2026"
)


# The outer bounds of temperature and the penalties keep every float32 logit finite in float64.
MIN_TEMPERATURE, MAX_TEMPERATURE = 1e-6, 1e6
_ABOVE_0, _BELOW_1 = math.nextafter(0, 1), math.nextafter(1, 0)
_RANGES: dict[str, tuple[float, float, str]] = {  # the least, the most, the words that say so
    "temperature": (0, MAX_TEMPERATURE, "0 for greedy, or a number from 0.000001 to 1000000"),
    "top_k": (0, 2**31 - 1, "a whole number of tokens, 0 for off"),
    "top_p": (_ABOVE_0, 1, "a number above 0 and at most 1, 1 for off"),
    "min_p": (0, 1, "a number from 0 to 1, 0 for off"),
    "typical_p": (_ABOVE_0, 1, "a number above 0 and at most 1, 1 for off"),
    "epsilon": (0, _BELOW_1, "a number from 0 up to, but not 1, 0 for off"),
    "eta": (0, _BELOW_1, "a number from 0 up to, but not 1, 0 for off"),
    "top_n_sigma": (0, 1e6, "a number of standard deviations up to 1000000, 0 for off"),
    "repetition_penalty": (1e-3, 1e3, "a number from 0.001 to 1000, 1 for off"),
    "presence_penalty": (-1e3, 1e3, "a number from -1000 to 1000, 0 for off"),
    "frequency_penalty": (-1e3, 1e3, "a number from -1000 to 1000, 0 for off"),
    "dry": (0, 1e3, "a number from 0 to 1000, 0 for off"),
    "xtc": (0, 1, "a probability from 0 to 1, 0 for off"),
}
STAGE_NAMES = tuple(_RANGES)


@dataclass(frozen=True)
class Settings:
    """How the next token is chosen; every default changes nothing.

    Numbers are checked and `order` may be given as the name of a preset.

    Raises:
        ValueError: where a value makes no sense; the message says which values do.
    """

    temperature: float = 1.0  # scores are divided by it; 0 is greedy
    top_k: int = 0  # tokens kept, ties at the last one too; 0 or None is off
    top_p: float = 1.0  # probability that the smallest set of best tokens must reach
    min_p: float = 0.0  # least probability, as a fraction of the best token's
    typical_p: float = 1.0  # probability that the most typical tokens must reach
    epsilon: float = 0.0  # least probability
    eta: float = 0.0  # least probability, relaxed where the entropy is high
    top_n_sigma: float = 0.0  # standard deviations below the best score
    repetition_penalty: float = 1.0  # on every token of the text, prompt included
    presence_penalty: float = 0.0  # off the score of each generated token, once
    frequency_penalty: float = 0.0  # off the score of each generated token, per occurrence
    dry: float = 0.0  # off the score of a token that repeats a stretch, growing with its length
    xtc: float = 0.0  # probability that the top choices are excluded, but the last of them
    order: tuple[str, ...] = ORDERS["transformers"]  # stage names, first to last

    def __post_init__(self) -> None:
        """Checks every value and gives each its one type, so that equal settings are equal."""
        for name in STAGE_NAMES:
            object.__setattr__(self, name, _checked_number(name, getattr(self, name)))
        object.__setattr__(self, "order", _checked_order(self.order))

    @property
    def is_greedy(self) -> bool:
        """Whether the best token is taken and no coin is needed."""
        return self.temperature == 0

    @property
    def stage_names(self) -> tuple[str, ...]:
        """The stages that are active under these settings, first to last, "raw" not counted.

        At temperature 0 "greedy" stands in temperature's place (or last, in an order without one)
        and ends the pipeline: one token is left, which no later mask can change.
        """
        names = tuple(name for name in self.order if not is_neutral(self, name))
        if not self.is_greedy:
            return names
        n_before = names.index("temperature") if "temperature" in names else len(names)
        return (*names[:n_before], "greedy")


NEUTRAL: dict[str, float] = {
    field.name: field.default
    for field in fields(Settings)
    if isinstance(field.default, int | float)
}


def is_neutral(settings: Settings, name: str) -> bool:
    """Tells whether the stage `name` is switched off in these settings."""
    return bool(getattr(settings, name) == NEUTRAL[name])


def _checked_number(name: str, value: object) -> float | int:
    """Returns `value` as the int or float that the setting `name` holds, or says what it may be."""
    if name == "top_k" and value is None:
        return 0
    least, most, words = _RANGES[name]
    wish = f"{name} is {reprlib.repr(value)}: choose {words}."
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise ValueError(wish)
    # an int is compared as it is: it may be too large for a float
    number = value if isinstance(value, int) else float(value)
    # NaN is in no range
    is_tiny = name == "temperature" and 0 < number < MIN_TEMPERATURE
    if not least <= number <= most or is_tiny:
        raise ValueError(wish)
    if name == "top_k" and number != int(number):
        raise ValueError(wish)
    return int(number) if name == "top_k" else float(number)


def _checked_order(order: object) -> tuple[str, ...]:
    """Returns the order as a tuple of known, distinct stage names."""
    given = f"order is {reprlib.repr(order)}"
    if isinstance(order, str):
        if order not in ORDERS:
            raise ValueError(f"{given}: choose one of {', '.join(ORDERS)}.")
        return ORDERS[order]
    if not isinstance(order, tuple | list) or not all(name in STAGE_NAMES for name in order):
        raise ValueError(f"{given}: use stages from {', '.join(STAGE_NAMES)}.")
    if len(set(order)) < len(order):
        raise ValueError(f"{given}: name each stage once.")
    return tuple(order)
