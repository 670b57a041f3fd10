"""The glossary: short entries in order, each with an address of its own; the page of them all."""

import re

from pages.frame.contents import LESSONS
from pages.frame.terms import TERMS
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
    assert {heading.proto.anchor for heading in others} == {term.anchor for term in TERMS}
    index = next(text.value for text in app.markdown if "(#top-p)" in text.value)
    assert all(f"(#{term.anchor})" in index for term in TERMS)
    app.query_params["term"] = "<script>"
    app.text_input(key="glossary_find").set_value("nucleus").run()
    assert [heading.value for heading in app.header] == ["top-p"]
    app.text_input(key="glossary_find").set_value("zebra").run()
    assert not app.exception
    assert not app.header
    assert app.info
