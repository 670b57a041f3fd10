"""Numbers as words: nothing is rounded into what it is not."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from viz.format import (
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

THIN = "\u202f"


@pytest.mark.parametrize(
    ("fraction", "text"),
    [
        (0, "0 %"),
        (1, "100 %"),
        (0.12345, "12.3 %"),
        (0.05, "5.0 %"),
        (0.005, "0.50 %"),
        (0.00031, "0.031 %"),
        (2e-9, "2·10⁻⁷ %"),
        (0.9996, "99.96 %"),
        (0.99998, "99.998 %"),
        (1 - 1e-13, ">99.999999999 %"),
    ],
)
def test_a_percentage_keeps_the_digits_that_matter(fraction: float, text: str) -> None:
    assert percent(fraction) == text.replace(" ", THIN)


@given(st.floats(min_value=1e-300, max_value=1, exclude_max=True))
def test_what_is_possible_is_never_shown_as_nothing_or_as_certain(fraction: float) -> None:
    text = percent(fraction)
    assert not text.startswith(("0" + THIN, "100", "<"))


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "0 µs"),
        (5.8e-6, "5.8 µs"),
        (0.00085, "0.85 ms"),
        (0.0051, "5.1 ms"),
        (0.31, "310 ms"),
        (0.99951, "1.00 s"),
        (1.24, "1.24 s"),
        (1240, "1 240 s"),
    ],
)
def test_seconds_take_the_unit_that_suits_them(seconds: float, text: str) -> None:
    assert duration(seconds) == text.replace(" ", THIN)


@pytest.mark.parametrize(
    ("n_bytes", "text"),
    [
        (0, "0 B"),
        (999, "999 B"),
        (36_864, "36.9 kB"),
        (999_999, "1.00 MB"),
        (6_710_886_400, "6.71 GB"),
    ],
)
def test_bytes_are_decimal(n_bytes: int, text: str) -> None:
    assert size(n_bytes) == text.replace(" ", THIN)


def test_counts_are_grouped_and_agree_with_their_nouns() -> None:
    assert count(36_864) == f"36{THIN}864"
    assert [plural(1, "token"), plural(2, "token"), plural(2, "pass", "es")] == [
        "1 token",
        "2 tokens",
        "2 passes",
    ]


def test_nats_have_a_true_minus_and_an_infinity() -> None:
    assert nats(-2.314) == f"−2.31{THIN}nats"
    assert nats(-0.001) == f"0.00{THIN}nats"
    assert nats(float("-inf")) == f"−∞{THIN}nats"


@given(st.floats(min_value=1e-6, max_value=1e15))
def test_round_steps_reach_the_top_in_few_even_steps(top: float) -> None:
    ticks = round_steps(top)
    assert ticks[-1] >= top * 0.99
    assert 2 <= len(ticks) <= 7
    assert ticks[1] == pytest.approx(ticks[-1] / (len(ticks) - 1))


def test_ticks_of_a_bytes_axis_share_one_unit() -> None:
    places, labels = size_ticks(26_624)
    assert places == [0, 10_000, 20_000, 30_000]
    assert size_ticks(0) == ([0.0], ["0"])
    assert size_ticks(5e15)[1][-1] == f"6000{THIN}TB"
    assert labels == ["0", f"10{THIN}kB", f"20{THIN}kB", f"30{THIN}kB"]


@given(st.floats(1e-3, 1e6, allow_nan=False), st.floats(1.0, 1e5, allow_nan=False))
def test_marks_of_a_logarithmic_axis_lie_on_it_and_read_as_what_they_are(
    low: float, times: float
) -> None:
    ticks, labels = log_ticks(low, low * times)
    assert all(low <= tick <= low * times for tick in ticks)
    assert ticks == sorted(ticks)
    assert [float(label.replace("\u202f", "")) for label in labels] == pytest.approx(ticks)
    assert len(ticks) >= 3 * math.floor(math.log10(times)), "three for every power of ten"


def test_marks_are_one_two_and_five() -> None:
    ticks, labels = log_ticks(0.3, 1500)
    assert labels == ["0.5", "1", "2", "5", "10", "20", "50", "100", "200", "500", f"1{THIN}000"]
    assert ticks == [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000]
