"""One token replaced: nothing before it moves, and everything after it may."""

import streamlit as st

from model.causal_mask.attention import edit_token, next_best, read_text, read_unmasked
from pages.frame.code_that_ran import show_code
from pages.frame.figures import draw_when_opened, show_chart, show_charts
from pages.frame.layout import as_written, show_error
from pages.frame.question import opening
from pages.lessons.causal_mask.settings import SETTINGS
from pages.lessons.causal_mask.state import MaskLesson, MeasuredText, Unmeasured
from viz.causal_mask.edit_charts import divergence_figure, edit_figure, shifts_figure


def show_edit(lesson: MaskLesson) -> None:
    """Lets the reader replace a token, and shows what moves."""
    st.header("The effect of an edit", anchor=False)
    opening(
        "An edit changes no logit before it; it may change every one after it. Drag along the text."
    )
    st.fragment(_edit)(lesson)
    show_code(edit_token, read_text, read_unmasked, next_best, key="mask_code_2")


def _edit(lesson: MaskLesson) -> None:
    problem = st.empty()
    position, typed = _controls(lesson.text)
    edit = lesson.text.edit(position, typed)
    if isinstance(edit, Unmeasured):
        show_error(f"{edit.words} Until then the model’s next best is used.", problem)
        edit = lesson.text.edit(position, "")
    if isinstance(edit, Unmeasured):
        show_error(edit.words, problem)
        return
    shifts = shifts_figure(edit.shifts)
    show_charts([(edit_figure(edit), "mask_edit"), (shifts, "mask_shifts")], widths=(7, 4))
    draw_when_opened(
        "How far each distribution moved",
        lambda: show_chart(divergence_figure(edit), "mask_kl"),
        key="mask_moved",
    )


def _controls(text: MeasuredText) -> tuple[int, str]:
    """Lets the reader choose a token and what stands there instead."""
    n_tokens = len(text.ids)
    late = _longest(text, n_tokens // 2, n_tokens)
    early = text.echo() or _longest(text, 1, n_tokens // 2)
    if not 1 < (SETTINGS["position"] or 0) <= n_tokens:
        SETTINGS.put(position=early + 1)
    with st.container(horizontal=True, vertical_alignment="bottom", key="mask_edit_controls"):
        position = st.select_slider(
            "Token to change",
            range(2, n_tokens + 1),
            format_func=lambda i: f"{i}: {as_written(text.labels[i - 1])}",
            key=SETTINGS.key("position"),
            width="stretch",
            persist_state="session",
        )
        typed = SETTINGS.widget("instead", width=210, placeholder="the model’s next best")
        for name, place in (("early", early), ("late", late)):
            st.button(
                f"{name.capitalize()} word",
                key=f"mask_{name}",
                on_click=SETTINGS.put,
                kwargs={"position": place + 1},
            )
    return position - 1, typed


def _longest(text: MeasuredText, start: int, end: int) -> int:
    """Finds a word worth changing: the longest token of a part of the text, the last of these."""
    return max(range(start, max(end, start + 1)), key=lambda i: (len(text.labels[i]), i))
