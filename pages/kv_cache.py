"""What is kept, and what it saves: the key-value cache, drawn, counted, raced, planned, reused."""

import streamlit as st

from pages.parts.shell import close_lesson, let_the_shell_paint, open_lesson

open_lesson(presenter=bool(st.session_state.get("presenter")))
st.title("What is kept, and what it saves", anchor=False)
stage = st.container()
with stage:
    waiting = st.empty()
    waiting.caption("Loading the model…")
    let_the_shell_paint()
    from pages.parts.kv_lesson import show_cache_lesson  # torch comes in behind the shell

    show_cache_lesson(waiting)
close_lesson("pages/kv_cache.py")
