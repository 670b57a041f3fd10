"""The glossary: short entries in order, each with an address of its own; the page of them all."""

import re

from model.language_model import LanguageModel
from model.tokenizing import encode_bare, label
from pages.frame.contents import LESSONS
from pages.frame.terms import TERMS
from pages.lessons.glossary.index import FIRST
from pages.lessons.glossary.pictures import PICTURES, picture
from tests.frame.driving import open_lesson


def test_every_entry_is_short_and_says_where_to_see_it() -> None:
    for term in TERMS:
        assert 1 <= len(re.split(r"[.] (?=[A-Z])", term.says)) <= 2, term.name
        assert 30 <= len(term.says) <= 280, term.name
        assert term.says.endswith((".", ").")), term.name
        assert term.page in {lesson.path for lesson in LESSONS}, term.name
        assert all(re.fullmatch(r"\d{4}\.\d{5}", number) for number in term.arxiv), term.name
        assert not set("*_`$<>[]") & set(term.says), "shown as markdown, meant as words"


def test_names_and_anchors_are_unique_and_in_order() -> None:
    names, anchors = ([getattr(term, of) for term in TERMS] for of in ("name", "anchor"))
    assert sorted({name.lower() for name in names}) == [name.lower() for name in names]
    assert len(set(anchors)) == len(anchors)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", anchor) for anchor in anchors)


def test_a_link_puts_one_entry_first_and_the_filter_leaves_what_holds_the_words() -> None:
    app = open_lesson("pages/glossary.py", term="min-p")
    first, *others = app.header
    assert first.value == "min-p"
    cards = next(html.proto.body for html in app.get("html") if "glossary-card" in html.proto.body)
    carded = re.findall(r'id="([^"]+)"', cards)
    told = [*carded, *(heading.proto.anchor for heading in others)]
    assert sorted(told) == sorted(term.anchor for term in TERMS), "each once"
    assert len(carded) == len(FIRST) == cards.count("glossary-picture")
    assert re.findall(r'href="#([^"]+)"', cards) == carded, "a phone's list of them"
    app.query_params["term"] = "<script>"
    app.text_input(key="glossary_find").set_value("nucleus").run()
    assert [heading.value for heading in app.header] == ["top-p"]
    app.text_input(key="glossary_find").set_value("top").run()
    found = [heading.value for heading in app.header]
    assert found[0] == "top-p", "the word itself, before what tells of it"
    assert found.index("top-k") < found.index("stop string"), "where it begins a word"
    assert found.index("top-k") < found.index("cut")
    assert any("glossary-picture" in html.proto.body for html in app.get("html"))
    app.text_input(key="glossary_find").set_value("zebra").run()
    assert not app.exception
    assert not app.header
    assert app.info


def test_the_pictures_of_cards_have_the_tokens_of_the_shipped_model(
    storyteller: LanguageModel,
) -> None:
    assert set(PICTURES) == set(FIRST)
    for name, drawn in PICTURES.items():
        assert str(picture(name)).count("glossary-row") == drawn.count("/") + 1
    pieces = re.findall(r":(\S+?)(?=[ /]|$)", PICTURES["token"])
    ids = encode_bare(storyteller, "The sparrow was sleepy.")
    assert [label(storyteller.tokenizer, i).strip("␣") for i in ids] == pieces
    words = {word for drawn in PICTURES.values() for word in re.findall(r":(\w+)", drawn)}
    for word in words - set(pieces):
        assert len(encode_bare(storyteller, f"a {word}")) == 2, f"{word} is a token"
