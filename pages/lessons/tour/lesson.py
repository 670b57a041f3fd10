"""The list of the guided lessons, and how to write one."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from pages.frame.layout import as_written
from pages.lessons.tour.bar import LINK_STYLE
from pages.lessons.tour.conditions import JOBS, PHRASES
from pages.lessons.tour.scenes import (
    EXAMPLE,
    GuidedLesson,
    LessonError,
    lesson_names,
    read_lesson,
)


def show_lessons() -> None:
    """List the lessons of the folder; a faulty one says what is wrong with it."""
    st.markdown(
        "A lesson leads through the pages of this app, scene by scene. Each scene sets its "
        "page up, shows one thing there, and asks a question. Leave at any time; the page stays."
    )
    st.html(LINK_STYLE)
    for name in lesson_names():
        try:
            _show_lesson(read_lesson(name))
        except LessonError as error:
            st.warning(as_written(str(error)))
    _show_how_to()


def _show_lesson(lesson: GuidedLesson) -> None:
    st.header(as_written(lesson.title), anchor=False)
    st.markdown(lesson.about)
    items = Markup("").join(
        Markup('<li><a href="{}">{}</a></li>').format(lesson.address(number), scene.title)
        for number, scene in enumerate(lesson.scenes, start=1)
    )
    st.html(
        Markup(
            '<p class="tour-links"><a class="is-next" href="{}">Start</a></p>'
            '<details class="tour-scenes"><summary>{} scenes</summary><ol>{}</ol></details>'
        ).format(lesson.address(1), len(lesson.scenes), items)
    )


def _show_how_to() -> None:
    st.header("Write your own lesson", anchor=False)
    st.markdown(
        "A lesson is a Markdown file in the folder `lessons/`; it is listed here when this page is "
        "opened again. Set a page up as a scene needs it, press **Copy link** there, and write the "
        "link behind *Page*. For a part further down, add # and its heading, as in "
        "`/kv_cache#with-and-without-the-cache`. A task is optional; it ends with *until* and one "
        "of: " + ", ".join(f"*{phrase}*" for phrase in PHRASES) + "."
    )
    st.caption(f"What can be done, as *the race* is: {', '.join(JOBS)}.")
    st.code(EXAMPLE, language="markdown")
