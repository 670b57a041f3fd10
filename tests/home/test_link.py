"""A link says what is wrong with it; what it brings back, test_session_properties.py holds."""

from urllib.parse import parse_qsl

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pages.home.session import Session

from model.loading import LanguageModel, load_model
from pages.frame.fields import MAX_LINK_TEXT
from pages.home.controls import Controls
from pages.home.link import follow, read_link, write_address


def test_a_run_that_cannot_be_followed_leaves_the_settings_and_the_seed(
    storyteller: LanguageModel,
) -> None:
    params = {"seed": "5", "run": "3", "forced": "1:99999999", "temperature": "0.3"}
    link = read_link(params, "storyteller")
    session = Session(storyteller, link.prompt, link.seed)
    with pytest.raises(ValueError, match="99999999"):
        follow(session, link)
    assert session.controls.temperature == 0.3
    assert session.seed == 5


def test_a_format_of_numbers_that_was_chosen_travels(storyteller: LanguageModel) -> None:
    assert "dtype" not in write_address(Session(storyteller, "a"))
    chosen = load_model("storyteller", "cpu", "bfloat16")
    link = dict(parse_qsl(write_address(Session(chosen, "a"))))
    assert read_link(link, "storyteller").dtype == "bfloat16"


def test_line_ends_of_other_systems_are_those_of_the_page() -> None:
    assert read_link({"prompt": "one\r\ntwo\rthree"}, "storyteller").prompt == "one\ntwo\nthree"


def test_a_prompt_too_long_for_a_link_makes_none(storyteller: LanguageModel) -> None:
    assert write_address(Session(storyteller, "a " * (MAX_LINK_TEXT // 8))) != ""
    session = Session(storyteller, "a")
    session.active.prompt = "a" * (MAX_LINK_TEXT + 1)
    assert write_address(session) == ""


@pytest.mark.parametrize(
    "params",
    [
        {"seed": "minus one"},
        {"seed": str(2**31)},
        {"top_p": "7"},
        {"order": "x"},
        {"run": "99999999"},
        {"run": "3~temperature:hot"},
        {"forced": "1:2:3", "run": "2"},
        {"forced": "a:b", "run": "2"},
    ],
)
def test_each_fault_of_a_link_is_named_and_the_rest_is_followed(params: dict[str, str]) -> None:
    link = read_link({"prompt": "Hello", **params}, "storyteller")
    assert len(link.problems) == 1
    assert "\n" not in link.problems[0]
    assert link.prompt == "Hello"


NAMES = [*Controls().to_page(), "run", "forced", "seed"]


@given(st.dictionaries(st.sampled_from(NAMES), st.text()))
def test_no_link_whatever_breaks_the_reader(params: dict[str, str]) -> None:
    for problem in read_link(params, "storyteller").problems:
        assert problem.endswith(".")
