"""What each page is in the course: its sentence, what to remember of it, and what comes after."""

import re

import streamlit as st
from markupsafe import Markup

from pages.frame.contents import Lesson, lesson_at, neighbours
from pages.frame.question import keep, lesson_asks

_CLAIM = Markup('<p class="claim"><span class="claim-part">{}</span>{}</p>')
_REMEMBER = Markup('<p class="remember">{}</p>')
# an answer runs its own fragment alone: the page shows what is below without being run anew
_KEPT = "<style>.st-key-end_asked_kept {display: none;}</style>"
_HIDDEN = Markup(
    '<style>.stMain:has(.st-key-{0}_asked):not(:has(.st-key-{0}_asked [aria-checked="true"])) '
    ".remember {{visibility: hidden;}}</style>"
)


def show_claim(lesson: Lesson) -> None:
    """Says what the page shows, in one sentence; in a guided lesson its scene says so."""
    if lesson.claim and not lesson_asks():
        st.html(_CLAIM.format(lesson.part_name, lesson.claim))


def show_summary(path: str, *laboratory: str, asked: str | None = None) -> None:
    """Ends what a pupil needs of a page: what to remember, the next page, then the laboratory.

    Args:
        path: Of the page's file.
        laboratory: Titles of the sections below, which Streamlit finds by their words.
        asked: Key of the question that comes first: until it is answered, the sentence is hidden.
    """
    if lesson_asks():
        return
    with st.container(key="summary", gap="xsmall"):
        st.html(_KEPT)
        st.html(_REMEMBER.format(lesson_at(path).remember))
        keep(key="end_asked_kept", data={"question": ""}, height="content")
        if asked:
            st.html(_HIDDEN.format(asked))  # alone: what holds a style is not shown
        after = neighbours(path)[1]
        with st.container(horizontal=True, vertical_alignment="center"):
            if after is not None:
                icon = ":material/arrow_forward:"
                st.page_link(after.path, label=f"Next: {after.title}", icon=icon)
            if laboratory:
                links = " · ".join(f"[{title}](#{anchor_of(title)})" for title in laboratory)
                st.markdown(f":small[In the laboratory: {links}]")


def anchor_of(title: str) -> str:
    """Returns what Streamlit calls a heading of that title in its address."""
    return re.sub(r"[\W_]+", "-", title.lower()).strip("-")
