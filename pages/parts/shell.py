"""The frame of every lesson: its title, the look that the theme cannot give, and the way on."""

from __future__ import annotations

import sys
import time

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from pages.parts.lessons import neighbours

_STYLE = """
<style>
.stMainBlockContainer {padding: 4rem 2rem 3rem; max-width: 1500px;}
.stMainBlockContainer h1 {font-size: 1.45rem; line-height: 1.25; padding: 0; font-weight: 650;}
.st-key-toolbar {flex: 0 0 auto; margin-left: auto;}
.stElementContainer:has(.st-key-vocabulary), .stElementContainer:has(> .stHtml > style),
.stElementContainer:has(.st-key-rest), .st-key-vocabulary, .st-key-rest {display: none;}
@media (max-width: 640px) {.stMainBlockContainer {padding: 4rem .8rem 2rem;}}
</style>
"""
_PRESENTER = """
<style>
header[data-testid="stHeader"], .stSidebar {display: none;}
.stMainBlockContainer {padding-top: .6rem; max-width: none;}
.stMainBlockContainer h1 {font-size: 1.6rem;}
</style>
"""
PAINT_SECONDS = 0.05  # what the shell needs to leave before an import takes the interpreter


def open_lesson(*, presenter: bool = False) -> None:
    """Give the page its look, and see to it that it runs below `app.py`.

    Streamlit takes a folder `pages/` for an app of the old kind until `st.navigation` has run once.
    If the first thing that a fresh server is asked for is a lesson, it runs that file alone: then
    say that this app is none of those, and begin again.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
    st.html(_STYLE + (_PRESENTER if presenter else ""))


def let_the_shell_paint() -> None:
    """Before the first import of torch in this process, let what is on the page reach it."""
    if "torch" not in sys.modules:
        time.sleep(PAINT_SECONDS)


def close_lesson(path: str) -> None:
    """Show the way to the lessons before and after this one, where there are any."""
    before, after = neighbours(path)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="neighbours"):
        if before is not None:
            st.page_link(before.path, label=f"Previous: {before.title}")
        if path != "pages/glossary.py":
            st.page_link("pages/glossary.py", label="Glossary")
        if after is not None:
            st.page_link(after.path, label=f"Next: {after.title}")
