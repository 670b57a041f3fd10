"""The glossary: the field's standard words, each with the page that shows the thing itself."""

import streamlit as st

from pages.frame.layout import close_lesson, open_lesson
from pages.lessons.glossary.index import show_glossary

open_lesson("Glossary")
st.markdown("**The field’s words in a sentence or two, and the page on which each can be seen.**")
show_glossary(st.query_params.get("term"))
close_lesson("pages/glossary.py")
