"""The list of the guided lessons, and the end of one."""

from collections.abc import Callable
from functools import partial
from pathlib import Path

import streamlit as st
from markupsafe import Markup

from pages.frame.component import component
from pages.frame.contents import COURSE, LESSONS
from pages.frame.layout import as_written
from pages.frame.models import shared_model
from pages.frame.offers import DEFAULT_MODEL
from pages.frame.small_pictures import OF_PAGES, small_picture
from pages.lessons.tour.bar import LIST
from pages.lessons.tour.paper import FIRST, chapters, solutions, worksheet
from pages.lessons.tour.said import is_right, read_said, reply_of
from pages.lessons.tour.scenes import (
    GuidedLesson,
    LessonError,
    lesson_names,
    read_lesson,
)
from viz.strip import row

MAX_PICTURES = 5  # of a card
_progress = component("tour_progress", Path(__file__).with_name("progress.js"))
_story = component("tour_story", Path(__file__).with_name("story.js"))
_record = component("tour_record", Path(__file__).with_name("record.js"))
RECORD = "What I saw, with my own numbers"


def show_lessons() -> None:
    """Lists the lessons of the folder; a faulty one says what is wrong with it."""
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
    names = sorted(lesson_names(), key=lambda name: name != FIRST)
    # where to begin stands alone; a school's own lessons stand among the others
    places = [st.container(), *st.columns(2, gap="medium")]
    for number, name in enumerate(names):
        place, key = places[2 - number % 2 if number else 0], f"tour_card_{number}"
        with place, st.container(border=True, key=key):
            try:
                _show_lesson(read_lesson(name))
            except LessonError as error:
                st.warning(as_written(str(error)))
    words = {"onwards": "Go on", "again": "Done. Once more"}
    _progress(key="tour_progress", data=words, height="content")
    _show_paper()
    _show_record()


def _show_paper() -> None:
    """Offers each part of the course as a worksheet, and as its solutions."""
    parts = chapters()
    if not parts:  # a school's own lessons are all about other pages, or faulty
        return
    with st.expander("For teachers: worksheets and solutions to print"):
        part = st.selectbox("Part of the course", parts, key="paper_part")
        with st.container(horizontal=True):
            name = part.lower().replace(" ", "-")
            _offer("Worksheet", f"{name}-worksheet.html", partial(worksheet, part))
            _offer("Solutions", f"{name}-solutions.html", partial(_solutions, part))


def _offer(label: str, file: str, make: Callable[[], str]) -> None:
    key = f"paper_{label.lower()}"
    st.download_button(label, make, file_name=file, mime="text/html", key=key, on_click="ignore")


def _solutions(part: str) -> str:
    return solutions(part, shared_model(DEFAULT_MODEL))


def _show_lesson(lesson: GuidedLesson) -> None:
    stems = dict.fromkeys(scene.page for scene in lesson.scenes)
    pictures = [small_picture(OF_PAGES[stem]) for stem in stems if stem in OF_PAGES][:MAX_PICTURES]
    st.html(row(*pictures, gap="1.2rem"))
    st.header(as_written(lesson.title), anchor=False)
    st.markdown(lesson.about)
    items = Markup("").join(
        Markup('<li><a href="{}">{}</a></li>').format(lesson.address(number), scene.title)
        for number, scene in enumerate(lesson.scenes, start=1)
    )
    st.html(
        Markup(
            '<div class="tour-card" id="tour-{}"><p class="tour-links">'
            '<a class="is-next" href="{}">Start</a></p>'
            '<div class="tour-way" hidden><i></i></div>'
            '<details class="tour-scenes"><summary>{} scenes</summary><ol>{}</ol></details></div>'
        ).format(lesson.name, lesson.address(1), len(lesson.scenes), items)
    )


def _show_end(lesson: GuidedLesson) -> None:
    """Says what to remember, beside what the reader said; gives back the story that was written."""
    st.header(f"Done: {as_written(lesson.title)}", anchor=False)
    said = read_said(st.query_params.get("said", ""))
    for number, scene in enumerate(lesson.scenes, start=1):
        reply = reply_of(scene, said.get(number, ""))
        verdict = {None: "", True: ", and that is right", False: f". Right is “{scene.right}”"}
        told = f"You said “{reply}”{verdict[is_right(scene, reply)]}." if reply else ""
        if scene.remember:
            st.markdown(f"{number}. **{scene.remember}** {as_written(told)}")
    _progress(key="tour_progress", data={"ended": lesson.name}, height="content")
    _story(key="tour_story", data={"title": "Your story", "open": "Open it, and go on"})
    links = Markup(
        '<p class="tour-links"><a href="{}">All lessons</a><a href="./">Write your own text</a></p>'
    )
    st.html(links.format(LIST))
    _show_record()


def _show_record() -> None:
    """Shows what this browser has kept of the reader's way: the server is told nothing of it."""
    pages = [
        (Path(page.path).stem, page.title)
        for page in LESSONS
        if page.part in COURSE and not page.is_home
    ]
    _record(key="tour_record", data={"title": RECORD, "pages": pages}, height="content")
