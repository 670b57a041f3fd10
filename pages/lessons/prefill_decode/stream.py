"""The second part: the same answer, handed over token by token and as a whole."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from model.fast.engines import BY_HAND, PLAIN, engine_names, make_engine
from model.prefill_decode.experiments import Answering, Writing, by_the_coin
from model.sampling import Settings
from model.timing import describe
from model.tokenizing import encode, text_of
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.models import DEFAULT_PROMPT
from pages.lessons.prefill_decode.run import show_run
from pages.lessons.prefill_decode.state import PartRun, PhaseLesson, Playing
from viz.format import digits, duration
from viz.palette import Theme, colour
from viz.prefill_decode.latency_charts import stream_figure
from viz.strip import element, paragraph, row

N_OUT = 60  # tokens
PLAYED_SECONDS = 8.0  # that a class can follow
LOOK_SECONDS = 0.15
LONGEST_SECONDS = 20.0  # of writing at one press
SETTINGS = Settings(temperature=0.8, top_p=0.9)


def show_stream(lesson: PhaseLesson) -> None:
    """Offer an answer, written once and shown in both ways."""
    st.header("One token at a time, or all at the end", anchor=False)
    st.markdown(
        "**Each token can be handed over as soon as it is chosen, so a reader waits for the first "
        "and not for the last.** The same answer on both sides, at the speed that was measured, "
        "slowed down for the eye."
    )
    show_run(
        lesson,
        "stream",
        lambda: _answering(lesson),
        lambda run: _hand_over(lesson, run),
        _prompt,
        word="Write",
    )
    is_playing = lesson.playing is not None and not lesson.playing.is_over
    st.fragment(_stream, run_every=LOOK_SECONDS if is_playing else None)(lesson, is_playing)
    show_code(Writing.advance, by_the_coin, Answering.advance, key="phase_code_2")


def _prompt(is_disabled: bool) -> None:
    st.text_input(
        "Prompt",
        DEFAULT_PROMPT,
        key="phase_prompt",
        max_chars=2000,
        width=420,
        disabled=is_disabled,
    )


def _answering(lesson: PhaseLesson) -> Answering:
    """Make the answer ready, which is written at full speed and shown afterwards."""
    lm = lesson.lm
    prompt = encode(lm, st.session_state["phase_prompt"])
    limit = lm.context_length or len(prompt) + N_OUT
    if len(prompt) + N_OUT > limit:
        raise ValueError(
            f"Prompt and answer take {len(prompt) + N_OUT} tokens and {lm.name} reads {limit}: "
            "shorten the prompt."
        )
    # nothing is captured or compiled for one short answer
    name = BY_HAND if BY_HAND in engine_names(lm) else PLAIN
    engine = make_engine(lm, name, len(prompt) + N_OUT)
    choose = by_the_coin(SETTINGS, 0, len(prompt))
    lesson.playing = None
    return Answering(lm, engine, prompt, choose, N_OUT, LONGEST_SECONDS)


def _hand_over(lesson: PhaseLesson, run: PartRun) -> None:
    """Begin to show what was written, once it is; a run that was stopped shows what it has."""
    experiment = run.work
    if lesson.is_measuring or lesson.playing is not None:
        return
    if not isinstance(experiment, Answering) or not experiment.writing.waits:
        return
    request = experiment.writing.request
    texts = [text_of(lesson.lm.tokenizer, request.token_ids[: n + 1]) for n in range(request.n_out)]
    slower = max(1.0, PLAYED_SECONDS / request.seconds)
    lesson.playing = Playing(request, tuple(texts), slower)


def _stream(lesson: PhaseLesson, has_clock: bool) -> None:
    playing = lesson.playing
    is_playing = playing is not None and not playing.is_over
    if is_playing != has_clock:
        st.rerun()
    if playing is None:
        return
    theme = theme_now()
    st.html(_boxes(playing, theme))
    st.caption(
        f"Shown {digits(playing.slower, 2)} times slower than it was measured: it took "
        f"{duration(playing.request.seconds)}."
    )
    if not is_playing:
        show_chart(
            stream_figure(playing.request, describe(lesson.lm).where, theme), "phase_streamed"
        )


def _boxes(playing: Playing, theme: Theme) -> Markup:
    """Write both sides."""
    n_shown, n_out = playing.n_shown, playing.request.n_out
    streamed = playing.pieces[n_shown - 1] if n_shown else ""
    whole = playing.pieces[-1] if playing.is_over else ""
    return row(
        _box(f"streamed: {n_shown} of {n_out} tokens in hand", streamed, theme),
        _box(f"the whole: {n_out if whole else 0} of {n_out} tokens in hand", whole, theme),
        gap="1rem",
    )


def _box(title: str, text: str, theme: Theme) -> Markup:
    muted = f"color:{colour('muted', theme)}"
    ground = colour("generated-tint", theme) if text else "transparent"
    return element(
        "div",
        element("div", title, style=f"{muted};font-size:.85rem"),
        paragraph(text or element("span", "waiting…", style=muted), style="font-size:1.1rem"),
        style=f"flex:1 1 18rem;border:1.5px solid {colour('generated', theme)};border-radius:8px;"
        f"padding:.7rem .9rem;min-height:8.5rem;background:{ground}",
    )
