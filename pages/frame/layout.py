"""The frame of every lesson: its title, the look that the theme cannot give, and the way on."""

import re
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.runtime.pages_manager import PagesManager

from pages.frame import words
from pages.frame.assets import presenter_sheets, style_of
from pages.frame.component import component
from pages.frame.contents import lesson_at, neighbours
from pages.frame.course import show_claim
from pages.frame.first_paint import late_style
from pages.frame.gc_tuning import collector_paused
from pages.frame.terms import forget_shown
from pages.frame.words import N_, _
from viz.palette import Theme

_announcer = component("announcer", Path(__file__).with_name("announcer.js"))
_address = component("address", Path(__file__).with_name("address.js"))
_importing = threading.Lock()
# pages whose words are in the catalogues; of others it is the title and the sentences of the course
TRANSLATED = ("pages/glossary.py", "pages/tour.py", "pages/classroom.py")
LOADING = N_("Loading the model…")
_JOINER = "\N{WORD JOINER}"
PAINT_SECONDS = 0.05  # what the shell needs to leave before an import takes the interpreter


def open_page(title: str, *, is_english: bool = False) -> DeltaGenerator:
    """Gives the page its look and its title, and sees to it that it runs below `app.py`.

    Streamlit takes a folder `pages/` for an app of the old kind until `st.navigation` has run once.
    If the first thing that a fresh server is asked for is a lesson, it runs that file alone: then
    say that this app is none of those, and begin again.

    Args:
        title: In the reader's language.
        is_english: Whether what stands below it is in English for every reader.

    Returns:
        The place beside the title for what the page is set up with.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()
    _come_back()
    forget_shown()
    if said := words.chosen():
        say_in_address("address_language", [words.NAME], said)
    sheets = [*presenter_sheets()] if is_presenting() else []
    if is_english and words.language().direction == "rtl":
        sheets.append("frame/left_to_right.css")
    st.html(late_style() + style_of(*sheets))
    data = {"theme": theme_now(), "english": is_english, "large": is_presenting()}
    _announcer(key="announcer", data=data, height="content", on_theme_change=lambda: None)
    with st.container(horizontal=True, vertical_alignment="center", key="head"):
        st.title(title, anchor=False)
        if is_english and words.language() is not words.ENGLISH:
            st.caption(_("This page is in English."), width="content")
        return st.container(
            horizontal=True, width="content", vertical_alignment="center", key="toolbar"
        )


@st.fragment(run_every="1h")
def _come_back() -> None:
    """Draws nothing: a page that has a clock is run anew when its connection comes back.

    Streamlit leaves one without a clock as it was. To a server that has been started again, whose
    session knows none of its fragments, its presses would then be sent in vain.
    """


def presenter_toggle() -> None:
    """Lets the reader make the page fit for a projector."""
    switch(_("Large type"), "presenter", "present")


def switch(title: str, key: str, name: str) -> None:
    """Shows a switch that stays as it is on other pages, and that the address says by its name."""
    was = _is_on(key, name)
    is_on = st.toggle(title, was, key=key)
    st.session_state[f"{key}_kept"] = is_on  # Streamlit forgets a widget with its page
    if is_on != was:
        st.rerun()  # a server that was started again learns it from the browser's switch
    say_in_address(f"address_{name}", [name], f"?{name}=1" if is_on else "")


def _is_on(key: str, name: str) -> bool:
    before = st.session_state.get(f"{key}_kept", st.query_params.get(name) == "1")
    return bool(st.session_state.get(key, before))


def say_in_address(key: str, names: Sequence[str], query: str, *, in_scenes: bool = True) -> None:
    """Lets the address say some settings, for a reload and for a server that is started again.

    Args:
        key: Of the place, which shows nothing.
        names: Of the settings; what else the address says stays.
        query: What it says of them, without those at their defaults.
        in_scenes: Whether that of a scene of a guided lesson does: it says how the scene begins.
    """
    data = {"names": list(names), "query": query, "in_scenes": in_scenes}
    _address(key=key, data=data, height="content")


def as_written(text: str) -> str:
    """Escapes what Streamlit would take for Markdown, emoji or LaTeX, and makes one line of it.

    An address that stands in a text becomes a link though its signs are escaped; an invisible
    joiner in it keeps it words.
    """
    line = " ".join(text.split())
    inert = re.sub(r"(?<=www)(?=\.)|(?<=:)(?=//)|(?<=@)", _JOINER, line, flags=re.IGNORECASE)
    return re.sub(r"([\\`*_\[\]:$~<>#|&])", r"\\\1", inert)


def show_error(sentence: str | None, place: DeltaGenerator | None = None) -> None:
    """Says what went wrong, if anything; what it quotes of a person's input stands as typed."""
    if sentence:
        show = st.error if place is None else place.error
        show(as_written(sentence))


def is_presenting() -> bool:
    """Tells whether the page is on a projector."""
    return _is_on("presenter", "present")


def theme_now() -> Theme:
    """Returns the theme that the reader's browser shows."""
    return "dark" if st.context.theme.type == "dark" else "light"


@contextmanager
def stage(doing: str) -> Iterator[DeltaGenerator]:
    """Says what the page waits for, lets that be painted, then gives its place to the lesson.

    What is imported inside comes in behind the shell. torch and transformers come in here, for one
    reader at a time: two that import transformers at once may find half of it.

    Args:
        doing: What is being done meanwhile, such as "Loading the model…"; nothing where the page
            needs no model.
    """
    with st.container():
        waiting = st.empty()
        waiting.caption(doing)
        if doing and "torch" not in sys.modules:  # its first import takes the interpreter
            time.sleep(PAINT_SECONDS)
        if doing:
            with _importing, collector_paused("torch"):
                import model.loading  # noqa: F401  it is there from now on
        yield waiting


class CannotBeginError(ValueError):
    """Why a lesson cannot be begun, in one sentence."""


@contextmanager
def lesson_page(
    path: str, doing: str = LOADING, *, has_next: bool = True, has_previous: bool = True
) -> Iterator[DeltaGenerator]:
    """Draws the page of that file around what the lesson draws; yields as `stage` does.

    Args:
        path: Of the page's file.
        doing: What the page waits for.
        has_next: Whether the way to the next lesson stands at the page's foot too.
        has_previous: Whether the way to the one before does; a list is no part of a way.
    """
    lesson = lesson_at(path)
    with open_page(_(lesson.title), is_english=path not in TRANSLATED):
        presenter_toggle()
    show_claim(lesson)
    with stage(_(doing)) as waiting:
        try:
            yield waiting
        except CannotBeginError as error:
            show_error(words.told(error), waiting)
    close_lesson(path, has_next=has_next, has_previous=has_previous)


def close_lesson(path: str, *, has_next: bool = True, has_previous: bool = True) -> None:
    """Shows the way to the lessons before and after this one, where there are any."""
    before, after = neighbours(path)
    with st.container(horizontal=True, horizontal_alignment="distribute", key="neighbours"):
        if before is not None and has_previous:
            back = ":material/arrow_back:"
            st.page_link(
                before.path, label=_("Previous: {title}", title=_(before.title)), icon=back
            )
        if "pages/glossary.py" not in (path, after and after.path):
            st.page_link("pages/glossary.py", label=_("Glossary"))
        if after is not None and has_next:
            on, label = ":material/arrow_forward:", _("Next: {title}", title=_(after.title))
            st.page_link(after.path, label=label, icon=on, icon_position="right")
