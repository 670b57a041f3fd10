"""What the first page is about, in a sentence that is there before any model."""

import streamlit as st

_LEAD = (
    '<p class="lead"><span class="lead-what">It gives every token, a word or a piece of one, a '
    "probability, and draws one. </span>"
    '<span class="lead-way">New here? '
    '<a href="./?lesson=how-a-model-writes">How a model writes</a>, a guided lesson.</span></p>'
)


def show_lead() -> None:
    """Says what a language model does, and where to begin; in a guided lesson its bar says it."""
    if "lesson" not in st.query_params:
        st.html(_LEAD)
