"""What each page is in the course: its sentence, what to remember of it, and what comes after."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from urllib.parse import urlencode

import streamlit as st
from markupsafe import Markup

from pages.frame.component import component
from pages.frame.contents import Lesson, anchor_of, laboratory_of, lesson_at, neighbours
from pages.frame.question import keep, lesson_asks
from pages.frame.settings_table import SettingsTable
from pages.frame.terms import explain
from pages.frame.words import _

_CLAIM = Markup('<p class="claim"><span class="claim-part">{}</span>{}</p>')
_REMEMBER = Markup('<p class="remember">{}</p>')
_BACK, _ON = ":material/arrow_back:", ":material/arrow_forward:"
_AROUND = {"model", "present"}  # of any page's link
_moved = component("moved", Path(__file__).with_name("moved.js"))


def show_claim(lesson: Lesson) -> None:
    """Shows the sentence that the page claims, unless a guided lesson is open."""
    if lesson.claim and not lesson_asks():
        words, notes = explain(_(lesson.claim), "claim")
        st.html(_CLAIM.format(lesson.part_name, words) + notes)


def show_summary(
    path: str,
    *laboratory: str,
    asked: str | None = None,
    found: str | None = None,
    numbers: Mapping[str, str] | None = None,
) -> None:
    """Ends what a pupil needs of a page: what to remember, the next page, then the laboratory.

    Args:
        path: Of the page's file.
        laboratory: Titles of the sections below, which Streamlit finds by their words; those that
            contents.py names, where that is a laboratory's page.
        asked: Key of the question that comes first: until its verdict, the sentence is hidden.
        found: Key of the place of a first result, which all of this waits for.
        numbers: That were measured, by their names in the sentence.
    """
    if lesson_asks():
        return
    lesson = lesson_at(path)
    with st.container(key="summary", gap="xsmall"):
        words, notes = explain(_(lesson.remember, **(numbers or {})), "remember")
        st.html(_REMEMBER.format(words) + notes)
        keep(key="end_asked_kept", data={"question": ""}, height="content")
        # an answer runs its own fragment alone: no run of the page would show what is below
        waits = None
        if asked:
            question = f".st-key-{asked}_asked"
            waits = f":has({question}):not(:has(.st-key-{asked}_told)) .remember"
        elif found:
            waits = f":not(:has(.st-key-{found} .stElementContainer)) .st-key-summary"
        if waits:
            st.html(f"<style>.stMain{waits} {{visibility: hidden;}}</style>")
        after = neighbours(path)[1]
        with st.container(horizontal=True, vertical_alignment="center"):
            if lesson.measures:
                course = lesson_at(lesson.measures)
                _link(course, _(course.title), _BACK)
            if after is not None:
                _link(after, _("Next: {title}", title=_(after.title)), _ON)
            _jumps(laboratory or lesson.sections)
            if (own := laboratory_of(path)) is not None:
                _link(own, _(own.title), _ON)


def follow_moved(path: str, here: SettingsTable, there: SettingsTable) -> None:
    """Sends a link on to the page's laboratory if it names a section, or settings, of that alone.

    Args:
        path: Of the page that the link opens.
        here: The settings that the page has.
        there: Those of its laboratory.
    """
    laboratory = laboratory_of(path)
    if laboratory is None:
        raise ValueError(f"{path} has no laboratory: name it in contents.py.")
    names = {field.name for field in there.fields} - {field.name for field in here.fields}
    asked = set(st.query_params) - _AROUND
    data = {
        "page": laboratory.stem,
        "anchors": [anchor_of(title) for title in laboratory.sections],
        "query": f"?{urlencode(st.query_params)}" if asked and asked <= names else None,
    }
    _moved(key="moved", data=data, height="content")


def _jumps(titles: Sequence[str]) -> None:
    if titles:
        links = " · ".join(f"[{title}](#{anchor_of(title)})" for title in titles)
        said = _("In the laboratory: {links}", links=links)
        st.markdown(f":small[{said}]")


def _link(lesson: Lesson, label: str, icon: str) -> None:
    st.page_link(lesson.path, label=label, icon=icon)
