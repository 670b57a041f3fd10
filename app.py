"""The table of contents: pages by section, then run."""

import streamlit as st

from pages.frame.contents import APP, sections

page = st.navigation(
    {
        section: [
            st.Page(lesson.path, title=lesson.title, default=lesson.is_home) for lesson in lessons
        ]
        for section, lessons in sections().items()
    },
    position="top",
)
is_home = page.title.lower() == APP.lower()
st.set_page_config(page_title=APP if is_home else f"{page.title} · {APP}", layout="wide")
page.run()
