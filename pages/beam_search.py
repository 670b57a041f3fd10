"""Several texts at once: beam search, its tree, what it finds beside greedy, what it costs."""

import streamlit as st

from pages.parts.shell import close_lesson, let_the_shell_paint, open_lesson

st.session_state.setdefault("presenter", st.query_params.get("present") == "1")
open_lesson(presenter=st.session_state["presenter"])
with st.container(horizontal=True, vertical_alignment="center", key="head"):
    st.title("Several texts at once", anchor=False)
    with st.container(horizontal=True, width="content", key="toolbar"):
        st.toggle("Presenter", key="presenter", help="Large type for a projector.")
stage = st.container()
with stage:
    waiting = st.empty()
    waiting.caption("Loading the model…")
    let_the_shell_paint()
    from pages.parts.beam_lesson import show_beam_lesson  # torch comes in behind the shell

    show_beam_lesson(waiting)
close_lesson("pages/beam_search.py")
