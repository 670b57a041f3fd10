"""Numbers as words: nothing is rounded into what it is not."""

import math
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.format import (
    THIN,
    chance,
    count,
    duration,
    log_ticks,
    nats,
    percent,
    plural,
    round_steps,
    size,
    size_ticks,
)


@pytest.mark.parametrize(
    ("write", "number", "text"),
    [
        (percent, 0, "0 %"),
        (percent, 1, "100 %"),
        (percent, 0.12345, "12.3 %"),
        (percent, 0.05, "5.0 %"),
        (percent, 0.005, "0.50 %"),
        (percent, 0.00031, "0.031 %"),
        (percent, 2e-9, "2·10⁻⁷ %"),
        (percent, 0.9996, "99.96 %"),
        (percent, 0.99998, "99.998 %"),
        (percent, 1 - 1e-13, ">99.999999999 %"),
        (duration, 0, "0 µs"),
        (duration, 5.8e-6, "5.8 µs"),
        (duration, 0.00085, "0.85 ms"),
        (duration, 0.0051, "5.1 ms"),
        (duration, 0.31, "310 ms"),
        (duration, 0.99951, "1.00 s"),
        (duration, 1240, "1 240 s"),
        (size, 0, "0 B"),
        (size, 999, "999 B"),
        (size, 36_864, "36.9 kB"),
        (size, 999_999, "1.00 MB"),
        (size, 6_710_886_400, "6.71 GB"),
        (count, 36_864, "36 864"),
        (percent, 1.048, "104.8 %"),  # more was measured than there should be
        (nats, -2.314, "−2.31 nats"),
        (nats, -0.001, "0.00 nats"),
        (nats, -math.inf, "−∞ nats"),
    ],
)
def test_a_number_keeps_the_digits_that_matter_and_takes_the_unit_that_suits_it(
    write: Callable[[float], str], number: float, text: str
) -> None:
    assert write(number) == text.replace(" ", THIN)


@given(st.floats(min_value=1e-300, max_value=1, exclude_max=True))
def test_what_is_possible_is_never_shown_as_nothing_or_as_certain(fraction: float) -> None:
    assert not percent(fraction).startswith(("0" + THIN, "100", "<"))


def test_counts_agree_with_their_nouns() -> None:
    said = [plural(1, "token"), plural(2, "token"), plural(2, "pass", "es")]
    assert said == ["1 token", "2 tokens", "2 passes"]


@given(st.floats(min_value=1e-6, max_value=1e15))
def test_round_steps_reach_the_top_in_few_even_steps(top: float) -> None:
    ticks = round_steps(top)
    assert ticks[-1] >= top * 0.99
    assert 2 <= len(ticks) <= 7
    assert ticks[1] == pytest.approx(ticks[-1] / (len(ticks) - 1))
    assert f"{ticks[1]:e}"[0] in "125"


def test_ticks_of_a_bytes_axis_share_one_unit() -> None:
    places, labels = size_ticks(26_624)
    assert places == [0, 10_000, 20_000, 30_000]
    assert labels == ["0", f"10{THIN}kB", f"20{THIN}kB", f"30{THIN}kB"]
    assert size_ticks(0) == ([0.0], ["0"])
    assert size_ticks(5e15)[1][-1] == f"6000{THIN}TB"


@given(st.floats(1e-3, 1e6, allow_nan=False), st.floats(1.0, 1e5, allow_nan=False))
def test_marks_of_a_logarithmic_axis_lie_on_it_and_read_as_what_they_are(
    low: float, times: float
) -> None:
    ticks, labels = log_ticks(low, low * times)
    assert all(low <= tick <= low * times for tick in ticks)
    assert ticks == sorted(ticks)
    assert [float(label.replace(THIN, "")) for label in labels] == pytest.approx(ticks)
    assert len(ticks) >= 3 * math.floor(math.log10(times)), "three for every power of ten"
    assert {f"{tick:e}"[0] for tick in ticks} <= {"1", "2", "5"}


@given(st.floats(1e-4, 1))
def test_a_p_value_is_shown_on_its_side_of_the_bar(p_value: float) -> None:
    sign, shown = chance(p_value, 0.01).split(" ", 1)
    assert sign == "="
    assert (float(shown) > 0.01) == (p_value > 0.01)
    assert chance(3e-5, 0.01).startswith("<")
