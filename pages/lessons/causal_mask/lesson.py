"""The lesson on the causal mask below its title: the text, then what is measured on it."""

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from model.sentences import Sentence
from model.tokenizing import encode, encode_within, text_of
from pages.frame.course import show_summary
from pages.frame.layout import show_error
from pages.frame.lesson_state import home_session, lesson_state
from pages.frame.link import asked, offer_link, refuse
from pages.frame.second_run import draw_in_second_run
from pages.lessons.causal_mask.attention import show_attention
from pages.lessons.causal_mask.edit import show_edit
from pages.lessons.causal_mask.losses import show_losses
from pages.lessons.causal_mask.settings import MAX_CHARACTERS, SETTINGS, TEXT
from pages.lessons.causal_mask.state import MAX_TOKENS, STAYS, MaskLesson, MeasuredText
from pages.lessons.causal_mask.triangle import SAID, show_triangle
from pages.lessons.causal_mask.unmasked import TrainingUnmasked, show_leak
from viz.format import plural

LESSON = "mask_lesson"
EXAMPLES = {
    "A boy and a ball": TEXT,
    "A duck named Max": (
        "Once upon a time there was a little duck named Max. He loved his blue hat. One day the "
        "wind took the hat and Max could not find it. The little"
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


def show_mask_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    if reader := home_session(lesson.lm):
        lesson.home_ids = tuple(reader.generation.ids)
    show_triangle(lesson)
    show_summary(
        "pages/causal_mask.py",
        *("The effect of an edit", "Attention weights", "Attention without the mask"),
        *("Training without the mask", "The loss at every position"),
        asked=SAID,
    )
    with st.expander("Another text", key="mask_setup"):
        _choose_text(lesson)
    show_error(lesson.problem)
    draw_in_second_run(lambda: _show_laboratory(lesson))


def _show_laboratory(lesson: MaskLesson) -> None:
    show_edit(lesson)
    offer_link(SETTINGS, lesson.lm, lambda: _as_shown(lesson))
    show_attention(lesson)
    show_leak(lesson)
    TrainingUnmasked(lesson).show()
    show_losses(lesson)


def _begin(lm: LanguageModel, _old: MaskLesson | None) -> MaskLesson:
    """Begins with what a link asks for, or the text that the reader had here, if it fits."""
    lesson = MaskLesson(lm, MeasuredText(lm, encode(lm, TEXT)))
    text = asked(SETTINGS, "text")
    if text is not None:
        lesson.take(encode_within(lm, text, MAX_TOKENS))
    else:
        lesson.read(SETTINGS["text"])
    place, n_tokens = asked(SETTINGS, "position"), len(lesson.text.ids)
    if place is not None and place > n_tokens:
        raise ValueError(
            Sentence(
                "The text has {n_tokens} tokens, and no token {place}.",
                n_tokens=n_tokens,
                place=place,
            )
        )
    for name, last, says in (
        ("layer", lm.cache_shape.n_layers - 1, Sentence("{model} has no such layer")),
        ("head", lm.cache_shape.n_heads, Sentence("{model} has no such head")),
    ):
        if (asked(SETTINGS, name) or 0) > last:
            refuse(SETTINGS, name, says.filled(model=lm.shown))
    return lesson


def _as_shown(lesson: MaskLesson) -> dict[str, object]:
    """Returns the text on the page where that in the field was not read."""
    return {"text": text_of(lesson.lm.tokenizer, lesson.text.ids)} if lesson.problem else {}


# The text


def _choose_text(lesson: MaskLesson) -> None:
    """Lets the reader write a text or take an example; a bad one leaves the one in use."""
    SETTINGS.widget(
        "text",
        height=84,
        on_change=_read,
        args=(lesson,),
        label_visibility="collapsed",
        placeholder="Write a text of your own",
    )
    with st.container(horizontal=True, vertical_alignment="center", key="mask_examples"):
        st.button("Read", key="mask_read", type="primary", on_click=_read, args=(lesson,))
        for number, (name, text) in enumerate(EXAMPLES.items()):
            st.button(name, key=f"mask_example_{number}", on_click=_take, args=(lesson, text))
        if lesson.home_ids:
            st.button(HOME, key="mask_home", on_click=_take_home, args=(lesson,))
    lm, n_tokens = lesson.lm, len(lesson.text.ids)
    st.caption(f"{plural(n_tokens, 'token')} of the model {lm.shown}; up to {MAX_TOKENS}.")


def _read(lesson: MaskLesson) -> None:
    old = lesson.text
    lesson.read(SETTINGS["text"])
    if lesson.text is not old:
        SETTINGS.forget("position")


def _take(lesson: MaskLesson, text: str) -> None:
    SETTINGS.put(text=text)
    _read(lesson)


def _take_home(lesson: MaskLesson) -> None:
    """Takes the first page's ids as they are: text read again might become others."""
    ids = list(lesson.home_ids)
    SETTINGS.put(text=text_of(lesson.lm.tokenizer, ids)[:MAX_CHARACTERS])
    SETTINGS.forget("position")
    with lesson.attempt(STAYS):
        lesson.take(ids)
