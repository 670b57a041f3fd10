"""What the reader may set, and in which order an engine applies it.

The sampling settings stand in one table: the fields of `SettingValues`. Each is named after the
stage that it drives, but for the one that says what penalties count. Python's checks, links,
widgets and the browser's sliders are made from it; the browser has it as
`pages/frame/live/settings.js`. This module computes nothing.

Sources of the orders: transformers 5.23 and 5.24 `GenerationMixin._get_logits_processor`; vLLM
0.32.0 `v1/sample/sampler.py`, and `v1/worker/gpu/sample/sampler.py` of its second model runner;
llama.cpp 001d906 `common/common.h` (`common_params_sampling.samplers`) and `common/sampling.cpp`,
where mirostat takes the place of all samplers but the temperature; Ollama 0.32.15
`llm/llama_server.go`, which hands its options to llama.cpp's server, names no samplers and has no
mirostat any more. (Its engine for MLX, `x/mlxrunner/sample/sample.go`, has top-k, temperature,
top-p, min-p behind the penalties.)
"""

import math
import reprlib
from dataclasses import dataclass, field, fields
from typing import Any, NamedTuple

import numpy as np

_PENALTIES = ("repetition_penalty", "frequency_penalty", "presence_penalty")
_LLAMA_MASKS = ("top_k", "typical_p", "top_p", "min_p")  # llama.cpp's, which Ollama runs
# What an engine lacks is absent from its tuple.
ORDERS: dict[str, tuple[str, ...]] = {
    "transformers": (
        "repetition_penalty",
        "temperature",
        "top_h",
        "top_k",
        "top_p",
        "min_p",
        "typical_p",
        "epsilon",
        "eta",
    ),
    "vllm": (*_PENALTIES, "temperature", "min_p", "top_k", "top_p"),
    "llama.cpp": (
        *(*_PENALTIES, "dry", "top_n_sigma", *_LLAMA_MASKS),
        *("xtc", "temperature", "mirostat"),
    ),
    "ollama": (*_PENALTIES, *_LLAMA_MASKS, "temperature"),
    # no engine's: all that is here, those on logits before the temperature
    "all": (
        *_PENALTIES,
        *("dry", "top_n_sigma", "min_k", "temperature", "top_k", "top_p", "min_p"),
        *("typical_p", "epsilon", "eta", "top_h", "p_less", "xtc", "mirostat"),
    ),
}
ENGINES = tuple(name for name in ORDERS if name != "all")
ORDERS_READ = (
    "transformers 5.24, vLLM 0.32.0, llama.cpp 001d906 and Ollama 0.32.15 (its llama.cpp engine), "
    "read on 25 November 2026. Of equals at top-k’s end the last two keep k; here all are kept. "
    "Their penalties count the last 64 tokens, prompt included; here presence and frequency count "
    "what was generated, and repetition the whole text unless told otherwise. llama.cpp’s DRY "
    "reads 64 tokens too, and not beyond a line end, “:”, “*” or a quotation mark; here, all of it"
)

# The outer bounds of temperature and the penalties keep every float32 logit finite in float64.
MIN_TEMPERATURE, MAX_TEMPERATURE = 1e-6, 1e6
_ABOVE_0, _BELOW_1 = math.nextafter(0, 1), math.nextafter(1, 0)
WITH_MIROSTAT = ("temperature", "mirostat")
COUNTS = "counts"  # a slider over numbers of tokens, up to the vocabulary


def _numbers(text: str) -> tuple[float, ...]:
    return tuple(map(float, text.split()))


_SHARES = _numbers(
    "0 .001 .002 .005 .01 .02 .03 .04 .05 .06 .08 .1 .12 .15 .2 .25 .3 .35 .4 .45 .5 .6 .7 .8 .9 1"
)
_SMALL_SHARES = _numbers("0 .0001 .0002 .0003 .0005 .001 .002 .003 .005 .01 .02 .03 .05 .1 .2")


class Even(NamedTuple):
    """A slider with equal steps."""

    min: float
    max: float
    step: float


@dataclass(frozen=True)
class Setting:
    """One row of the table."""

    neutral: float  # the value that changes nothing; an int where only whole numbers make sense
    bounds: tuple[float, float]
    title: str
    says: str  # what it does, in words that follow the title
    slider: Even | tuple[float, ...] | str  # its steps, its positions, or COUNTS
    short: str | None = None  # the title where there is little room
    is_common: bool = False  # has a column and a "use" box of its own on the home page
    least: float = 0.0  # value but 0, which is greedy
    is_stage: bool = True  # has a place in an order

    @property
    def excludes_low(self) -> bool:
        """Whether 0 is no value, but any number above it."""
        return self.bounds[0] == _ABOVE_0

    @property
    def excludes_high(self) -> bool:
        """Whether 1 is no value, but any number below it."""
        return self.bounds[1] == _BELOW_1

    @property
    def wanted(self) -> str:
        """The values that make sense, in words."""
        low, high = map(plain, self.bounds)
        off = f"{plain(self.neutral)} for off"
        if self.least:
            return f"0 for greedy, or a number from {plain(self.least)} to {high}"
        if self.excludes_low:
            return f"a number above 0 and at most {high}, {off}"
        if self.excludes_high:
            return f"a number from {low} up to, but not 1, {off}"
        numbers = "a whole number" if isinstance(self.neutral, int) else "a number"
        return f"{numbers} from {low} to {high}, {off}"

    def read(self, name: str, value: object) -> float | int:
        """Returns `value` as the int or float that the setting `name` holds.

        Raises:
            ValueError: where it makes no sense; the message says which values do.
        """
        is_whole = isinstance(self.neutral, int)
        if value is None and is_whole:
            return self.neutral
        if isinstance(value, int | float | np.integer | np.floating) and not isinstance(
            value, bool
        ):
            # an int is compared as it is: it may be too large for a float
            number = value if isinstance(value, int) else float(value)
            low, high = self.bounds
            # NaN is in no range
            if low <= number <= high and not 0 < number < self.least:
                if not is_whole:
                    return float(number)
                if number == int(number):
                    return int(number)
        raise ValueError(f"{name} is {reprlib.repr(value)}: choose {self.wanted}.")


def plain(number: float) -> str:
    """Returns a number without an exponent, in as many digits as it needs, grouped by commas."""
    return f"{number:,f}".rstrip("0").rstrip(".")


def _row(*facts: Any, **more: Any) -> Any:
    """Returns a dataclass's field whose default is the neutral value, with its row."""
    setting = Setting(*facts, **more)
    return field(default=setting.neutral, metadata={"setting": setting})


@dataclass(frozen=True)
class SettingValues:
    """A value for each sampling setting; every default changes nothing.

    Raises:
        ValueError: where a value makes no sense; the message says which values do.
    """

    temperature: float = _row(
        1.0,
        (0, MAX_TEMPERATURE),
        "Temperature",
        "divides every logit: less than 1 sharpens the distribution, more flattens it",
        Even(0, 2, 0.05),
        short="Temp.",
        least=MIN_TEMPERATURE,
        is_common=True,
    )
    top_k: int = _row(0, (0, 2**31 - 1), "Top-k", "keeps the k best tokens", COUNTS, is_common=True)
    top_p: float = _row(
        1.0,
        (_ABOVE_0, 1),
        "Top-p",
        "keeps the best tokens that together reach this probability",
        Even(0.05, 1, 0.01),
        is_common=True,
    )
    min_p: float = _row(
        0.0,
        (0, 1),
        "Min-p",
        "keeps the tokens at least this fraction as likely as the best",
        _SHARES,
        is_common=True,
    )
    typical_p: float = _row(
        1.0,
        (_ABOVE_0, 1),
        "Typical",
        "keeps the tokens whose surprise is nearest to the entropy, until they reach this mass",
        Even(0.05, 1, 0.01),
    )
    epsilon: float = _row(
        0.0,
        (0, _BELOW_1),
        "Epsilon",
        "drops every token less likely than this",
        _SMALL_SHARES,
        short="Eps.",
    )
    eta: float = _row(
        0.0,
        (0, _BELOW_1),
        "Eta",
        "drops what epsilon would, but fewer where the model is undecided",
        _SMALL_SHARES,
    )
    top_n_sigma: float = _row(
        0.0,
        (0, 1e6),
        "Top-n-sigma",
        "keeps the tokens within n standard deviations of the best logit",
        (*(i / 10 for i in range(1, 51)), 0),
        short="Top-nσ",
    )
    min_k: float = _row(
        0.0,
        (0, 1e6),
        "Min-k",
        "keeps what stands before the steepest fall of the logits; at least this over their range",
        _numbers("0 .5 1 2 3 4 5 7 10 15 20 30 50"),
    )
    top_h: float = _row(
        0.0,
        (0, 1),
        "Top-H",
        "keeps the best while what they add to the entropy of the 100 best is at most this share",
        Even(0, 1, 0.05),
    )
    p_less: int = _row(
        0,
        (0, 1),
        "P-less",
        "keeps the tokens at least as likely as two draws are to be equal: no knob",
        Even(0, 1, 1),
    )
    repetition_penalty: float = _row(
        1.0,
        (1e-3, 1e3),
        "Repetition penalty",
        "weakens every token that is already in the text, prompt included",
        Even(1, 2, 0.05),
    )
    generated_only: int = _row(
        0,
        (0, 1),
        "Generated tokens alone",
        "repetition penalty and DRY count what was generated, not the prompt",
        Even(0, 1, 1),
        is_stage=False,
    )
    presence_penalty: float = _row(
        0.0,
        (-1e3, 1e3),
        "Presence penalty",
        "subtracts this from the logit of every token that was generated",
        Even(-2, 2, 0.1),
    )
    frequency_penalty: float = _row(
        0.0,
        (-1e3, 1e3),
        "Frequency penalty",
        "subtracts this once for each time that a token was generated",
        Even(-2, 2, 0.1),
    )
    dry: float = _row(
        0.0,
        (0, 1e3),
        "DRY",
        "subtracts this, times 1.75 for each further token, where a token would repeat a stretch",
        Even(0, 5, 0.1),
    )
    xtc: float = _row(
        0.0,
        (0, 1),
        "XTC",
        "with this probability drops the top choices (10 % and more) but the least likely of them",
        Even(0, 1, 0.05),
    )
    mirostat: float = _row(
        0.0,
        (0, 100),
        "Mirostat",
        "aims at so many bits of surprise a token: each draw moves its limit; no other mask acts",
        Even(0, 8, 0.25),
    )

    def __post_init__(self) -> None:
        """Checks every value and gives each its one type, so that equal settings are equal."""
        for name, setting in SETTINGS.items():
            object.__setattr__(self, name, setting.read(name, getattr(self, name)))


SETTINGS: dict[str, Setting] = {one.name: one.metadata["setting"] for one in fields(SettingValues)}
STAGE_NAMES = tuple(name for name, setting in SETTINGS.items() if setting.is_stage)
COUNT_PROMPT = ("repetition_penalty", "dry")  # stages that count the prompt's tokens by default
COMMON = tuple(name for name, setting in SETTINGS.items() if setting.is_common)


@dataclass(frozen=True)
class Settings(SettingValues):
    """How the next token is chosen; every default changes nothing.

    Numbers are checked and `order` may be given as the name of a preset.

    Raises:
        ValueError: where a value makes no sense; the message says which values do.
    """

    order: tuple[str, ...] = ORDERS["transformers"]  # stage names, first to last

    def __post_init__(self) -> None:
        """Checks every value and gives each its one type, so that equal settings are equal."""
        super().__post_init__()
        object.__setattr__(self, "order", _checked_order(self.order))

    @property
    def is_greedy(self) -> bool:
        """Whether the best token is taken and no pointer is needed."""
        return self.temperature == 0

    @property
    def target(self) -> float:
        """Bits of surprise that mirostat aims at; 0 where it is none of the stages."""
        return self.mirostat if "mirostat" in self.stage_names else 0.0

    @property
    def stage_names(self) -> tuple[str, ...]:
        """The stages that are active under these settings, first to last, "raw" not counted.

        At temperature 0 "greedy" stands in temperature's place (or last, in an order without one)
        and ends the pipeline: one token is left, which no later mask can change. Beside mirostat
        nothing but the temperature acts, as in llama.cpp.
        """
        names = tuple(name for name in self.order if not is_neutral(self, name))
        if "mirostat" in names:
            names = tuple(name for name in names if name in WITH_MIROSTAT)
        if not self.is_greedy:
            return names
        n_before = names.index("temperature") if "temperature" in names else len(names)
        return (*names[:n_before], "greedy")


def is_neutral(settings: Settings, name: str) -> bool:
    """Tells whether the stage `name` is switched off in these settings."""
    return bool(getattr(settings, name) == SETTINGS[name].neutral)


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
