"""The table of contents: pages by section, then run."""

import streamlit as st

from pages.frame.contents import sections

st.set_page_config(page_title="One token at a time", layout="wide")
st.navigation(
    {
        section: [
            st.Page(lesson.path, title=lesson.title, default=lesson.default) for lesson in lessons
        ]
        for section, lessons in sections().items()
    },
    position="top",
).run()
