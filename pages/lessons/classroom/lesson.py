"""The page of the class: open a room, ask, close, show, append, and go on."""

from __future__ import annotations

import io
import secrets
from functools import partial

import segno
import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from model.classroom.records import Question
from model.classroom.room import Room, RoomError
from model.classroom.rooms import find_room
from model.classroom.rounds import Votes, landing
from model.generation import Generation
from model.loading import LanguageModel
from model.tokenizing import label, text_of
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, show_metrics
from pages.frame.layout import as_written, is_presenting, show_error
from pages.frame.lesson_state import lesson_state
from pages.frame.models import DEFAULT_PROMPT
from pages.lessons.classroom.address import phone_address
from pages.lessons.classroom.keep import forget_key, keep_key, kept_key
from pages.lessons.classroom.settings import SETTINGS
from pages.lessons.classroom.state import Classroom
from viz.classroom.charts import class_figure, draws_figure, numbers_figure, votes_figure
from viz.format import plural
from viz.palette import code
from viz.strip import chip, element, paragraph

LESSON = "classroom_lesson"
GONE = "classroom_gone"  # code of the room that this browser had, and that is no more
TICK_SECONDS = 0.8  # after which the counts on the projector are drawn anew
CLAIM = (
    "You predict the next token as the model does: by a probability for each. Open a room; "
    "students join by phone and answer, and the class stands beside the model."
)


def show_classroom(waiting: DeltaGenerator) -> None:
    """Draw the page for this teacher."""
    lesson = _after_reload() or lesson_state(LESSON, waiting, _begin, over_server=True)
    waiting.empty()
    if not is_presenting():
        st.markdown(CLAIM)
    ticks = _counts(lesson)
    st.fragment(_page, run_every=TICK_SECONDS if ticks else None)(lesson, ticks)
    show_code(Votes.prob_of, Votes.beside, Votes.score, landing, key="classroom_code")


def _begin(lm: LanguageModel, old: Classroom | None) -> Classroom:
    """Begin with a text; a room that is open goes on with another model."""
    lesson = Classroom(lm, Generation(lm, DEFAULT_PROMPT), DEFAULT_PROMPT)
    if old is not None and old.room is not None:
        lesson.open(old.room)
    return lesson


def _after_reload() -> Classroom | None:
    """Return what the teacher had before a reload, by the key that the browser keeps."""
    kept = kept_key()
    if kept is None or LESSON in st.session_state:
        return None
    try:
        room = find_room(kept[0])
    except RoomError:
        st.session_state[GONE] = kept[0]
        return None
    lesson = room.teacher
    if not isinstance(lesson, Classroom) or not secrets.compare_digest(room.key, kept[1]):
        return None
    st.session_state[LESSON] = lesson
    return lesson


def _counts(lesson: Classroom) -> bool:
    """Tell whether the projector shows how many have joined or answered."""
    return lesson.room is not None and lesson.tally is None


def _page(lesson: Classroom, is_ticking: bool) -> None:
    if lesson.room is not None and lesson.room.has_ended:  # while this page was away
        st.session_state[GONE] = lesson.room.code
        lesson.end()
    room = lesson.room
    question = None if room is None or lesson.tally is not None else room.question
    if room is not None and question is not None and not room.is_open:
        lesson.close()  # its time may be over
    if _counts(lesson) != is_ticking:
        st.rerun()  # the whole page: it ticks while phones join or answer, not while all look
    show_error(lesson.problem)
    if room is None:
        _lobby(lesson)
        return
    room.note_page()
    keep_key(room)
    _join_form(lesson, room)
    _text(lesson)
    if question is not None and lesson.tally is None:
        _open_question(lesson, room, question)
    else:
        _ask(lesson)
        _outcome(lesson)


def _lobby(lesson: Classroom) -> None:
    """Offer to open a room, and say what its phones are asked."""
    forget_key()
    if code := st.session_state.get(GONE):
        st.warning(
            f"Room {as_written(code)} is no more: it was ended, or the server was started again, "
            "and answers are kept in its memory alone. Open a new room; phones join by its code."
        )
    st.button("Open a room", type="primary", key="classroom_open", on_click=_open, args=(lesson,))
    st.markdown(
        "- **What comes next?** Everyone gives a token and a confidence. The class’s distribution "
        "appears beside the model’s, both scored in bits. The token with the most votes can be "
        "forced.\n"
        "- **You are the sampler.** Each phone gets its own random number and finds the token on "
        "which it falls. The draws of the class fill a histogram beside the distribution.\n"
        "- **A question of your own**, with a second vote after the discussion: answers to choose "
        "from, or a number to predict.\n"
        "- **Follow.** Phones show the text as it grows, and *Take the text over* opens it on the "
        "student’s own page."
    )
    st.caption(
        "Nothing is stored on disk and nobody needs an account. Votes are counted by phone; a "
        "nickname is shown only for the best score. A room ends two hours after its last use."
    )


def _join_form(lesson: Classroom, room: Room) -> None:
    """Show how to join: the code, the address, a picture of it, and how many are here."""
    address, fault = phone_address(room.code)
    is_first = room.question is None and not room.tallies
    with st.container(horizontal=True, vertical_alignment="center", key="classroom_join"):
        if is_first:
            with st.container(width="content"):
                _qr(address)
        size = "3.4rem" if is_first else "1.6rem"
        code = element("b", room.code, style=f"font-size:{size};letter-spacing:.15em")
        here = f"{address} · {plural(room.n_people, 'phone')} here"
        st.html(code + paragraph(here, style="font-size:1.05rem"), width="content")
        with st.popover("Text and answers", icon=":material/tune:", key="classroom_setup"):
            _setup(lesson)
    if fault:
        st.warning(fault)


def _qr(address: str) -> None:
    """Show the address as a picture: dark on light in both themes, as cameras read it best."""
    drawn = io.BytesIO()
    tones = {"dark": code("ink", "light"), "light": code("paper", "light")}
    segno.make(address, micro=False).save(drawn, kind="png", scale=5, border=2, **tones)
    st.image(drawn.getvalue(), width=190 if is_presenting() else 130, alt=f"QR code of {address}")


def _setup(lesson: Classroom) -> None:
    SETTINGS.widget("prompt", height=80)
    SETTINGS.widget("script", height=80)
    st.button("Begin with this text", key="classroom_start", on_click=_start, args=(lesson,))
    SETTINGS.widget("may_write")
    SETTINGS.widget("seconds")
    st.download_button(
        "Answers as CSV",
        data=lambda: lesson.to_csv().encode("utf-8-sig"),
        file_name="room.csv",
        mime="text/csv",
        key="classroom_csv",
        on_click="ignore",
    )
    st.button("End the room", key="classroom_end", on_click=lesson.end)


def _text(lesson: Classroom) -> None:
    """Show the text, the token that was appended last as a token."""
    text, lm = lesson.generation, lesson.lm
    before = text_of(lm.tokenizer, text.ids[:-1]) if text.steps else text.text
    last = [label(lm.tokenizer, step.token_id) for step in text.steps[-1:]]
    chips = (chip(one, "generated", style="font-size:.9em;line-height:inherit;") for one in last)
    size = "2.3rem" if is_presenting() else "1.6rem"
    st.html(paragraph(before, *chips, style=f"font-size:{size};line-height:1.3"))


def _open_question(lesson: Classroom, room: Room, question: Question) -> None:
    """Show the question and how many have answered: no answer before it is closed."""
    left = room.seconds_left
    time = "" if left is None else f" · {left:.0f} s left"
    told = f"{len(room.answers())} of {room.n_people} have answered{time}"
    st.html(_words(question.words) + paragraph(told, style="font-size:2.2rem"))
    if question.kind == "choice":
        st.markdown("\n".join(f"- {as_written(option)}" for option in question.options))
    st.button("Close and show", type="primary", key="classroom_close", on_click=lesson.close)


def _words(question: str) -> Markup:
    return paragraph(question, style="font-size:1.5rem;font-weight:600")


def _outcome(lesson: Classroom) -> None:
    """Show what was answered to the question that was closed last."""
    tally = lesson.tally
    if tally is None:
        return
    question = tally.question
    if lesson.found is not None:
        true_id = lesson.score.token_id if lesson.score else None
        _score(lesson)
        show_chart(class_figure(lesson.found, true_id), "classroom_class")
    elif question.kind == "sampler":
        show_chart(
            draws_figure(question.options, question.shares, lesson.landed), "classroom_draws"
        )
        st.markdown(
            f"{lesson.n_right} of {sum(tally.counts)} who answered found the token on which their "
            "number fell."
        )
    else:
        st.html(_words(question.words))
        earlier = lesson.earlier
        if question.kind == "number":
            truth = lesson.truth if lesson.is_told else None
            figure = numbers_figure(tally.words, earlier.words if earlier else (), truth)
        else:
            figure = votes_figure(
                question.options, tally.counts, earlier.counts if earlier else None
            )
        show_chart(figure, "classroom_votes")
        with st.container(horizontal=True):
            st.button("Ask the same again", key="classroom_again", on_click=lesson.ask_again)
            if question.kind == "number" and lesson.truth is not None and not lesson.is_told:
                st.button("Show the true number", key="classroom_tell", on_click=lesson.tell)


def _score(lesson: Classroom) -> None:
    """Show what the token that came cost the class, the model and the best named phone."""
    score = lesson.score
    if score is None:
        return
    cells = [
        ("The class", f"{score.class_bits:.1f} bits", "the mean of all phones"),
        ("The model", f"{score.model_bits:.1f} bits", "its own distribution"),
        ("Uniform", f"{score.uniform_bits:.1f} bits", "every token alike"),
    ]
    if score.best_name is not None:
        cells.insert(
            1, (as_written(score.best_name), f"{score.best_bits:.1f} bits", "the best named phone")
        )
    show_metrics(cells, "classroom_score")


def _ask(lesson: Classroom) -> None:
    """Offer the way on: a token to append, and the next question."""
    seconds = float(SETTINGS["seconds"]) or None
    with st.container(horizontal=True, key="classroom_append"):
        if lesson.found is not None and not lesson.has_appended:
            true_id, favourite = lesson.true_id, lesson.favourite_id
            if true_id is not None:
                _append(lesson, "Append the true token", "true", true_id)
            _append(lesson, "Append the model’s draw", "draw", None)
            if favourite is not None:
                _append(lesson, "Append the class’s favourite", "favourite", favourite, False)
        else:
            _append(lesson, "Append a token", "draw", None)
        if lesson.generation.steps:
            st.button("Back", key="classroom_back", on_click=lesson.back)
    with st.container(horizontal=True, key="classroom_ask"):
        st.button(
            "Ask: what comes next?",
            type="primary",
            key="classroom_next",
            on_click=partial(lesson.ask_next, may_write=SETTINGS["may_write"], seconds=seconds),
        )
        draws = partial(lesson.ask_draws, seconds=seconds)
        st.button("Be the sampler", key="classroom_sampler", on_click=draws)
        with st.popover("A question of your own", key="classroom_own"):
            SETTINGS.widget("question")
            SETTINGS.widget("options", height=110)
            SETTINGS.widget("truth")
            st.button("Ask", key="classroom_choice", on_click=_ask_own, args=(lesson, seconds))


def _open(lesson: Classroom) -> None:
    st.session_state.pop(GONE, None)
    lesson.open(address=st.context.ip_address)


def _start(lesson: Classroom) -> None:
    lesson.start(SETTINGS["prompt"], SETTINGS["script"])


def _ask_own(lesson: Classroom, seconds: float | None) -> None:
    lesson.ask_own(SETTINGS["question"], SETTINGS["options"], SETTINGS["truth"], seconds=seconds)


def _append(
    lesson: Classroom, title: str, key: str, token_id: int | None, is_scored: bool = True
) -> None:
    st.button(
        title,
        key=f"classroom_append_{key}",
        on_click=partial(lesson.append, token_id, is_scored=is_scored),
    )
