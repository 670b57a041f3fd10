"""A term is underlined where it first stands on a page, and opens what the glossary says of it."""

import re
from html import unescape

import pytest
import streamlit as st
from markupsafe import Markup

from pages.frame.contents import LESSONS
from pages.frame.terms import AMBIGUOUS, BY_NAME, explain, forget_shown
from pages.home.facts import page_facts


@pytest.fixture(autouse=True)
def _page(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(st, "session_state", {})
    forget_shown()


def marked(text: str, place: str = "claim") -> list[str]:
    words, notes = explain(text, place)
    assert words.striptags() == Markup.escape(text).striptags(), "the words stay as they are"
    found = re.findall(r'class="term" popovertarget="([^"]+)">([^<]+)<', words)
    assert re.findall(r' id="([^"]+)"', notes) == [anchor for anchor, _ in found]
    return [unescape(word) for _, word in found]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Top-p and top-k cut its tail.", ["Top-p", "top-k"]),
        ("Tokens of a token, and TOKENS.", ["Tokens"]),
        ("The KV cache holds it.", ["KV cache"]),
        ("Many logits.", ["logits"]),
        ("Read it, cut it, score it: it draws attention.", []),
        ("A tokenizer’s prefilled top-performer.", ["tokenizer"]),
        ("It ends at <|endoftext|>.", ["<|endoftext|>"]),
        ("<b>token</b> & <script>alert(1)</script>", ["token"]),
        ("No term at all.", []),
    ],
)
def test_terms_are_found_once_and_as_words(text: str, found: list[str]) -> None:
    assert marked(text) == found


def test_a_term_is_marked_in_its_first_place_alone_and_there_again() -> None:
    assert marked("A token.", "claim") == ["token"]
    assert marked("Its temperature, and a token.", "question") == ["temperature"]
    assert marked("Tokens, drawn by temperature.", "remember") == []
    assert marked("A token.", "claim") == ["token"], "drawn again, it keeps its mark"
    forget_shown()
    assert marked("Tokens, drawn by temperature.", "remember") == ["Tokens", "temperature"]


def test_a_note_says_what_the_glossary_says_and_is_not_read_as_markup() -> None:
    words, notes = explain("A <i>logit</i> of eta sampling.", "claim")
    assert "<i>" not in words
    assert str(Markup.escape(BY_NAME["logit"].says)) in notes
    assert str(Markup.escape(BY_NAME["eta sampling"].says)) in notes


def test_the_sentences_of_the_course_have_terms_to_open() -> None:
    found = {}
    for lesson in LESSONS:
        forget_shown()
        found[lesson.stem] = marked(f"{lesson.claim} {lesson.remember}")
    assert found["sampling"] == ["tokens", "Temperature", "distribution", "top-p", "top-k"]
    assert found["causal_mask"] == ["token"]
    assert sum(map(bool, found.values())) >= len(LESSONS) / 3


def test_the_first_page_s_terms_are_the_glossary_s() -> None:
    terms = page_facts()["terms"]
    assert AMBIGUOUS & terms.keys() == {"read", "score", "cut", "draw", "append"}  # its beats
    assert terms == {name: BY_NAME[name].says for name in terms}
