"""The glossary's entries: short, each with a page that shows it and an address of its own."""

from __future__ import annotations

import re

import pytest

from pages.frame.contents import LESSONS
from pages.lessons.glossary.terms import TERMS, Term


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
