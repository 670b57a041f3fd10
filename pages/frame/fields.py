"""One setting of a page: its name in the link, its label, its bounds, and its value as text.

    Whole("beams", "Beams", 4, low=1, high=8)  # ?beams=4

Knows nothing of Streamlit. A link is what anybody may have typed: what cannot be read leaves its
setting as it was, and is named in a few words.
"""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlencode

from model.sentences import Quote, Sentence, as_many_as_fit, cut, spelled
from model.settings import ORDERS, SETTINGS, Setting, plain
from pages.frame.values import is_whole, number_of, whole_of

MAX_TEXT = 20_000  # characters of a text that is typed
MAX_LINK_TEXT = 4_000  # characters of one setting that a link carries
MAX_WANTED = 120  # characters of the names that a setting may be
MAX_FAULTS = 200  # characters of what a link asks for in vain


def echo(text: object) -> str:
    """Returns what a reader wrote, in quotation marks, as a sentence repeats it: in one line."""
    is_long = isinstance(text, int) and not is_whole(int(text))
    return f"“{'a very long number' if is_long else cut(str(text))}”"


@dataclass(frozen=True)
class Field(ABC):
    """One setting of a page."""

    name: str  # in the link
    label: str  # of its widget, and in the sentence that says what is wrong with a link
    default: Any = None  # None: the page begins with something of its own
    _: KW_ONLY
    help: str | None = None  # at its widget
    in_link: bool = True

    @abstractmethod
    def read(self, text: str) -> Any:
        """Returns the value that a text stands for.

        Raises:
            ValueError: Says in a few words what it must be.
        """

    def write(self, value: Any) -> str:
        """Returns a value as text, so that reading it gives the value again."""
        return str(value)

    def named(self, text: str) -> dict[str, str]:
        """Returns what each refusal repeats: the setting, and what somebody wrote for it."""
        return {"setting": Sentence(self.label), "given": Quote(cut(spelled(text)))}


@dataclass(frozen=True)
class Text(Field):
    """A text, up to so many characters."""

    _: KW_ONLY
    max_characters: int = MAX_TEXT  # in its widget
    suggestions: Sequence[str] = ()  # offered beside the reader's own

    def read(self, text: str) -> str:
        """Returns the text as it is."""
        limit = min(self.max_characters, MAX_LINK_TEXT)
        if len(text) > limit:
            raise ValueError(
                Sentence(
                    "“{setting}” has more than {limit} characters",
                    setting=Sentence(self.label),
                    limit=plain(limit),
                )
            )
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise ValueError(
                Sentence("“{setting}” holds half a character", setting=Sentence(self.label))
            )
        return text


@dataclass(frozen=True)
class Whole(Field):
    """A whole number between bounds, both included."""

    _: KW_ONLY
    low: int = 0
    high: int = 10**9
    step: int = 1
    is_slider: bool = False

    def read(self, text: str) -> int:
        """Returns the number."""
        number = whole_of(text, self.low, self.high)
        if number is None:
            raise ValueError(
                Sentence(
                    "“{setting}” must be a whole number from {low} to {high}, not “{given}”",
                    **self.named(text),
                    low=plain(self.low),
                    high=plain(self.high),
                )
            )
        return number


@dataclass(frozen=True)
class Number(Field):
    """A number between bounds, both included."""

    _: KW_ONLY
    low: float = 0.0
    high: float = 1.0
    step: float = 0.1
    is_slider: bool = False

    def read(self, text: str) -> float:
        """Returns the number."""
        number = number_of(text, self.low, self.high)
        if number is None:
            raise ValueError(
                Sentence(
                    "“{setting}” must be a number from {low} to {high}, not “{given}”",
                    **self.named(text),
                    low=plain(self.low),
                    high=plain(self.high),
                )
            )
        return number

    def write(self, value: float) -> str:
        """Returns every digit of the number."""
        return repr(value).removesuffix(".0")


@dataclass(frozen=True)
class Choice(Field):
    """One of some names or numbers; a mapping says how each is shown."""

    options: Mapping[Any, str] | Sequence[Any] = ()
    _: KW_ONLY
    is_segmented: bool = False  # all in a row, instead of in a list that opens
    is_slider: bool = False

    def read(self, text: str) -> Any:
        """Returns the one that is written so."""
        for option in self.options:
            if str(option) == text:
                return option
        raise ValueError(
            Sentence(
                "“{setting}” must be one of {options}, not “{given}”",
                **self.named(text),
                options=cut(", ".join(map(str, self.options)), MAX_WANTED),
            )
        )

    def shown(self, option: Any) -> str:
        """Returns an option in the words of its widget."""
        return self.options[option] if isinstance(self.options, Mapping) else str(option)


@dataclass(frozen=True)
class Several(Field):
    """Some of some names, in their order."""

    options: Sequence[str] = ()

    def read(self, text: str) -> tuple[str, ...]:
        """Returns the names between the commas."""
        names = [name for name in text.split(",") if name]
        if not set(names) <= set(self.options):
            raise ValueError(
                Sentence(
                    "“{setting}” must be some of {options}, not “{given}”",
                    **self.named(text),
                    options=cut(", ".join(self.options), MAX_WANTED),
                )
            )
        return tuple(name for name in self.options if name in names)

    def write(self, value: Sequence[str]) -> str:
        """Returns the names with commas between them."""
        return ",".join(value)


@dataclass(frozen=True)
class Switch(Field):
    """A switch: 1 is on, 0 is off."""

    default: bool | None = False

    def read(self, text: str) -> bool:
        """Returns whether it is on."""
        values = {"1": True, "0": False, "True": True, "False": False}  # names: in older links
        if text not in values:
            raise ValueError(
                Sentence("“{setting}” must be 1 or 0, not “{given}”", **self.named(text))
            )
        return values[text]

    def write(self, value: bool) -> str:
        """Returns 1 or 0."""
        return "1" if value else "0"


@dataclass(frozen=True)
class SamplingNumber(Number):
    """A sampling setting, in the range that its row of the table gives it, or a narrower one."""

    _: KW_ONLY
    of: str = ""  # the setting, where the field has another name

    @cached_property
    def row(self) -> Setting:
        """Its row, with its own range."""
        return replace(SETTINGS[self.of or self.name], bounds=(self.low, self.high))

    def read(self, text: str) -> float:
        """Returns the number, whole where only whole numbers make sense."""
        number = number_of(text)
        try:
            return self.row.read(self.name, text if number is None else number)
        except ValueError:
            raise ValueError(_refusal(self.row, self.named(text))) from None


def _refusal(row: Setting, named: Mapping[str, str]) -> Sentence:
    """Returns what is said of a value that a sampling setting does not take: `row.wanted`."""
    low, high, off = map(plain, (*row.bounds, row.neutral))
    if row.least:
        return Sentence(
            "“{setting}” must be 0 for greedy, or a number from {low} to {high}, not “{given}”",
            **named,
            low=plain(row.least),
            high=high,
        )
    if row.excludes_low:
        return Sentence(
            "“{setting}” must be a number above 0 and at most {high}, {off} for off, not “{given}”",
            **named,
            high=high,
            off=off,
        )
    if row.excludes_high:
        return Sentence(
            "“{setting}” must be a number from {low} up to, but not 1, {off} for off, "
            "not “{given}”",
            **named,
            low=low,
            off=off,
        )
    if isinstance(row.neutral, int):
        return Sentence(
            "“{setting}” must be a whole number from {low} to {high}, {off} for off, not “{given}”",
            **named,
            low=low,
            high=high,
            off=off,
        )
    return Sentence(
        "“{setting}” must be a number from {low} to {high}, {off} for off, not “{given}”",
        **named,
        low=low,
        high=high,
        off=off,
    )


def sampling_number(name: str, default: float, **narrower: Any) -> Number:
    """Returns the field of a sampling setting; what a page says of it goes before the table."""
    row = SETTINGS[narrower.get("of", name)]
    low, high = map(float, row.bounds)
    facts: dict[str, Any] = {"label": row.title, "low": low, "high": high}
    return SamplingNumber(name, default=default, **(facts | narrower))


def control_fields(defaults: Mapping[str, Any], masks: Sequence[str] = ()) -> tuple[Field, ...]:
    """Returns the fields of the controls of sampling; `masks` are what can be in `use`."""

    def made(name: str, default: Any) -> Field:
        match default:
            case _ if name in SETTINGS:
                return sampling_number(name, default)
            case bool():
                return Switch(name, name, default)
            case str():
                return Choice(name, name, default, tuple(ORDERS))
        return Several(name, name, default, masks)

    return tuple(made(name, default) for name, default in defaults.items())


def read_controls(values: Mapping[str, Any], fields: Sequence[Field]) -> dict[str, Any]:
    """Returns what the browser says of some controls; what is no field's is passed over.

    Raises:
        ValueError: One sentence with the remedy, for a value that no control can take.
    """
    try:
        return {
            one.name: one.read(_as_text(values[one.name])) for one in fields if one.name in values
        }
    except ValueError as error:
        raise ValueError(Sentence("{fault}.", fault=error.args[0])) from None


def _as_text(value: Any) -> str:
    return ",".join(map(str, value)) if isinstance(value, list | tuple) else str(value)


@dataclass
class LinkValues:
    """What a link asks for, as far as it could be read."""

    values: dict[str, Any] = field(default_factory=dict)  # by the fields' names
    faults: list[str] = field(default_factory=list)  # a few words each

    def sentence(self) -> str:
        """Returns what was not followed, in one sentence; nothing where all of it was."""
        if not self.faults:
            return ""
        faults = as_many_as_fit(self.faults, MAX_FAULTS)
        return Sentence("The link was followed in part only: {faults}.", faults=faults)


def read_fields(params: Mapping[str, Sequence[str]], fields: Sequence[Field]) -> LinkValues:
    """Reads a query, every name with all that it was given; what is no field's is passed over."""
    found = LinkValues()
    for one in fields:
        texts = params.get(one.name, ()) if one.in_link else ()
        try:
            if len(texts) > 1:
                raise ValueError(
                    Sentence(
                        "“{setting}” is given {n_times} times",
                        setting=Sentence(one.label),
                        n_times=len(texts),
                    )
                )
            if texts:
                found.values[one.name] = one.read(texts[0])
        except ValueError as error:
            found.faults.append(error.args[0])
    return found


def write_fields(values: Mapping[str, Any], fields: Sequence[Field]) -> str:
    """Returns the query that brings values back: those that are neither None nor the default."""
    parts = {
        one.name: one.write(value)
        for one in fields
        if one.in_link and (value := values.get(one.name)) not in (None, one.default)
    }
    return f"?{urlencode(parts)}" if parts else ""
