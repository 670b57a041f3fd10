"""What a lesson's link says is what was meant, and a bad one says in a sentence what is wrong."""

from __future__ import annotations

from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pages.frame.link_fields import (
    Asked,
    Number,
    OneOf,
    Whole,
    Words,
    YesNo,
    read_fields,
    write_fields,
)

FIELDS = (
    Words("prompt", "key_prompt", "the text", longest=30),
    Whole("seed", "key_seed", "the seed", low=2, high=1_000),
    Number("temperature", "key_temperature", "the temperature", low=-0.5, high=1.5),
    OneOf("order", "key_order", "the order", names=("left to right", "random")),
    OneOf("blocks", "key_blocks", "the block", names=(0, 8)),
    YesNo("whole", "key_whole", "whole rounds"),
)


def read(query: str) -> Asked:
    return read_fields(parse_qs(query.lstrip("?"), keep_blank_values=True), FIELDS)


@given(
    st.fixed_dictionaries(
        {
            "prompt": st.text(max_size=30),
            "seed": st.integers(2, 1_000),
            "temperature": st.floats(-0.5, 1.5),
            "order": st.sampled_from(["left to right", "random"]),
            "blocks": st.sampled_from([0, 8]),
            "whole": st.booleans(),
        }
    )
)
def test_what_is_written_is_read_again(values: dict[str, object]) -> None:
    asked = read(write_fields(values, FIELDS, "a model & more"))
    assert asked == Asked(values, "a model & more")


@given(st.dictionaries(st.sampled_from([*(one.name for one in FIELDS), "model"]), st.text()))
def test_any_value_whatever_is_taken_or_named_in_one_sentence(params: dict[str, str]) -> None:
    asked = read_fields({name: [text] for name, text in params.items()}, FIELDS)
    for one in FIELDS:
        is_named = any(fault.startswith(one.words) for fault in asked.faults)
        assert is_named == (one.name in params and one.name not in asked.values)
    assert asked.sentence().startswith("The link was not followed in") == bool(asked.faults)


@given(st.text())
def test_any_query_whatever_is_read(query: str) -> None:
    for fault in read(query).faults:
        assert fault


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("seed=minus", "the seed has to be a whole number from 2 to 1\u202f000, not “minus”"),
        ("seed=1", "the seed has to be a whole number from 2 to 1\u202f000, not “1”"),
        ("seed=-3", "the seed has to be a whole number from 2 to 1\u202f000, not “-3”"),
        ("seed=²", "the seed has to be a whole number from 2 to 1\u202f000, not “²”"),
        ("temperature=nan", "the temperature has to be a number from -0.5 to 1.5, not “nan”"),
        ("temperature=1e999", "the temperature has to be a number from -0.5 to 1.5, not “1e999”"),
        ("order=left", "the order has to be one of left to right, random, not “left”"),
        ("blocks=", "the block has to be one of 0, 8, not “”"),
        ("whole=True", "whole rounds has to be 1 or 0, not “True”"),
        ("seed=3&seed=4", "the seed is given 2 times"),
        (f"prompt={'a' * 31}", "the text has more than 30 characters"),
        (f"model={'a' * 201}", "the model has more than 200 characters"),
    ],
)
def test_each_fault_is_named_and_the_rest_is_followed(query: str, fault: str) -> None:
    asked = read(f"?{query}&unknown=1")
    assert asked.sentence() == f"The link was not followed in one point: {fault}."
    assert asked.values == {}
    assert asked.model is None


def test_a_long_value_is_shown_by_its_beginning() -> None:
    asked = read(f"seed={'7' * 5_000}&order={'x' * 5_000}")
    assert asked.sentence().startswith("The link was not followed in 2 points: ")
    assert len(asked.sentence()) < 250


def test_what_has_no_value_is_left_out() -> None:
    assert write_fields({"seed": None, "whole": False}, FIELDS, None) == "?whole=0"
    assert write_fields({}, FIELDS, None) == ""
