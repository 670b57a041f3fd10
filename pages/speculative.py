"""A small model guesses, the large one checks: speculative decoding, round by round."""

import streamlit as st

from pages.parts.shell import close_lesson, let_the_shell_paint, open_lesson

st.session_state.setdefault("presenter", st.query_params.get("present") == "1")
open_lesson(presenter=st.session_state["presenter"])
with st.container(horizontal=True, vertical_alignment="center", key="head"):
    st.title("A small model guesses, the large one checks", anchor=False)
    with st.container(horizontal=True, width="content", key="toolbar"):
        st.toggle("Presenter", key="presenter", help="Large type for a projector.")
stage = st.container()
with stage:
    waiting = st.empty()
    waiting.caption("Loading the models…")
    let_the_shell_paint()
    from pages.parts.spec_lesson import show_speculative_lesson  # torch comes in behind the shell

    show_speculative_lesson(waiting)
close_lesson("pages/speculative.py")
