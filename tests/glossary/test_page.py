"""The glossary as Streamlit runs it: every entry, the filter, the link from every lesson."""

from __future__ import annotations

import pytest
from streamlit.testing.v1 import AppTest

from pages.lessons.glossary.terms import TERMS
from tests.frame.driving import open_lesson


@pytest.fixture
def app() -> AppTest:
    return open_lesson("pages/glossary.py")


def test_every_entry_has_its_heading_and_anchor(app: AppTest) -> None:
    anchors = {heading.proto.anchor for heading in app.subheader}
    assert anchors == {term.anchor for term in TERMS}
    index = next(text.value for text in app.markdown if "(#top-p)" in text.value)
    assert all(f"(#{term.anchor})" in index for term in TERMS)


def test_the_filter_leaves_what_holds_the_words(app: AppTest) -> None:
    app.text_input(key="glossary_find").set_value("nucleus").run()
    assert [heading.value for heading in app.subheader] == ["top-p"]
    app.text_input(key="glossary_find").set_value("zebra").run()
    assert not app.exception
    assert not app.subheader
    assert app.info


def test_a_link_can_put_one_entry_first() -> None:
    app = open_lesson("pages/glossary.py", term="min-p")
    assert app.subheader[0].value == "min-p"
    assert len(app.subheader) == len(TERMS) + 1
    app.query_params["term"] = "<script>"
    app.run()
    assert not app.exception
    assert len(app.subheader) == len(TERMS)
