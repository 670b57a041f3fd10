"""The constraint lesson below its title: the wish, the text that grows, the mask, the ways out."""

from __future__ import annotations

import html

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.constraints import ConstrainedBeams, ConstrainedWriting, Constraint, Kind
from model.loading import LanguageModel
from model.sampling import Settings
from pages.parts.code_that_ran import show_code
from pages.parts.constraint_chart import show_chart
from pages.parts.constraint_state import (
    EXAMPLES,
    FIRST,
    KINDS,
    ConstraintLesson,
    Wish,
    Writing,
    begin,
)
from pages.parts.constraint_ways import show_ways
from pages.parts.models import DEFAULT_MODEL, shared_model
from pages.parts.sampling_lab_overlap import theme_of_page
from pages.parts.session import Session
from viz.constraint_chart import mask_figure, mass_figure
from viz.palette import MONO, colour
from viz.units import nats, plural

LESSON = "constraint_lesson"
PROBLEM = "constraint_problem"
PLAY_SECONDS = 0.8


def show_constraint_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    lesson = _lesson(waiting)
    waiting.empty()
    st.markdown(
        "**A constraint is a mask that a grammar draws anew at every token. It sees one token "
        "ahead, so argmax can walk into a corner where all that is still allowed has almost no "
        "probability.**"
    )
    _controls(lesson)
    is_playing = lesson.now.is_playing
    st.fragment(_writing, run_every=PLAY_SECONDS if is_playing else None)(lesson, is_playing)
    show_ways(lesson)
    show_code(
        ConstrainedWriting.step,
        Constraint.allowed,
        Constraint.after,
        ConstrainedBeams.allowed,
        ConstrainedBeams.is_end,
        key="constraint_code",
    )


def _lesson(waiting: DeltaGenerator) -> ConstraintLesson:
    """Return what the reader has here; anew where the first page has another model by now."""
    lesson: ConstraintLesson | None = st.session_state.get(LESSON)
    reader: Session | None = st.session_state.get("reader")
    if lesson is None or (reader is not None and reader.lm is not lesson.lm):
        lm = reader.lm if reader else _load(waiting)
        wish = EXAMPLES[FIRST] if lesson is None else lesson.now.wish
        lesson = ConstraintLesson(lm, begin(lm, wish))
        st.session_state[LESSON] = lesson
    return lesson


def _load(waiting: DeltaGenerator) -> LanguageModel:
    def say(doing: str) -> None:
        waiting.caption(f"{doing}…")

    return shared_model(DEFAULT_MODEL, progress=say)


# What is asked for


def _controls(lesson: ConstraintLesson) -> None:
    wish = lesson.now.wish
    st.session_state.setdefault("constraint_prompt", wish.prompt)
    st.session_state.setdefault("constraint_kind", wish.kind)
    st.session_state.setdefault("constraint_text", wish.constraint)
    left, right = st.columns(2, gap="medium")
    with left:
        st.selectbox(
            "An example",
            list(EXAMPLES),
            key="constraint_example",
            on_change=_take_example,
            args=(lesson,),
            persist_state="session",
        )
        st.text_input(
            "A text to start from",
            key="constraint_prompt",
            max_chars=2_000,
            on_change=_begin_again,
            args=(lesson,),
            persist_state="session",
        )
    with right:
        st.segmented_control(
            "What may follow",
            list(KINDS),
            required=True,
            format_func=lambda kind: KINDS[kind],
            key="constraint_kind",
            on_change=_take_kind,
            args=(lesson,),
            persist_state="session",
            label_visibility="collapsed",
        )
        st.text_area(
            "What may follow: one choice to a line, a regular expression, or a schema",
            key="constraint_text",
            height=76,
            help="Spaces count: a choice after a word begins with one.",
            on_change=_begin_again,
            args=(lesson,),
            persist_state="session",
        )
    if problem := st.session_state.get(PROBLEM):
        st.error(f"{problem} The text before it stays below.")


def _take_example(lesson: ConstraintLesson) -> None:
    _fill(lesson, EXAMPLES[st.session_state["constraint_example"]])


def _take_kind(lesson: ConstraintLesson) -> None:
    """Put an example of another kind in, since what is there is of the old one."""
    kind = st.session_state["constraint_kind"]
    if kind != lesson.now.wish.kind:
        name = next(name for name, wish in EXAMPLES.items() if wish.kind == kind)
        st.session_state["constraint_example"] = name
        _fill(lesson, EXAMPLES[name])


def _fill(lesson: ConstraintLesson, wish: Wish) -> None:
    st.session_state["constraint_kind"] = wish.kind
    st.session_state["constraint_prompt"] = wish.prompt
    st.session_state["constraint_text"] = wish.constraint
    _begin_again(lesson)


def _begin_again(lesson: ConstraintLesson) -> None:
    """Begin by what the controls say; if that cannot be, what is on the page stays."""
    state = st.session_state
    kind: Kind = state["constraint_kind"]
    wish = Wish(kind, str(state["constraint_prompt"]), str(state["constraint_text"]))
    state[PROBLEM] = None
    try:
        lesson.now, lesson.ways = begin(lesson.lm, wish), None
    except ValueError as error:
        lesson.now.is_playing, state[PROBLEM] = False, str(error)


# The text that grows


def _writing(lesson: ConstraintLesson, has_clock: bool) -> None:
    now = lesson.now
    if now.is_playing and has_clock:
        now.step(_temperature())
    if now.is_playing != has_clock:
        st.rerun()  # the fragment's clock starts and stops with the whole page
    _buttons(now)
    if now.notice:
        st.error(now.notice)
    st.html(_strip(now))
    left, right = st.columns([3, 2], gap="large")
    with left:
        if now.can_step:
            st.markdown("**The next token: what the model wants, and what it may.**")
            looked = now.writing.look(Settings(temperature=_temperature()))
            best = max(looked.tokens, key=lambda token: token.masked_prob, default=None)
            chosen = best.token_id if best is not None and _temperature() == 0 else None
            show_chart(mask_figure(looked, chosen, theme_of_page()), "constraint_mask")
        else:
            _verdict(now)
    with right:
        st.markdown("**What each token threw away.**")
        show_chart(mass_figure(now.writing.steps, theme_of_page()), "constraint_mass")
    lm = lesson.lm
    st.caption(f"On {lm.name}, {lm.device}, {str(lm.dtype).removeprefix('torch.')}.")


def _temperature() -> float:
    return float(st.session_state.get("constraint_temperature", 0.0))


def _buttons(now: Writing) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="constraint_buttons"):
        st.button(
            "Step",
            key="constraint_step",
            type="primary",
            on_click=lambda: now.step(_temperature()),
            disabled=now.is_playing or not now.can_step,
            icon=":material/skip_next:",
        )
        st.button(
            "Pause" if now.is_playing else "Play",
            key="constraint_play",
            on_click=now.play,
            disabled=not now.can_step,
            icon=":material/pause:" if now.is_playing else ":material/play_arrow:",
        )
        st.button(
            "Back",
            key="constraint_back",
            on_click=now.back,
            disabled=now.is_playing or not now.writing.steps,
            icon=":material/undo:",
        )
        st.button(
            "Reset",
            key="constraint_reset",
            on_click=now.reset,
            disabled=now.is_playing or not now.writing.steps,
            icon=":material/restart_alt:",
        )
        st.slider(
            "Temperature, 0 is argmax",
            0.0,
            1.5,
            0.0,
            0.1,
            key="constraint_temperature",
            width=220,
            persist_state="session",
        )


def _strip(now: Writing) -> str:
    """Write the text as boxes, the prompt first; labels are data and are escaped."""
    theme, writing = theme_of_page(), now.writing
    box = "border-radius:4px;padding:1px 4px;border:1.5px solid"
    parts = [
        f'<span style="{box} {colour("prompt", theme)};background:{colour("prompt-tint", theme)}">'
        f"{html.escape(now.wish.prompt[-80:])}</span>"
    ]
    for step in writing.steps:
        tight = step.mass < 0.01
        edge = colour("error" if tight else "generated", theme)
        ground = colour("error-tint" if tight else "generated-tint", theme)
        style = f"{box} {edge};background:{ground}" + (";border-style:dashed" if tight else "")
        parts.append(f'<span style="{style}">{html.escape(step.label)}</span>')
    return (
        f'<div style="display:flex;flex-wrap:wrap;gap:4px;font-family:{html.escape(MONO)};'
        f'font-size:1rem;color:{colour("ink", theme)}">{"".join(parts)}</div>'
    )


def _verdict(now: Writing) -> None:
    """Say what was written, and what the model thinks of it."""
    written = now.writing.written("")
    n_tokens = len(now.writing.steps)
    if not written.is_complete:
        st.info(f"{plural(n_tokens, 'token')} are written and the constraint is not met: go back.")
    st.markdown(f"**It is complete:** {nats(written.logprob)} over {plural(n_tokens, 'token')}.")
    st.caption(
        "The text satisfies the constraint, and log p is what the model alone gives it. Go back "
        "and choose otherwise, or compare the ways out below."
    )
