"""A question that is asked before its answer shows: what was said stands beside what is so.

The reader's browser keeps it for the record at the end of the course.
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st
from markupsafe import Markup

from pages.frame.component import component
from pages.frame.terms import explain

_ASKED = Markup('<p class="asked">{}</p>')
_ROOM = Markup("<p>{} <b>{}</b>.</p>")
_WRONG = "Not quite:"
_HELD = "question_held"  # whether the scene that is followed waits for what its reader says
_OF_TOP = "question_of_top"  # whether that scene is about the page's first screen
_PAGE_WAITS = "question_page_waits"  # whether its page waits, too; None: that is covered instead
_DONE = "question_done"  # tells whether the task of that scene, if it has one, is done
keep = component("keep_answer", Path(__file__).with_name("keep_answer.js"))


def opening(words: str, question: str = "") -> None:
    """Says what a page, or a part of it, is about; in a guided lesson its scene says so.

    Args:
        words: As Markdown.
        question: That the picture below answers, as plain text.
    """
    if lesson_asks():
        return
    if words:
        st.markdown(words)
    if question:
        show_question(question)


def show_question(question: str) -> None:
    """Writes a question large."""
    st.html(_ASKED.format(question))


def answered(
    question: str,
    choices: Sequence[str],
    right: str,
    key: str,
    about: str = "",
    *,
    until: str = "",
    run: str = "",
) -> bool:
    """Asks; tells whether something was said, so that what shows the answer may be drawn.

    A guided lesson asks by itself: on its pages nothing is asked a second time, but a page may wait
    for what is said there. The verdict has its room beside or below the choices before it is there,
    so that what is below them stays. It comes with the answer; what to remember waits for the
    picture that shows why.

    Args:
        question: Shown large.
        choices: Of which the reader takes one.
        right: The right one.
        key: Of the choices.
        about: The question as it stands in the record, where the page says more beside it.
        until: What is to be pressed for the answer, while that was not: it stands for the verdict.
        run: Key of what the answer starts in the browser (a race, lanes that fill): what to
            remember and the places `{run}_at_end…` wait for its end.
    """
    if lesson_asks():
        waits = st.session_state.get(_PAGE_WAITS)
        with st.container():  # its place is there before it is: nothing below it is drawn anew
            if run and waits is False:
                _hide_until_seen(run)
        return not waits
    with st.container(gap="xsmall", key=f"{key}_asked"):
        _ask(question, key)
        with st.container(horizontal=True, vertical_alignment="center"):
            said = st.pills(
                question,
                choices,
                key=key,
                label_visibility="collapsed",
                persist_state="session",
                width="content",
            )
            with st.container(key=f"{key}_verdict", width="content"):
                st.html(_ROOM.format(_WRONG, max(choices, key=len)))  # the longest one
                if said is None:
                    return False
                # show_summary waits for what is told
                with st.container(key=f"{key}_until" if until else f"{key}_told"):
                    verdict = "That is right." if said == right else f"{_WRONG} **{right}**."
                    st.markdown(until or verdict)
                if run:
                    _hide_until_seen(run)
        kept = {
            "question": about or question,
            "said": said,
            "right": right,
            "isRight": said == right,
        }
        keep(key=f"{key}_asked_kept", data=kept, height="content")
    return True


def _hide_until_seen(run: str) -> None:
    """Hides what tells of a run until the page's root says that it was seen to its end."""
    told = f"[class*=st-key-{run}_at_end] *, .st-key-summary .remember"
    unseen = f":root:not([data-shown-{run}]) .stMain :is({told})"
    st.html(f"<style>{unseen} {{visibility: hidden;}}</style>")


def _ask(question: str, key: str) -> None:
    words, notes = explain(question, key) if "`" not in question else (question, "")
    if notes:
        st.html(_ASKED.format(words) + notes)
    else:
        st.markdown(f"**{question}**")


def was_answered(key: str) -> bool:
    """Tells whether something was said already, or a guided lesson asks instead."""
    if lesson_asks():
        return not st.session_state.get(_PAGE_WAITS)
    return st.session_state.get(key) is not None


def lesson_asks() -> bool:
    """Tells whether a guided lesson asks about this page: then the page does not."""
    return "lesson" in st.query_params


def hold_answer(
    waits: bool, *, is_of_top: bool, by_page: bool, is_done: Callable[[], bool] | None
) -> None:
    """Keeps what the scene of a guided lesson asks of its page.

    Args:
        waits: Whether it still waits for what its reader says.
        is_of_top: Whether it is about the page's first screen, and needs nothing below that.
        by_page: Whether the page shows meanwhile what it shows before its own question is answered.
        is_done: Tells whether its task is done; None if it has none.
    """
    st.session_state[_HELD], st.session_state[_OF_TOP] = waits, is_of_top
    st.session_state[_PAGE_WAITS] = waits if by_page else None
    st.session_state[_DONE] = is_done


def lesson_waits() -> bool:
    """Tells whether a guided lesson has asked about this page, and nothing was said yet."""
    return lesson_asks() and bool(st.session_state.get(_HELD))


def lesson_ends_at_top() -> bool:
    """Tells whether the scene of a guided lesson is about the page's first screen alone."""
    return lesson_asks() and bool(st.session_state.get(_OF_TOP))


def lesson_task_is_done() -> bool:
    """Tells whether the scene of a guided lesson has a task that was done."""
    is_done = st.session_state.get(_DONE)
    return lesson_asks() and is_done is not None and is_done()
