"""A term is underlined where it first stands on a page, and opens what the glossary says of it."""

import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest
import streamlit as st
from markupsafe import Markup

from pages.frame.contents import LESSONS
from pages.frame.terms import AMBIGUOUS, BY_NAME, TERM, TERMS, explain, forget_shown
from pages.frame.words import Language, for_browser, languages, speaking
from pages.home.facts import page_facts
from pages.lessons.glossary.index import matching
from pages.words.update import TERM as CONTEXT
from pages.words.update import template
from tests.frame.driving import open_lesson
from tests.words.pseudo import reading


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
    assert found["sampling"] == ["tokens", "Top-p"]
    assert found["causal_mask"] == ["token"]
    assert sum(map(bool, found.values())) >= len(LESSONS) / 3


def test_the_first_page_s_terms_are_the_glossary_s() -> None:
    terms = page_facts()["terms"]
    assert AMBIGUOUS & terms.keys() == {"read", "score", "cut", "draw", "append", "surprise"}
    assert terms == {name: BY_NAME[name].says for name in terms}


SAID = {  # by English names: the word, its other forms, and a sentence
    "de": {
        "distribution": "Verteilung | Verteilungen",
        "token": "Token | Tokens",
        "temperature": "Temperatur",
        "beam search": "Strahlsuche (<b>)",
        "draw": "Ziehen",
    },
    "zh_Hans": {"token": "词元", "distribution": "概率分布", "temperature": "温度"},
    "ar": {"token": "رمز | الرمز | رموز | الرموز", "temperature": "درجة الحرارة"},
}


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Catalogues of some terms, each with a sentence that names its language."""
    folder = tmp_path_factory.mktemp("terms")
    for tag, names in SAID.items():
        parts = ['msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8\\n"\n']
        for name, word in names.items():
            parts += [f'msgctxt "{TERM}"\nmsgid "{name}"\nmsgstr "{word}"\n']
            parts += [f'msgid "{BY_NAME[name].says}"\nmsgstr "{tag}: {name} <i>"\n']
        (folder / f"{tag}.po").write_text("\n".join(parts), "utf-8")
    with reading(Path(folder)):
        yield


@pytest.mark.usefixtures("said")
@pytest.mark.parametrize(
    ("tag", "text", "found"),
    [
        ("de", "Verteilungen der Tokens, und ein Token.", ["Verteilungen", "Tokens"]),
        ("de", "Die Tokenisierung verteilt; Umverteilung, Strahlsuche.", []),
        ("de", "Strahlsuche (<b>) zum Ziehen.", ["Strahlsuche (<b>)"]),
        ("de", "Von top-p und logits.", ["top-p", "logits"]),  # as long as they have no other name
        ("zh-Hans", "模型给每个词元一个概率分布。", ["词元", "概率分布"]),
        ("ar", "يختار النموذج الرمز، ثم رموز أخرى.", ["الرمز"]),
        ("ar", "رمزي ودرجة الحرارة", []),
        ("en", "Verteilungen of Tokens", ["Tokens"]),
    ],
)
def test_a_term_is_found_in_the_reader_s_language_by_the_forms_that_it_names(
    tag: str, text: str, found: list[str]
) -> None:
    with speaking(languages()[tag]):
        assert marked(text) == found


@pytest.mark.usefixtures("said")
def test_its_note_speaks_the_reader_s_language_and_the_glossary_has_english_beside_it() -> None:
    with speaking(Language("de")):
        _, notes = explain("Die Verteilung", "claim")
        assert "<b>Verteilung</b>" in notes
        assert "de: distribution &lt;i&gt;" in notes
        assert [term.name for term in matching("strahlsuche")] == ["beam search"]
        assert "beam search" in [term.name for term in matching("BEAM SEARCH")]
        assert [term.name for term in matching("Ziehen")] == ["draw"]
        words = [term.word.lower() for term in matching("")]
        assert words.index("strahlsuche (<b>)") < words.index("token") < words.index("verteilung")
    app = open_lesson("pages/glossary.py", lang="de")
    headings = {one.proto.anchor: one.value for one in app.header}
    assert headings["draw"] == "Ziehen :small[draw]"
    cards = next(html.proto.body for html in app.get("html") if "glossary-card" in html.proto.body)
    assert "<b>Verteilung <small>distribution</small></b>" in cards
    assert "<b>Token</b>" in cards
    assert "(&lt;b&gt;)" in cards
    app.text_input(key="glossary_find").set_value("strahlsuche").run()
    (heading,) = app.header
    assert ":small[beam search]" in heading.value
    assert "<b>" not in heading.value.replace("\\<b\\>", "")


@pytest.mark.usefixtures("said")
def test_browsers_have_the_sentences_of_the_first_page_s_terms_and_no_others() -> None:
    messages = for_browser(Language("de"))["messages"]
    assert messages[BY_NAME["temperature"].says] == "de: temperature <i>"
    assert BY_NAME["beam search"].says not in messages


def test_translators_are_given_every_term_and_every_sentence() -> None:
    assert CONTEXT == TERM
    made = template()
    assert all(made.get(term.name, TERM) and made.get(term.says) for term in TERMS)
