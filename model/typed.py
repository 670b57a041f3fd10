"""What a person types: a number in the digits and with the signs of their language, or a list.

A sign that may part thousands in one language and begin the decimals in another is read as in the
reader's; where that leaves two numbers, none is guessed.
"""

import math
import re
import unicodedata

from model.sentences import Numeral, Sentence

NO_NUMBER = Sentence("Write a number, such as 12 or {half}.", half=Numeral("0.5"))
COMMAS = ",،、，"  # Latin, Arabic, and the two of Chinese
MAX_CHARACTERS = 60  # of a number
_POINT = "\u2063"  # a decimal sign and nothing else: it is invisible, so nothing typed holds it
_SAME = str.maketrans(
    {
        **dict.fromkeys("،，", ","),
        **dict.fromkeys("．｡", "."),
        **dict.fromkeys("−–－﹣", "-"),
        **dict.fromkeys("\u00a0\u2009\u202f'’٬", " "),  # they part thousands and nothing else
        **dict.fromkeys("٪％", "%"),
        "٫": _POINT,
    }
)
_NUMBER = re.compile(rf"([+-]?)([0-9., {_POINT}]*[0-9])(e[+-]?[0-9]{{1,3}})? ?%?", re.IGNORECASE)
_IN_THREES = re.compile(r"[0-9]{1,3}([., ])[0-9]{3}(\1[0-9]{3})*|[0-9]*")
_BETWEEN_NUMBERS = re.compile(r"[;؛；、]")
_COMMA_AND_SPACE = re.compile(r"[,،，]\s")


def number_typed(text: str, decimal: str = ".", group: str = ",") -> float | None:
    """Returns the number that somebody typed; None where it is none, or might be another.

    A percent sign behind it is passed over.

    Args:
        text: As it was typed.
        decimal: What begins the decimals in the reader's language.
        group: What parts thousands there.
    """
    kept = (letter for letter in text if unicodedata.category(letter) != "Cf")
    plain = "".join(str(unicodedata.decimal(letter, letter)) for letter in kept).strip()
    found = _NUMBER.fullmatch(plain.translate(_SAME)) if len(plain) <= MAX_CHARACTERS else None
    if found is None:
        return None
    sign, digits, exponent = found.groups(default="")
    parts = _parts(digits, decimal, group)
    if parts is None or not _IN_THREES.fullmatch(parts[0]) or re.search("[^0-9]", parts[1]):
        return None
    whole = re.sub("[., ]", "", parts[0])
    number = float(f"{sign}{whole or 0}.{parts[1] or 0}{exponent}")
    return number if math.isfinite(number) else None


def _parts(digits: str, decimal: str, group: str) -> tuple[str, str] | None:
    """Parts a number before its decimals; None where a sign can be read in two ways."""
    signs = [letter for letter in digits if not letter.isdigit()]
    if _POINT in signs:
        whole, _, decimals = digits.partition(_POINT)
        return whole, decimals
    marks = [letter for letter in signs if letter != " "]
    if not marks or (len(marks) > 1 and len(set(marks)) == 1):
        return digits, ""  # all part thousands
    last = marks[-1]
    whole, _, decimals = digits.rpartition(last)
    is_open = len(signs) == 1 and len(decimals) == 3 and re.fullmatch("[1-9][0-9]{0,2}", whole)
    if not is_open or last == decimal:
        return whole, decimals
    return (digits, "") if last == group else None


def parts_typed(text: str) -> list[str]:
    """Returns what somebody typed with commas between, whichever commas their keyboard has."""
    return [part.strip() for part in re.split(f"[{COMMAS}]", text) if part.strip()]


def numbers_typed(text: str, decimal: str = ".", group: str = ",") -> list[str]:
    """Returns numbers that somebody typed with semicolons, or with commas, between.

    A comma without a space behind it belongs to a number where that is one in the reader's
    language, in which it begins the decimals.
    """
    if _BETWEEN_NUMBERS.search(text):
        parts = _BETWEEN_NUMBERS.split(text)
    elif _COMMA_AND_SPACE.search(text):
        parts = _COMMA_AND_SPACE.split(text)
    elif decimal == "," and number_typed(text, decimal, group) is not None:
        parts = [text]
    else:
        return parts_typed(text)
    return [part.strip() for part in parts if part.strip()]
