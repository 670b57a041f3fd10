"""The page's first picture: the mask as a triangle of text, asked for and then drawn."""

import streamlit as st

from pages.frame.question import answered, opening
from pages.lessons.causal_mask.settings import SETTINGS
from pages.lessons.causal_mask.state import MaskLesson
from viz.causal_mask.triangle import STYLE, open_html, triangle_html

SAID = "mask_said"
QUESTION = "Each row has to predict the token at its arrow. Which tokens must be covered?"
ANSWERS = "before the frame", "after the frame", "none"


def show_triangle(lesson: MaskLesson) -> None:
    """Asks what must be hidden, covers that, and lets the reader take the cover off."""
    opening("So every answer lies open: each token that it is asked for stands in the text.")
    st.html(f"<style>{STYLE}</style>")
    st.fragment(_triangle)(lesson)


def _triangle(lesson: MaskLesson) -> None:
    is_said = answered(QUESTION, ANSWERS, ANSWERS[1], SAID)
    place = st.container(key="mask_picture")
    with st.container(horizontal=True, vertical_alignment="top", key="mask_cover"):
        is_covered = not SETTINGS.widget("uncovered", disabled=not is_said)
        if not is_said:
            words = "A row is one position, the one in the frame. The last token is only asked for."
        elif is_covered:
            words = (
                "Each position sees itself and what stands before it. The cover is the "
                "**causal mask**."
            )
        else:
            words = (
                "Each reads its answer off the text: a model that is trained like this [cannot "
                "write](#training-without-the-mask)."
            )
        st.markdown(words)
    with place:
        if is_said:
            st.html(triangle_html(lesson.opening, is_covered=is_covered))
        else:
            st.html(open_html(lesson.opening))
