"""What a reader typed, read as their language writes it; `live/typed.js` is its twin."""

from model import typed
from model.sentences import Sentence
from pages.frame.fields import Whole
from pages.frame.words import ENGLISH, language, numerals


def number_typed(text: str) -> float:
    """Returns a number.

    Raises:
        ValueError: It is none, or two can be read; one sentence with examples.
    """
    number = typed.number_typed(text, *_signs())
    if number is None:
        raise ValueError(typed.NO_NUMBER)
    return number


def as_programs_write(text: str) -> str:
    """Returns a number that a reader typed as programs write it, "0.5" of "0,5".

    Raises:
        ValueError: As `number_typed` does.
    """
    return repr(number_typed(text)).removesuffix(".0")


def whole_typed(text: str, field: Whole) -> int:
    """Returns a whole number that a reader typed for a setting.

    Raises:
        ValueError: It is none, two can be read, or it is out of bounds; one sentence.
    """
    number = typed.number_typed(text, *_signs())
    if number is not None and number.is_integer() and field.low <= number <= field.high:
        return int(number)
    try:
        return field.read(text)
    except ValueError as error:
        raise ValueError(Sentence("{fault}.", fault=error.args[0])) from None


def numbers_typed(text: str) -> list[str]:
    """Returns numbers that a reader typed in one line, as programs write them.

    Raises:
        ValueError: As `number_typed` does.
    """
    return [as_programs_write(part) for part in typed.numbers_typed(text, *_signs())]


def _signs() -> tuple[str, str]:
    """Returns what begins the decimals, and what parts thousands."""
    how = numerals(language())
    return how.decimal, "," if language() is ENGLISH else how.group
