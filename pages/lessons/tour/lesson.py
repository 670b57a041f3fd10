"""The list of the guided lessons, and the end of one."""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from markupsafe import Markup

from pages.frame.component import component
from pages.frame.layout import as_written
from pages.lessons.tour.bar import LINK_STYLE, LIST
from pages.lessons.tour.said import is_right, read_said, reply_of
from pages.lessons.tour.scenes import (
    GuidedLesson,
    LessonError,
    lesson_names,
    read_lesson,
)

FIRST = "how-a-model-writes"  # of the list, for newcomers
_story = component("tour_story", Path(__file__).with_name("story.js"))


def show_lessons() -> None:
    """List the lessons of the folder; a faulty one says what is wrong with it."""
    if name := st.query_params.get("done"):
        try:
            _show_end(read_lesson(name))
        except LessonError as error:
            st.warning(as_written(str(error)))
        return
    st.markdown(
        "A lesson leads through the pages of this app, scene by scene. Each scene asks a question, "
        "and shows the answer once you have said yours. Leave at any time; the page stays."
    )
    st.html(LINK_STYLE)
    columns = st.columns(2, gap="medium")
    for place, name in enumerate(sorted(lesson_names(), key=lambda name: name != FIRST)):
        with columns[place % 2], st.container(border=True):
            try:
                _show_lesson(read_lesson(name))
            except LessonError as error:
                st.warning(as_written(str(error)))


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


def _show_end(lesson: GuidedLesson) -> None:
    """Say what to remember, beside what the reader said; give back the story that was written."""
    st.header(f"Done: {as_written(lesson.title)}", anchor=False)
    said = read_said(st.query_params.get("said", ""))
    for number, scene in enumerate(lesson.scenes, start=1):
        reply = reply_of(scene, said.get(number, ""))
        verdict = {None: "", True: ", and that is right", False: f"; right is {scene.right}"}
        told = f"You said {reply}{verdict[is_right(scene, reply)]}." if reply else ""
        if scene.remember:
            st.markdown(f"{number}. **{scene.remember}** {as_written(told)}")
    _story(key="tour_story", data={"title": "Your story", "open": "Open it, and go on"})
    st.html(LINK_STYLE)
    links = Markup('<p class="tour-links"><a href="{}">All lessons</a><a href="./">Write</a></p>')
    st.html(links.format(LIST))
