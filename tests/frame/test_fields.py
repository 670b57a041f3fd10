"""What a link says is what was meant, and a bad one says in a sentence what is wrong."""

import math
import re
from typing import Any
from urllib.parse import parse_qs

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from model.settings import SETTINGS, Settings
from pages.frame.fields import (
    Choice,
    LinkValues,
    Number,
    Several,
    Switch,
    Text,
    Whole,
    read_fields,
    sampling_number,
    write_fields,
)
from pages.frame.settings_script import SCRIPT, settings_script

FIELDS = (
    Text("prompt", "Prompt", max_characters=30),
    Whole("seed", "Seed", 5, low=2, high=1_000),
    Number("temperature", "Temperature", low=-0.5, high=1.5),
    Choice("order", "Order", "random", {"left to right": "from the left", "random": "any"}),
    Choice("blocks", "Blocks", None, (0, 8)),
    Several("use", "Masks", ("top_k",), ("top_k", "top_p")),
    Switch("whole", "Whole rounds"),
    Text("draft", "Draft", in_link=False),
)


def read(query: str) -> LinkValues:
    return read_fields(parse_qs(query.lstrip("?"), keep_blank_values=True), FIELDS)


@given(
    st.fixed_dictionaries(
        {
            "prompt": st.text(max_size=30),
            "seed": st.integers(2, 1_000),
            "temperature": st.floats(-0.5, 1.5),
            "order": st.sampled_from(["left to right", "random"]),
            "blocks": st.sampled_from([0, 8]),
            "use": st.sampled_from([(), ("top_k",), ("top_k", "top_p")]),
            "whole": st.booleans(),
        }
    )
)
def test_what_is_written_is_read_again_and_defaults_need_no_word(values: dict[str, Any]) -> None:
    query = write_fields(values | {"draft": "not in links"}, FIELDS)
    defaults = {field.name: field.default for field in FIELDS}
    asked = {name: value for name, value in values.items() if value != defaults[name]}
    assert read(query) == LinkValues(asked)


@given(st.dictionaries(st.sampled_from([field.name for field in FIELDS]), st.text()))
def test_any_value_whatever_is_taken_or_named_in_one_sentence(params: dict[str, str]) -> None:
    found = read_fields({name: [text] for name, text in params.items()}, FIELDS)
    for field in FIELDS:
        is_asked = field.in_link and field.name in params
        is_named = any(fault.startswith(f"“{field.label}”") for fault in found.faults)
        assert is_named == (is_asked and field.name not in found.values)
    assert bool(found.sentence()) == bool(found.faults)


@pytest.mark.parametrize(
    ("query", "fault"),
    [
        ("seed=minus", "“Seed” must be a whole number from 2 to 1,000, not “minus”"),
        ("seed=1", "not “1”"),
        ("seed=²", "not “²”"),
        ("seed=%E2%80%8B3%00", "not “<U+200B>3<U+0000>”"),
        ("seed=" + "7" * 5_000, f"not “{'7' * 39}…”"),
        ("temperature=nan", "“Temperature” must be a number from -0.5 to 1.5, not “nan”"),
        ("temperature=1e999", "not “1e999”"),
        ("order=left", "“Order” must be one of left to right, random, not “left”"),
        ("blocks=", "“Blocks” must be one of 0, 8, not “”"),
        ("use=top_k,magic", "“Masks” must be some of top_k, top_p, not “top_k,magic”"),
        ("whole=yes", "“Whole rounds” must be 1 or 0, not “yes”"),
        ("seed=3&seed=4", "“Seed” is given 2 times"),
        (f"prompt={'a' * 31}", "“Prompt” has more than 30 characters"),
    ],
)
def test_each_fault_is_named_and_the_rest_is_followed(query: str, fault: str) -> None:
    found = read(f"?{query}&unknown=1&draft=scribbler")
    assert found.sentence() == f"The link was followed in part only: {found.faults[0]}."
    assert found.sentence().endswith(f"{fault}.")
    assert found.values == {}


@pytest.mark.parametrize("name", SETTINGS)
@given(text=st.one_of(st.text(), st.floats().map(repr), st.integers().map(str)))
@example(text="1e-300")
@example(text="-0.0")
def test_a_link_takes_of_a_sampling_setting_what_settings_take(name: str, text: str) -> None:
    field = sampling_number(name, SETTINGS[name].neutral)
    try:
        number = float(text) if text.isascii() else math.nan
        expected = getattr(Settings(**{name: number}), name)
    except ValueError:
        expected = None
    if expected is None:
        with pytest.raises(ValueError, match=re.escape(SETTINGS[name].wanted)):
            field.read(text)
    else:
        assert (read := field.read(text)) == expected
        assert type(read) is type(expected)


def test_a_page_may_narrow_a_sampling_setting() -> None:
    field = sampling_number("temperature", 0.8, high=1.5)
    assert field.read("1.5") == 1.5
    for refused in ("1.6", "1e-300", "-1"):
        with pytest.raises(ValueError, match=r"from 0\.000001 to 1\.5"):
            field.read(refused)


def test_the_browser_s_table_of_settings_is_python_s() -> None:
    """Where not: `python -m pages.frame.settings_script`."""
    assert SCRIPT.read_text("utf-8") == settings_script()


def test_a_switch_of_an_older_link_is_read() -> None:
    assert read("whole=True").values == {"whole": True}
