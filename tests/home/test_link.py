"""A link says what is wrong with it, and brings back what it was made from."""

from urllib.parse import parse_qsl, urlencode

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from model.loading import LanguageModel, load_model
from pages.frame.fields import MAX_LINK_TEXT
from pages.home.controls import Controls
from pages.home.link import ModelAsked, model_of
from tests.driving.in_page import InPage
from tests.home.page_session import PageSession

PROMPT = 'A "quoted" & <odd> prompt, with ~ ; : and é'


def test_the_server_reads_which_model_is_asked_for_and_in_which_format() -> None:
    assert model_of({}, "usual") == ModelAsked("usual")
    assert model_of({"model": " a/b ", "dtype": "bfloat16"}, "usual") == ModelAsked(
        "a/b", "bfloat16"
    )
    for wrong in ({"model": " "}, {"model": "x" * 999}, {"dtype": "float8"}):
        assert model_of(wrong, "usual") == ModelAsked("usual")


def test_a_link_brings_back_the_text_as_it_came_about(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    session = PageSession(in_page, storyteller, PROMPT, seed="3").do("finish", count=4)
    aimed = session.header["controls"] | {"mirostat": 3.0, "order": "llama.cpp"}
    session.do("force", token_id=262).do("next", controls=aimed).do("next").do("seed", seed=9)
    before = session.header
    again = PageSession(in_page, storyteller, **dict(parse_qsl(session.query)))
    for name in ("ids", "n_prompt", "seed", "controls", "next_id", "pointer", "query", "address"):
        assert again.header[name] == before[name], name
    assert again.steps["forced"] == before["steps"]["forced"]
    assert again.notice == ""


def test_a_run_that_cannot_be_followed_leaves_the_settings_and_the_seed(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    link = {"seed": "5", "run": "3", "forced": "1:99999999", "temperature": "0.3"}
    session = PageSession(in_page, storyteller, **link)
    assert "99999999" in session.notice
    assert len(session.steps["how"]) == 1
    assert (session.header["controls"]["temperature"], session.header["seed"]) == (0.3, 5)
    assert session.do("next").notice == ""


def test_a_format_of_numbers_that_was_chosen_travels(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    assert "dtype" not in PageSession(in_page, storyteller, "a").header["address"]
    chosen = load_model("storyteller", "cpu", "bfloat16")
    address = PageSession(in_page, chosen, "a").header["address"]
    assert model_of(dict(parse_qsl(address)), "x") == ModelAsked("storyteller", "bfloat16")


def test_line_ends_of_other_systems_are_those_of_the_page(in_page: InPage) -> None:
    assert in_page("readLink", query={"prompt": "one\r\ntwo\rthree"})["prompt"] == "one\ntwo\nthree"


def test_a_prompt_too_long_for_a_link_makes_none(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    session = PageSession(in_page, storyteller, "a " * (MAX_LINK_TEXT // 8))
    assert session.header["address"] != ""
    session.do("prompt", text="word " * (MAX_LINK_TEXT // 5 + 1))
    assert (session.notice, session.header["address"]) == ("", "")


@pytest.mark.parametrize(
    "query",
    [
        {"seed": "minus one"},
        {"seed": str(2**31)},
        {"top_p": "7"},
        {"order": "x"},
        {"run": "99999999"},
        {"run": "0;" * 5000},
        {"run": "3~temperature:hot"},
        {"forced": "1:2:3", "run": "2"},
        {"forced": "a:b", "run": "2"},
    ],
    ids=lambda query: str(query)[:30],
)
def test_each_fault_of_a_link_is_named_and_the_rest_is_followed(
    in_page: InPage, query: dict[str, str]
) -> None:
    link = in_page("readLink", query={"prompt": "Hello", **query})
    assert len(link["problems"]) == 1
    assert "\n" not in link["problems"][0]
    assert len(link["problems"][0]) < 300
    assert link["prompt"] == "Hello"


@pytest.mark.parametrize("name", ["prompt", "seed", "use", "temperature", "run", "forced", "ids"])
def test_what_a_link_says_twice_is_named_and_not_followed(in_page: InPage, name: str) -> None:
    once = {"prompt": "Hello", "seed": "3", "run": "2", "chat": "1"} | {"ids": "1,2"}
    pairs = [*(item for item in once.items() if item[0] != name), (name, "1"), (name, "2")]
    told = in_page("readLink", query=urlencode(pairs))
    left_out = in_page("readLink", query=urlencode([pair for pair in pairs if pair[0] != name]))
    (problem,) = told.pop("problems")
    assert "2 times" in problem
    assert left_out.pop("problems") == []
    # a run without the tokens that the reader chose would be another one
    assert told == left_out | ({"choices": []} if name == "forced" else {})


NAMES = [*Controls().to_page(), "run", "forced", "seed"]


@given(st.dictionaries(st.sampled_from(NAMES), st.text()))
@settings(max_examples=60)
def test_no_link_whatever_breaks_the_reader(in_page: InPage, query: dict[str, str]) -> None:
    for problem in in_page("readLink", query=query)["problems"]:
        assert problem.endswith(".")
