"""The page's first picture: the mask as a triangle of text, asked for and then drawn."""

import streamlit as st

from pages.frame.question import answered, opening
from pages.frame.stepper import show_stepper
from pages.lessons.causal_mask.settings import SETTINGS
from pages.lessons.causal_mask.state import MaskLesson
from viz.causal_mask.triangle import STYLE, open_html, triangle_html
from viz.format import plural

SAID = "mask_said"
QUESTION = "What must be hidden from a position, so that it has to predict?"
ANSWERS = "the tokens before it", "the tokens after it", "nothing"
PLAY_SECONDS = 0.8  # between two rows: paced for the eye


def show_triangle(lesson: MaskLesson) -> None:
    """Asks what must be hidden, and lets the reader cover and uncover it."""
    opening(
        "At every position of a text, a model is asked for the next token. It reads the whole text "
        "in one pass, so every answer stands in front of it."
    )
    show_stepper(lambda: lesson.rows, lambda: _triangle(lesson), PLAY_SECONDS)


def _triangle(lesson: MaskLesson) -> None:
    is_said = answered(QUESTION, ANSWERS, ANSWERS[1], SAID)
    with lesson.rows.show(waits=not is_said):
        is_covered = not SETTINGS.widget("uncovered", disabled=not is_said)
    n_rows = lesson.rows.steps.n_shown
    st.html(f"<style>{STYLE}</style>")
    if not is_said:
        st.html(open_html(lesson.opening, n_rows))
        return
    st.html(triangle_html(lesson.opening, n_rows, is_covered=is_covered))
    if is_covered:
        st.markdown(
            f"{plural(n_rows, 'position')}, as many questions, one pass. Each sees itself and what "
            "stands before it, as it will when it writes. The cover is the **causal mask**; each "
            "Step goes on by one position."
        )
    else:
        st.markdown(
            "Now each position can read its answer off the text. A model that is trained like this "
            "learns to copy, and [cannot write](#training-without-the-mask)."
        )
