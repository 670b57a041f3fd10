"""Home: a real model writes one token at a time, and every stage of the loop can be seen."""

import streamlit as st

from pages.parts.heap import collector_paused
from pages.parts.shell import close_lesson, let_the_shell_paint, open_lesson

st.session_state.setdefault("presenter", st.query_params.get("present") == "1")
open_lesson(presenter=st.session_state["presenter"])
with st.container(horizontal=True, vertical_alignment="center", key="head"):
    st.title("A language model writes one token at a time", anchor=False)
    toolbar = st.container(horizontal=True, width="content", key="toolbar")
stage = st.container()
with stage:
    waiting = st.empty()
    waiting.caption("Loading the model…")
    let_the_shell_paint()
    with collector_paused():
        from pages.parts.home import show_home  # torch and transformers come in behind the shell

        show_home(toolbar, waiting)
close_lesson("pages/generate.py")
