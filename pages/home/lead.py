"""What the first page is about, in a sentence that is there before any model."""

import streamlit as st

from pages.frame.words import N_, _

_LEAD = '<p class="lead"><span class="lead-what">{} </span><span class="lead-way">{}</span></p>'
_WHAT = N_("It gives every token, a word or a piece of one, a probability, and draws one.")
_WAY = N_(
    'New here? <a href="./?lesson=how-a-model-writes">How a model writes</a>, a guided lesson.'
)


def show_lead() -> None:
    """Says what a language model does, and where to begin; in a guided lesson its bar says it."""
    if "lesson" not in st.query_params:
        st.html(_LEAD.format(_(_WHAT), _(_WAY)))
