"""The lesson on the causal mask below its title: the text, then four things measured on it."""

from __future__ import annotations

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from model.tokenizing import encode, text_of
from pages.frame.lesson_link import LessonLink, asked_text, offer_link, refuse
from pages.frame.lesson_state import home_session, kept_lesson
from pages.frame.link_fields import OneOf, Whole, Words
from pages.lessons.causal_mask.attention import show_attention
from pages.lessons.causal_mask.edit import LONGEST_WORD, position_key, show_edit
from pages.lessons.causal_mask.leak import show_leak
from pages.lessons.causal_mask.losses import show_losses
from pages.lessons.causal_mask.state import MOST_TOKENS, MaskLesson, Reading
from pages.lessons.causal_mask.training import show_training
from viz.format import plural

LESSON = "mask_lesson"
LONGEST = 4_000  # characters
TEXT = (
    "Once upon a time there was a little girl who had a red ball. One day the ball rolled into the "
    "garden and she could not find it. The little"
)
EXAMPLES = {
    "A girl and a ball": TEXT,
    "A dog named Tom": (
        "Once upon a time there was a little dog named Tom. He loved his blue hat. One day the "
        "wind took the hat and Tom could not find it. The little"
    ),
    "The same twice": (
        "The old fox hid a silver spoon under the bridge. The old fox hid a silver spoon under the "
        "bridge."
    ),
    "An old book": (
        "It was the best of times, it was the worst of times, it was the age of wisdom, it was the "
        "age of foolishness, it was the epoch of belief, it was the epoch of incredulity."
    ),
}
HOME = "The first page’s text"
MOST_MAPS = 200  # layers, or heads: what the model lacks is taken back to its own
LINK = LessonLink(
    "mask",
    (
        Words("text", "mask_text", "the text", TEXT, longest=LONGEST),
        OneOf("mask", "mask_on", "the mask", "on", names=("on", "off")),
        Whole("layer", "mask_layer", "the layer", high=MOST_MAPS),
        Whole("head", "mask_head", "the head", high=MOST_MAPS),
        Whole("position", "mask_position", "the token to change", low=2, high=MOST_TOKENS),
        Words("instead", "mask_typed", "what is written instead", longest=LONGEST_WORD),
    ),
)


def show_mask_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    lesson = kept_lesson(LESSON, waiting, _begin, link=LINK)
    waiting.empty()
    if reader := home_session():
        lesson.home_ids = tuple(reader.generation.ids)
    _choose_text(lesson)
    show_attention(lesson)
    show_edit(lesson)
    offer_link(LINK, lesson.lm, lambda: _as_shown(lesson))
    show_leak(lesson)
    show_training(lesson)
    show_losses(lesson)


def _begin(lm: LanguageModel, _old: MaskLesson | None) -> MaskLesson:
    """Begin with what a link asks for, or the text that the reader had here, if it fits."""
    lesson = MaskLesson(lm, Reading(lm, encode(lm, TEXT)))
    asked = asked_text(LINK, "text")
    if asked is not None:
        lesson.take(encode(lm, asked))
    elif typed := st.session_state.get("mask_text"):
        lesson.read(typed)
    place, reading = asked_text(LINK, "position"), lesson.reading
    if place is not None:
        if int(place) > len(reading.ids):
            raise ValueError(f"The text has {len(reading.ids)} tokens, and no token {place}.")
        st.session_state[position_key(reading)] = int(place) - 1
    for name, most in (("layer", lm.cache_shape.n_layers - 1), ("head", lm.cache_shape.n_heads)):
        wanted = asked_text(LINK, name)
        if wanted is not None and int(wanted) > most:
            refuse(LINK, name, f"{lm.name} has no such {name}")
    return lesson


def _as_shown(lesson: MaskLesson) -> dict[str, object]:
    """Return what stands on the page otherwise than in the session's state."""
    reading = lesson.reading
    place = st.session_state.get(position_key(reading))
    shown: dict[str, object] = {"position": None if place is None else int(place) + 1}
    if lesson.notice:  # what is in the field was not read
        shown["text"] = text_of(lesson.lm.tokenizer, reading.ids)
    return shown


# The text


def _choose_text(lesson: MaskLesson) -> None:
    """Let the reader write a text or take an example; a bad one leaves the one in use."""
    st.markdown(
        "**Every position reads itself and what stands before it, never what comes after.** So one "
        "pass can train on all positions of a text at once, and no token can be changed by its "
        "future."
    )
    st.session_state.setdefault("mask_text", TEXT)
    st.text_area(
        "Text",
        key="mask_text",
        height=84,
        max_chars=LONGEST,
        on_change=_read,
        args=(lesson,),
        persist_state="session",
        label_visibility="collapsed",
        placeholder="Write a text of your own",
    )
    with st.container(horizontal=True, vertical_alignment="center", key="mask_examples"):
        st.button("Read", key="mask_read", type="primary", on_click=_read, args=(lesson,))
        for number, (name, text) in enumerate(EXAMPLES.items()):
            st.button(name, key=f"mask_example_{number}", on_click=_take, args=(lesson, text))
        if lesson.home_ids:
            st.button(HOME, key="mask_home", on_click=_take_home, args=(lesson,))
    if lesson.notice:
        st.error(f"{lesson.notice} The text before it stays below.")
    lm, n_tokens = lesson.lm, len(lesson.reading.ids)
    st.caption(f"{plural(n_tokens, 'token')} on {lm.name}, {lm.where}; up to {MOST_TOKENS}.")


def _read(lesson: MaskLesson) -> None:
    lesson.read(st.session_state["mask_text"])


def _take(lesson: MaskLesson, text: str) -> None:
    st.session_state["mask_text"] = text
    lesson.read(text)


def _take_home(lesson: MaskLesson) -> None:
    """Take the first page's ids as they are: text read again might become others."""
    ids = list(lesson.home_ids)
    st.session_state["mask_text"] = text_of(lesson.lm.tokenizer, ids)[:LONGEST]
    try:
        lesson.take(ids)
    except ValueError as error:
        lesson.notice = str(error)
