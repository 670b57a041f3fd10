"""The glossary: the field's standard words, each with the page that shows the thing itself."""

import streamlit as st

from pages.parts.glossary_list import show_glossary
from pages.parts.shell import close_lesson, open_lesson

st.session_state.setdefault("presenter", st.query_params.get("present") == "1")
open_lesson(presenter=st.session_state["presenter"])
with st.container(horizontal=True, vertical_alignment="center", key="head"):
    st.title("Glossary", anchor=False)
    with st.container(horizontal=True, width="content", key="toolbar"):
        st.toggle("Presenter", key="presenter", help="Large type for a projector.")
st.markdown("**The field’s words in a sentence or two, and the page on which each can be seen.**")
show_glossary(st.query_params.get("term"))
close_lesson("pages/glossary.py")
