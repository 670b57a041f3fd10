"""The glossary: the field's standard words, each with the page that shows the thing itself."""

import streamlit as st

from pages.frame.layout import lesson_page
from pages.frame.words import _
from pages.lessons.glossary.index import show_glossary

with lesson_page("pages/glossary.py", "") as waiting:
    waiting.markdown(_("The field’s words in a sentence or two, and the page that shows each."))
    show_glossary(st.query_params.get("term"))
