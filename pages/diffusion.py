"""All positions at once, refined: a page of masks that settles into a text in K passes."""

import streamlit as st

from pages.parts.shell import close_lesson, let_the_shell_paint, open_lesson

st.session_state.setdefault("presenter", st.query_params.get("present") == "1")
open_lesson(presenter=st.session_state["presenter"])
with st.container(horizontal=True, vertical_alignment="center", key="head"):
    st.title("All positions at once", anchor=False)
    with st.container(horizontal=True, width="content", key="toolbar"):
        st.toggle("Presenter", key="presenter", help="Large type for a projector.")
stage = st.container()
with stage:
    waiting = st.empty()
    waiting.caption("Loading the models…")
    let_the_shell_paint()
    from pages.parts.diffusion_lesson import (
        show_diffusion_lesson,
    )  # torch comes in behind the shell

    show_diffusion_lesson(waiting)
close_lesson("pages/diffusion.py")
