"""The glossary as Streamlit runs it: every entry, the filter, the link from every lesson."""

from __future__ import annotations

from pages.lessons.glossary.terms import TERMS
from tests.frame.driving import open_lesson


def test_every_entry_has_its_heading_and_anchor_and_the_filter_leaves_what_holds_the_words() -> (
    None
):
    app = open_lesson("pages/glossary.py")
    assert {heading.proto.anchor for heading in app.subheader} == {term.anchor for term in TERMS}
    index = next(text.value for text in app.markdown if "(#top-p)" in text.value)
    assert all(f"(#{term.anchor})" in index for term in TERMS)
    app.text_input(key="glossary_find").set_value("nucleus").run()
    assert [heading.value for heading in app.subheader] == ["top-p"]
    app.text_input(key="glossary_find").set_value("zebra").run()
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
