"""A lesson's link: what a query asks for before the lesson begins, and the link to what it shows.

A lesson says once, in a `LessonLink`, which of its settings travel. What was stepped so far need
not: a lesson that begins with the same settings and coins steps the same way.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeVar
from urllib.parse import parse_qs

import streamlit as st

from model.loading import LanguageModel
from pages.frame.link_fields import Asked, Field, read_fields, write_fields
from pages.frame.models import DEFAULT_MODEL

HELP = (
    "The link opens this page with the text and the settings that it has now. What was stepped so "
    "far is not in it: from the same settings, the same steps follow."
)
MARKDOWN = r"\`*_{}[]()<>#+-.!|$~:&"

Kept = TypeVar("Kept")


@dataclass(frozen=True)
class LessonLink:
    """Which settings of a lesson travel in its link."""

    lesson: str  # what the keys of its widgets begin with
    fields: tuple[Field, ...]
    default_model: str = DEFAULT_MODEL  # that the lesson shows where nothing else is asked for

    def set_defaults(self) -> None:
        """Give each setting that has none its default, as its widget finds it."""
        for one in self.fields:
            if one.default is not None:
                st.session_state.setdefault(one.key, one.default)

    def now(self, name: str) -> object:
        """Return what a setting is now."""
        one = next(one for one in self.fields if one.name == name)
        return st.session_state.get(one.key, one.default)


@dataclass
class _Followed:
    """How far a link was followed in this session."""

    asked: Asked
    is_begun: bool = False
    first: dict[str, object] | None = None  # what the lesson began with, by the fields' names


# Before the lesson begins


def begin_by_link(link: LessonLink, begin: Callable[[], Kept], *, fixed: str | None = None) -> Kept:
    """Begin a lesson as the page's query asks; where that cannot be had, without it.

    Args:
        link: What may be asked for. It is put into the session's state first, the first time only.
        begin: Makes the lesson from the session's state, and from `asked_text` and `asked_model`.
        fixed: The model that is shown whatever a link asks; None where it may ask for one.
    """
    followed = _follow(link)
    asked = followed.asked
    if fixed is not None and asked.model not in (None, fixed):
        asked.faults.append(f"the page shows {fixed}, the model of the first page")
        asked.model = None
    model, has_values = asked.model, bool(asked.values)
    wishes = [(model, has_values), (None, has_values), (model, False), (None, False)]
    *attempts, last = dict.fromkeys(wishes)
    for wish in attempts:
        _keep(link, asked, *wish)
        try:
            return _begun(followed, begin)
        except ValueError as error:
            fault = str(error).rstrip(".")
            asked.faults += [] if fault in asked.faults else [fault]
    _keep(link, asked, *last)
    return _begun(followed, begin)


def asked_model(link: LessonLink) -> str | None:
    """Return the model that a link asks to begin with; None where it says nothing of one."""
    followed = _follow(link)
    return None if followed.is_begun else followed.asked.model


def asked_text(link: LessonLink, name: str = "prompt") -> str | None:
    """Return the text that a link asks to begin with; None where it says nothing of one."""
    followed = _follow(link)
    return None if followed.is_begun or name not in followed.asked.values else str(link.now(name))


def refuse(link: LessonLink, name: str, why: str) -> None:
    """Leave one setting of a link out, for a reason of a few words; the rest is followed."""
    asked = _follow(link).asked
    asked.faults.append(why)
    del asked.values[name]
    st.session_state.pop(next(one.key for one in link.fields if one.name == name))


def _follow(link: LessonLink) -> _Followed:
    """Read the page's query, once for each lesson of a session."""
    key = f"{link.lesson}_link_followed"
    followed: _Followed | None = st.session_state.get(key)
    if followed is None:
        params = {name: st.query_params.get_all(name) for name in st.query_params}
        followed = _Followed(read_fields(params, link.fields))
        st.session_state[key] = followed
        for one in link.fields:
            if one.name in followed.asked.values:
                st.session_state[one.key] = followed.asked.values[one.name]
    return followed


def _keep(link: LessonLink, asked: Asked, model: str | None, has_values: bool) -> None:
    """Keep of what is asked for the model, or the settings, or neither."""
    asked.model = model
    if not has_values:
        for one in link.fields:
            if one.name in asked.values:
                st.session_state.pop(one.key, None)
        asked.values.clear()
        link.set_defaults()


def _begun(followed: _Followed, begin: Callable[[], Kept]) -> Kept:
    begun = begin()
    followed.is_begun = True  # what begins later begins by what is on the page
    return begun


# On the page


def show_faults(link: LessonLink) -> None:
    """Say what of the link was not followed, until the reader goes on from there."""
    followed = _follow(link)
    if sentence := followed.asked.sentence():
        st.warning("".join(f"\\{one}" if one in MARKDOWN else one for one in sentence))


def offer_link(
    link: LessonLink,
    lm: LanguageModel,
    more: Callable[[], Mapping[str, object]] = dict,
    caption: str = "",
) -> None:
    """Offer the link to what the page shows, as it is when the reader asks for it.

    Args:
        link: Which settings travel.
        lm: The model on the page.
        more: Returns what stands on the page otherwise than in the session's state, by name.
        caption: What stands in the same row.
    """
    with st.container(
        horizontal=True,
        horizontal_alignment="right",
        vertical_alignment="center",
        key=f"{link.lesson}_link_row",
    ):
        if caption:
            st.caption(caption)
        with st.container(width="content"):
            st.fragment(_offer)(link, lm, more)


def _offer(link: LessonLink, lm: LanguageModel, more: Callable[[], Mapping[str, object]]) -> None:
    values = {one.name: link.now(one.name) for one in link.fields} | dict(more())
    _forget_faults(_follow(link), values)
    asked = f"{link.lesson}_link_asked"
    st.button(
        "Copy link",
        type="tertiary",
        icon=":material/link:",
        key=f"{link.lesson}_link",
        on_click=st.session_state.__setitem__,
        args=(asked, True),
    )
    if st.session_state.pop(asked, False):
        model = None if lm.name == link.default_model else lm.name
        _show_link(write_fields(values, link.fields, model), link.fields)


@st.dialog("Link to this page")
def _show_link(query: str, fields: tuple[Field, ...]) -> None:
    """Show the link of the moment of the press, above the page.

    A popover would do, but its being open travels to the server and back: one that is opened again
    before the server has heard of its closing is closed by the answer to that.
    """
    problem = read_fields(parse_qs(query[1:], keep_blank_values=True), fields).faults
    if problem:
        st.caption(f"This is no link: {problem[0]}. Shorten it.")
    else:
        st.code(f"{st.context.url or ''}{query}", language=None, wrap_lines=True)
        st.caption(HELP)


def _forget_faults(followed: _Followed, values: Mapping[str, object]) -> None:
    """Let go of what was not followed once a setting is another than at the beginning."""
    if followed.first is None:
        followed.first = {name: value for name, value in values.items() if value is not None}
    if any(values.get(name) != value for name, value in followed.first.items()):
        followed.asked.faults.clear()
