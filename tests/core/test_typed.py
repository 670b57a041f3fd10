"""Numbers and lists as people type them, in five languages; what may be two numbers is none."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from model.typed import number_typed, numbers_typed, parts_typed

ENGLISH, GERMAN, FRENCH, ARABIC = (".", ","), (",", "."), (",", "\u202f"), (".", ",")


@pytest.mark.parametrize(
    ("typed", "signs", "number"),
    [
        *(("0,5", signs, 0.5) for signs in (ENGLISH, GERMAN, FRENCH, ARABIC)),
        *(("1,5", signs, 1.5) for signs in (ENGLISH, GERMAN, FRENCH, ARABIC)),  # and never 15
        ("1.234", GERMAN, 1234),
        ("1.234", ENGLISH, 1.234),
        ("1.234", FRENCH, None),  # no sign of thousands there, and no decimal sign
        ("1,234", ENGLISH, 1234),
        ("1,234", GERMAN, 1.234),
        ("0.500", GERMAN, 0.5),  # no thousands begin with a zero
        ("1.2345", GERMAN, 1.2345),
        ("1.234,5", ENGLISH, 1234.5),
        ("1,234.5", GERMAN, 1234.5),
        ("1.234.567", ENGLISH, 1_234_567),
        ("1 234,5", FRENCH, 1234.5),
        ("1\u202f234", FRENCH, 1234),
        ("1'234.5", ENGLISH, 1234.5),
        ("٠٫٥", ARABIC, 0.5),
        ("٠،٥", ARABIC, 0.5),
        ("١٬٢٣٤٫٥", ARABIC, 1234.5),
        ("\u200f١٢\u200f", ARABIC, 12),
        ("१२३", ENGLISH, 123),
        ("１２．５", ENGLISH, 12.5),
        ("50 %", ENGLISH, 50),
        ("٥٠٪", ARABIC, 50),
        ("−3", ENGLISH, -3),
        (",5", GERMAN, 0.5),
        ("1e6", ENGLISH, 1_000_000),
        *((bad, ENGLISH, None) for bad in ("", " ", ".", "5,", "1 2", "1_5", "nan", "inf", "²")),
        *((bad, GERMAN, None) for bad in ("1,2,3", "1.23.4", "12.34,567", "1,00,000", "1,234,5")),
        *((bad, ENGLISH, None) for bad in ("1e999", "0x10", "1、5", "1|5", "--1")),
        ("1\u20635", ENGLISH, 15),  # as it is seen
        ("9" * 5_000, ENGLISH, None),
    ],
)
def test_a_number_is_read_as_its_language_writes_it(
    typed: str, signs: tuple[str, str], number: float | None
) -> None:
    assert number_typed(typed, *signs) == number


@given(st.floats(-1e15, 1e15), st.sampled_from([ENGLISH, GERMAN, FRENCH]))
def test_what_a_language_writes_is_read_again(number: float, signs: tuple[str, str]) -> None:
    decimal, group = signs
    written = f"{number:,.2f}".translate(str.maketrans({",": group, ".": decimal}))
    assert number_typed(written, *signs) == float(f"{number:.2f}")


@given(st.text(max_size=80), st.sampled_from([ENGLISH, GERMAN, FRENCH]))
def test_any_text_is_a_finite_number_or_none(text: str, signs: tuple[str, str]) -> None:
    number = number_typed(text, *signs)
    assert number is None or math.isfinite(number)


def test_a_list_has_the_commas_of_any_keyboard() -> None:
    assert parts_typed("a, b، c、d，e,, ") == ["a", "b", "c", "d", "e"]


@pytest.mark.parametrize(
    ("typed", "signs", "numbers"),
    [
        ("0,5; 1,5", GERMAN, ["0,5", "1,5"]),
        ("0,5, 1,5", GERMAN, ["0,5", "1,5"]),
        ("٠٫٥؛ ١٢", ARABIC, ["٠٫٥", "١٢"]),
        ("0,5", GERMAN, ["0,5"]),  # and not 0 and 5
        ("3,3,3", GERMAN, ["3", "3", "3"]),
        ("12,15", ENGLISH, ["12", "15"]),
        ("1、2", ENGLISH, ["1", "2"]),
        (" ", ENGLISH, []),
    ],
)
def test_a_list_of_numbers_is_parted_beside_their_commas(
    typed: str, signs: tuple[str, str], numbers: list[str]
) -> None:
    assert numbers_typed(typed, *signs) == numbers
