"""The constraint lesson below its title: the wish, the text that grows, the mask, the ways out."""

from __future__ import annotations

from typing import Any

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from model.constraints.writing import ConstrainedBeams, ConstrainedWriting, Constraint
from model.loading import LanguageModel
from model.sampling import Settings
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.layout import is_presenting
from pages.frame.lesson_state import lesson_state
from pages.frame.link import offer_link
from pages.frame.stepping import at_a_pace, step_buttons
from pages.lessons.constraints.settings import SETTINGS
from pages.lessons.constraints.state import (
    EXAMPLES,
    FIRST,
    HINTS,
    ConstraintLesson,
    Wish,
    Writing,
    begin,
)
from pages.lessons.constraints.ways import show_ways
from viz.constraints.mask_chart import CORNER, mask_figure, mass_figure
from viz.format import nats, plural
from viz.strip import chip, row

LESSON = "constraint_lesson"
PROBLEM = "constraint_problem"
PLAY_SECONDS = 0.8


def show_constraint_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    try:
        lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    except ValueError as error:  # the first page's model has no room even for the example
        waiting.error(str(error))
        return
    waiting.empty()
    st.markdown(
        "**A constraint is a mask that a grammar draws anew at every token. It sees one token "
        "ahead, so argmax can walk into a corner where all that is still allowed has almost no "
        "probability.**"
    )
    _controls(lesson)
    at_a_pace(
        lambda: lesson.now.is_playing,
        lambda: lesson.now.step(SETTINGS["temperature"]),
        lambda: _writing(lesson),
        PLAY_SECONDS,
    )
    offer_link(SETTINGS, lesson.lm, caption=f"On {lesson.lm.name}, {lesson.lm.where}.")
    show_ways(lesson)
    show_code(
        ConstrainedWriting.step,
        Constraint.allowed,
        Constraint.after,
        ConstrainedBeams.allowed,
        ConstrainedBeams.is_end,
        key="constraint_code",
    )


def _begin(lm: LanguageModel, old: ConstraintLesson | None) -> ConstraintLesson:
    """Begin with what was asked for with the model before, or with what a link asks for."""
    state = st.session_state
    state[PROBLEM] = None
    if old is not None:
        try:
            return ConstraintLesson(lm, begin(lm, old.now.wish))
        except ValueError as error:
            state[PROBLEM] = f"{error} The first example stands here instead."
            SETTINGS.put(example=FIRST)
            _put_in(EXAMPLES[FIRST])
    lesson = ConstraintLesson(lm, begin(lm, _wish_now()))
    _match_example(lesson.now.wish)
    return lesson


# What is asked for


def _controls(lesson: ConstraintLesson) -> None:
    anew: dict[str, Any] = {"on_change": _begin_again, "args": (lesson,)}
    left, right = st.columns(2, gap="medium")
    with left:
        SETTINGS.widget("example", on_change=_take_example, args=(lesson,))
        SETTINGS.widget("prompt", **anew)
    with right:
        hint = HINTS[lesson.now.wish.kind]
        SETTINGS.widget("kind", help=hint, on_change=_take_kind, args=(lesson,))
        SETTINGS.widget("constraint", height=76, label_visibility="collapsed", **anew)
    if problem := st.session_state.get(PROBLEM):
        st.error(problem)


def _take_example(lesson: ConstraintLesson) -> None:
    _fill(lesson, EXAMPLES[SETTINGS["example"]])


def _take_kind(lesson: ConstraintLesson) -> None:
    """Put an example of another kind in, since what is there is of the old one."""
    kind = SETTINGS["kind"]
    if kind != lesson.now.wish.kind:
        name = next(name for name, wish in EXAMPLES.items() if wish.kind == kind)
        SETTINGS.put(example=name)
        _fill(lesson, EXAMPLES[name])


def _fill(lesson: ConstraintLesson, wish: Wish) -> None:
    _put_in(wish)
    _begin_again(lesson)


def _put_in(wish: Wish) -> None:
    """Let the controls say what an example asks for."""
    SETTINGS.put(kind=wish.kind, prompt=wish.prompt, constraint=wish.constraint)


def _wish_now() -> Wish:
    """Return what the controls ask for."""
    return Wish(SETTINGS["kind"], SETTINGS["prompt"], SETTINGS["constraint"])


def _match_example(wish: Wish) -> None:
    """Let the choice of an example say which one this is, where it is one of them."""
    for name, known in EXAMPLES.items():
        if wish == known:
            SETTINGS.put(example=name)


def _begin_again(lesson: ConstraintLesson) -> None:
    """Begin by what the controls say; if that cannot be, what is on the page stays."""
    st.session_state[PROBLEM] = None
    try:
        lesson.now, lesson.ways = begin(lesson.lm, _wish_now()), None
    except ValueError as error:
        lesson.now.is_playing = False
        st.session_state[PROBLEM] = f"{error} The text before it stays below."


# The text that grows


def _writing(lesson: ConstraintLesson) -> None:
    now = lesson.now
    _buttons(now)
    if now.notice:
        st.error(now.notice)
    st.html(_strip(now))
    left, right = st.columns([3, 2], gap="large")
    with left:
        if now.can_step:
            st.markdown("**The next token: what the model wants, and what it may.**")
            temperature = SETTINGS["temperature"]
            looked = now.writing.look(Settings(temperature=temperature))
            best = max(looked.tokens, key=lambda token: token.masked_prob, default=None)
            chosen = best.token_id if best is not None and temperature == 0 else None
            chart = mask_figure(looked, chosen, theme_now(), temperature=temperature)
            show_chart(chart, "constraint_mask")
        else:
            _verdict(now)
    with right:
        st.markdown("**What the constraint threw away at each token.**")
        if now.writing.steps:
            show_chart(mass_figure(now.writing.steps, theme_now()), "constraint_mass")
        else:
            st.caption("Nothing has been written yet: press Step.")


def _buttons(now: Writing) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="constraint_buttons"):
        step_buttons(
            "constraint",
            is_playing=now.is_playing,
            can_step=now.can_step,
            can_go_back=bool(now.writing.steps),
            step=lambda: now.step(SETTINGS["temperature"]),
            play=now.play,
            back=now.back,
            reset=now.reset,
        )
        with st.container(horizontal=True, vertical_alignment="center", width="content"):
            st.markdown("Temperature, 0 is argmax", width="content")
            SETTINGS.widget("temperature", width=200, label_visibility="collapsed")


def _strip(now: Writing) -> Markup:
    """Write the text as boxes, the prompt first."""
    theme, size = theme_now(), f"font-size:{1.4 if is_presenting() else 1}rem"
    prompt = chip(now.wish.prompt[-80:] or "(nothing)", "prompt", theme, style=size)
    tokens = (
        chip(step.label, "error", theme, "marked", style=size)
        if step.mass < CORNER
        else chip(step.label, "generated", theme, style=size)
        for step in now.writing.steps
    )
    return row(prompt, *tokens, gap="4px")


def _verdict(now: Writing) -> None:
    """Say what was written, and what the model thinks of it."""
    written = now.writing.written("")
    length = plural(len(now.writing.steps), "token")
    if not written.is_complete:
        st.info(
            f"There is no room for more: {length} are written, and the constraint is not met. Go "
            "back and choose otherwise, or ask for a shorter text."
        )
        return
    st.markdown(f"**It is complete:** {nats(written.logprob)} over {length}.")
    st.code(written.text.strip(), language="json" if now.wish.kind == "schema" else None)
    st.caption(
        "The text satisfies the constraint, and log p is what the model alone gives it. Go back "
        "and choose otherwise, or compare the ways out below."
    )
