"""What the first page is about, in a sentence that is there before any model."""

import streamlit as st
from markupsafe import Markup

from pages.frame.terms import explain
from pages.frame.words import N_, _

_LEAD = Markup(
    '<p class="lead"><span class="lead-what">{} </span><span class="lead-way">{}</span></p>'
)
_WHAT = N_("It gives every token, a word or a piece of one, a probability, and draws one.")
_WAY = N_(
    'New here? <a href="./?lesson=how-a-model-writes">How a model writes</a>, a guided lesson.'
)


def show_lead() -> None:
    """Says what a language model does, and where to begin; in a guided lesson its bar says it."""
    if "lesson" not in st.query_params:
        words, notes = explain(_(_WHAT), "lead")
        st.html(_LEAD.format(words, Markup(_(_WAY))) + notes)
