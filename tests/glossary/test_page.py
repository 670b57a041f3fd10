"""The glossary: short entries in order, each with an address of its own; the page of them all."""

from __future__ import annotations

import re

import pytest

from pages.frame.contents import LESSONS
from pages.lessons.glossary.index import TERMS, Term
from tests.frame.driving import open_lesson


@pytest.mark.parametrize("term", TERMS, ids=lambda term: term.anchor)
def test_an_entry_is_short_and_says_where_to_see_it(term: Term) -> None:
    assert 1 <= len(re.split(r"[.] (?=[A-Z])", term.says)) <= 2
    assert 30 <= len(term.says) <= 280
    assert term.says.endswith((".", ")."))
    assert term.page in {lesson.path for lesson in LESSONS}
    assert all(re.fullmatch(r"\d{4}\.\d{5}", number) for number in term.arxiv)
    assert not set("*_`$<>[]") & set(term.says)  # shown as markdown, meant as words


def test_names_and_anchors_are_unique_and_in_order() -> None:
    names = [term.name.lower() for term in TERMS]
    assert names == sorted(set(names))
    anchors = [term.anchor for term in TERMS]
    assert len(set(anchors)) == len(anchors)
    assert all(re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", anchor) for anchor in anchors)


def test_every_entry_has_its_heading_and_anchor_and_the_filter_leaves_what_holds_the_words() -> (
    None
):
    app = open_lesson("pages/glossary.py")
    assert {heading.proto.anchor for heading in app.header} == {term.anchor for term in TERMS}
    index = next(text.value for text in app.markdown if "(#top-p)" in text.value)
    assert all(f"(#{term.anchor})" in index for term in TERMS)
    app.text_input(key="glossary_find").set_value("nucleus").run()
    assert [heading.value for heading in app.header] == ["top-p"]
    app.text_input(key="glossary_find").set_value("zebra").run()
    assert not app.header
    assert app.info


def test_a_link_can_put_one_entry_first() -> None:
    app = open_lesson("pages/glossary.py", term="min-p")
    assert app.header[0].value == "min-p"
    assert len(app.header) == len(TERMS) + 1
    app.query_params["term"] = "<script>"
    app.run()
    assert not app.exception
    assert len(app.header) == len(TERMS)
