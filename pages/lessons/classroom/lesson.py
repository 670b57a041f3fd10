"""The page from which a room is opened: its desk and its projector are pages of their own."""

import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from model.classroom.limits import IDLE_SECONDS, MAX_CODE
from model.classroom.members import RoomError
from model.classroom.records import DrawBar
from model.classroom.room import Room
from model.classroom.rooms import find_room
from model.draw import count_draws, rank_order, uniform_at
from model.generation import Generation
from model.language_model import LanguageModel
from model.sampling import Settings
from model.tokenizing import labels_of
from pages.frame.figures import show_chart
from pages.frame.layout import as_written, show_error
from pages.frame.lesson_state import LessonState, lesson_state
from pages.frame.offers import DEFAULT_PROMPT
from pages.frame.readers import network_of
from pages.frame.words import N_, _, chosen, in_language, told
from pages.lessons.classroom.address import phone_address
from pages.lessons.classroom.advice import ALL
from pages.lessons.classroom.copies import copy_letters
from pages.lessons.classroom.script import WORDS, Script, plan
from pages.lessons.classroom.state import open_class
from pages.lessons.classroom.text import ClassText
from pages.lessons.tour.said import plain
from viz.bars import draws_figure
from viz.chart import Chart

MODEL, ROOM = "classroom_model", "classroom_room"  # the room: its code and key
PROBLEM, READER = "classroom_problem", "classroom_reader"  # the latter counts a tab's rooms
COOKIE = "one_token_room"  # set by the desk: a browser that has one finds its room here
CLAIM = N_("Pupils vote by phone. The projector shows their votes, and then what the model gave.")
SCREENS = (
    (
        N_("The desk"),
        N_("For you, in a window of its own or on your phone: what to say, and the next question."),
    ),
    (N_("The projector"), N_("For the class: the question, the votes, and what the model gave.")),
    (N_("The phones"), N_("For each pupil: one press is one vote. No app and no account.")),
)
N_PUPILS = 25
# the shares from which on a segment of a small bar has room for its word
NAMED_FROM, NAMED_ON_A_PHONE = 0.13, 0.3
USUAL = Settings(temperature=0.8, top_p=0.9)
_SCREEN = Markup(
    '<figure><div class="class-screen is-{0}" aria-hidden="true" dir="auto">{1}</div>'
    "<figcaption><b>{2}</b> {3}</figcaption></figure>"
)
_LINKS = Markup(
    '<p class="tour-links"><a class="is-next" href="./room/{0}/desk{2}#{1}" target="_blank">{3}</a>'
    '<a href="./room/{0}/projector{2}" target="_blank">{4}</a></p>'
)


@dataclass
class ClassPage(LessonState):
    """What one teacher has on the page before a room is open."""

    text: ClassText  # a room's first one
    picture: Chart | None = None  # once it was asked for


def show_classroom(waiting: DeltaGenerator) -> None:
    """Draws the page for this teacher."""
    page = lesson_state(
        MODEL,
        waiting,
        lambda lm, _before: ClassPage(lm, ClassText(lm, DEFAULT_PROMPT)),
        over_server=True,
    )
    _show_room(page.lm)
    st.html(screens_of(page.text))
    st.caption(
        _(
            "Nothing is stored on disk. Votes are counted by phone; a nickname is shown only for "
            "the best guess. A room ends {n_hours} hours after its last use.",
            n_hours=f"{IDLE_SECONDS / 3600:g}",
        )
    )
    _address, fault = phone_address("")
    words = _("Phones cannot get in yet: what to do") if fault else _("Do the phones get in?")
    with st.expander(words, key="classroom_reach"):
        if fault:  # before a room is opened: another address takes another room
            st.markdown(_(fault))
        st.markdown(
            _(
                "Before the lesson open [the check](./check) here and on a phone: whether the "
                "network and the devices will do."
            )
        )
    with st.expander(
        _("How near do {n} phones come to the model?", n=N_PUPILS), key="classroom_25"
    ):
        _show_draws(page)


def screens_of(text: ClassText) -> str:
    """Draws the three screens of a room small, while the pointers of a class fall on the bar."""
    bar, pointers = text.segments(), [uniform_at(0, i) for i in range(N_PUPILS)]
    question = Markup("<b>{0}</b>").format(_(WORDS["sampler"]))
    read = Markup('<q translate="no">{0} …</q>').format(text.prompt)
    circles = Markup("<p>{0}</p>").format(Markup("<u></u>") * N_PUPILS)
    drawn = {
        "desk": Markup('{0}<em>{1}</em><span class="is-next">{2}</span>{3}').format(
            question, _(ALL), _("Close"), circles
        ),
        "projector": read + question + _bar_of(bar, pointers, NAMED_FROM),
        "phones": question + _bar_of(bar, pointers[:1], NAMED_ON_A_PHONE),
    }
    figures = (
        _SCREEN.format(name, inside, _(title), _(said))
        for (name, inside), (title, said) in zip(drawn.items(), SCREENS, strict=True)
    )
    return Markup('<div class="class-screens">{0}</div>').format(Markup().join(figures))


def _bar_of(bar: DrawBar, pointers: Sequence[float], named_from: float) -> Markup:
    segments = (
        Markup('<i style="flex:{0:.4f}"><s>{1}</s></i>').format(
            share, in_language(name) if share > named_from else ""
        )
        for name, share in zip(bar.options, bar.shares, strict=True)
    )
    marks = (Markup('<u style="left:{0:.2%}"></u>').format(pointer) for pointer in pointers)
    inside = Markup().join((*segments, *marks))
    return Markup('<span class="is-bar" translate="no">{0}</span>').format(inside)


def _show_draws(page: ClassPage) -> None:
    st.markdown(
        _(
            "*{prompt} …* Each of {n} phones gets a pointer of its own.",
            prompt=as_written(DEFAULT_PROMPT),
            n=N_PUPILS,
        )
    )
    st.button(_("Draw"), key="classroom_draw", on_click=_draw, args=(page,))
    if page.picture is not None:
        with st.container(key="classroom_in_english"):  # a figure of the laboratory
            show_chart(page.picture, "classroom_draws")


def _draw(page: ClassPage) -> None:
    page.picture = draws_of_a_class(page.lm)


def draws_of_a_class(lm: LanguageModel) -> Chart:
    """Draws what a class's pointers fall on, as the projector would show it."""
    stage = Generation(lm, DEFAULT_PROMPT).stages_for(USUAL)[-1]
    order, drawn = rank_order(stage.scores), count_draws(stage, N_PUPILS)
    return draws_figure(labels_of(lm, order[:24].tolist()), drawn[order], stage.probs[order])


def _show_room(lm: LanguageModel) -> None:
    st.markdown(_(CLAIM))
    with st.container():  # what comes and goes in it moves nothing below
        room = _room_here()
        show_error(st.session_state.pop(PROBLEM, None))
    # the button stays where it is in the page: whoever pressed it by keyboard goes on from there
    words = _("Open a room") if room is None else _("Open another room")
    kind: Literal["primary", "secondary"] = "primary" if room is None else "secondary"
    with st.container(key="classroom_room_row", horizontal=True, vertical_alignment="center"):
        st.button(words, key="classroom_open", on_click=_open, args=(lm,), type=kind)
        if room is not None:
            opens = _("Open the desk"), _("Open the projector")
            st.html(_LINKS.format(room.code, room.key, chosen(), *opens))
    st.markdown(_ready() if room is None else _joining(room))


def _ready() -> str:
    """Says what a room begins with."""
    script = Script(plan())
    if script.lesson is None:
        return ""
    return _(
        "A lesson is ready in it: “{lesson}”, {n} questions in {minutes} minutes.",
        lesson=plain(script.lesson.title),
        n=len(script.items),
        minutes=f"{script.minutes(len(script.items)):g}",
    )


def _open(lm: LanguageModel) -> None:
    try:
        reader = st.session_state.setdefault(READER, secrets.token_urlsafe(8))
        room = open_class(lm, network_of(st.context.ip_address), reader).room
    except ValueError as error:
        st.session_state[PROBLEM] = told(error)
        return
    st.session_state[ROOM] = room.code, room.key


def _room_here() -> Room | None:
    """Returns the room that this browser opened, as long as it is open."""
    code, _dot, key = str(st.context.cookies.get(COOKIE, "")).partition(".")
    code, key = st.session_state.get(ROOM, (code, key))
    try:
        room = find_room(code) if code else None
    except RoomError:
        room = None
    if room is not None and room.closing is not None:
        return None
    if room is not None and secrets.compare_digest(room.key.encode(), key.encode()):
        return room
    if room is None and code and code.startswith(copy_letters()):  # else it is another copy’s
        known = as_written(code[:MAX_CODE])
        st.info(
            _(
                "Room {code} is no more: it was ended, or the server was started again.",
                code=known,
            )
        )
    return None


def _joining(room: Room) -> str:
    address, _fault = phone_address(room.code)
    return _(
        "Room **{code}** is open. Phones join at {address}",
        code=room.code,
        address=as_written(address),
    )
