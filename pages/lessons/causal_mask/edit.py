"""One token replaced: nothing before it moves, and everything after it may."""

from __future__ import annotations

import streamlit as st

from model.causal_mask.attention import edit_token, next_best, read_text, read_unmasked
from model.causal_mask.records import Edit
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, show_metrics, theme_now
from pages.lessons.causal_mask.settings import SETTINGS
from pages.lessons.causal_mask.state import MaskLesson, Notice, Reading
from viz.causal_mask.edit_charts import divergence_figure, edit_figure, shifts_figure, small_nats
from viz.format import digits, plural


def show_edit(lesson: MaskLesson) -> None:
    """Let the reader replace a token, and show what moves."""
    st.header("Change one token", anchor=False)
    st.markdown(
        "**No logit before a changed token moves; every one after it may, to the very end.** Drag "
        "along the text."
    )
    st.fragment(_edit)(lesson)
    show_code(edit_token, read_text, read_unmasked, next_best, key="mask_code_2")


def position_key(reading: Reading) -> str:
    """Return the key of the place to change: each text has a slider of its own."""
    return f"mask_position_{reading.serial}"


def _edit(lesson: MaskLesson) -> None:
    reading = lesson.reading
    problem = st.empty()
    position, typed = _controls(reading)
    found = reading.edit(position, typed)
    if isinstance(found, Notice):
        problem.error(f"{found.words} Until then the model’s next best stands there.")
        found = reading.edit(position, "")
    if isinstance(found, Notice):
        problem.error(found.words)
        return
    theme = theme_now()
    show_chart(edit_figure(found, theme), "mask_edit")
    left, right = st.columns([7, 4], gap="medium")
    with left:
        show_chart(divergence_figure(found, theme), "mask_kl")
    with right:
        show_chart(shifts_figure(found.shifts, theme), "mask_shifts")
    show_metrics(_numbers(found), "mask_edit_numbers")


def _controls(reading: Reading) -> tuple[int, str]:
    """Let the reader choose a token and what stands there instead."""
    n_tokens = len(reading.ids)
    late = _longest(reading, n_tokens // 2, n_tokens)
    early = reading.echo() or _longest(reading, 1, n_tokens // 2)
    key = position_key(reading)
    st.session_state.setdefault(key, early)
    with st.container(horizontal=True, vertical_alignment="bottom", key="mask_edit_controls"):
        position = st.select_slider(
            "Token to change",
            range(1, n_tokens),
            format_func=lambda i: f"{i + 1}: {_plain(reading.labels[i])}",
            key=key,
            width="stretch",
        )
        typed = SETTINGS.widget("instead", width=210, placeholder="the model’s next best")
        st.button("Early word", key="mask_early", on_click=_move, args=(key, early))
        st.button("Late word", key="mask_late", on_click=_move, args=(key, late))
    return int(position), typed


def _move(key: str, position: int) -> None:
    st.session_state[key] = position


def _longest(reading: Reading, start: int, end: int) -> int:
    """Find a word worth changing: the longest token of a part of the text, the last of these."""
    return max(range(start, max(end, start + 1)), key=lambda i: (len(reading.labels[i]), i))


def _plain(label: str) -> str:
    """Keep a token's characters from being read as Markdown."""
    return "".join(f"\\{one}" if one in "\\`*_{}[]()<>#+-.!|$~:" else one for one in label)


def _numbers(edit: Edit) -> list[tuple[str, str, str]]:
    n_before, n_tokens = edit.position, len(edit.labels)
    largest = edit.largest_before
    cells = [
        (
            "Largest change before it",
            "0" if largest == 0 else f"{largest:.1e}",
            f"of any logit at {plural(n_before, 'earlier position')}, mask on: "
            + ("exactly 0" if largest == 0 else "rounding, as the edited text is of other length"),
        )
    ]
    unmasked = edit.largest_open_before
    if unmasked is not None:
        cells.append(
            ("Without the mask", digits(unmasked), "the same edit, the same earlier positions")
        )
    cells.append(
        (
            "KL at the end",
            small_nats(float(edit.kl[-1])),
            f"of the last distribution, {plural(n_tokens - 1 - edit.position, 'token')} after it",
        )
    )
    return cells
