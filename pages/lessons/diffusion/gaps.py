"""The diffusion lesson's last part: an encoder that reads once, and a decoder that loops."""

from __future__ import annotations

import streamlit as st

from model.diffusion.gaps import with_sentinels
from model.diffusion.infilling import Infilling
from model.loading import LoadError
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.layout import is_presenting
from pages.frame.models import shared_model
from pages.frame.stepping import at_a_pace, step_buttons
from pages.lessons.diffusion.fill import PROJECTOR
from pages.lessons.diffusion.settings import SETTINGS
from pages.lessons.diffusion.state import DiffusionLesson, GapRun
from viz.diffusion.gap_text import gap_text_html
from viz.diffusion.two_caches import bytes_figure, caches_figure
from viz.format import duration, plural

GAPFILLER = "gapfiller"
PLAY_SECONDS = 0.6


def show_gaps(lesson: DiffusionLesson) -> None:
    """Show a text with gaps, what is written into them, and both caches."""
    st.header("Read once, written by the loop", anchor=False)
    st.markdown(
        "**An encoder-decoder reads its input whole, both ways, in one pass; its answer it writes "
        "one token at a time, like every other.** Mark gaps by ___ and press Step."
    )
    if lesson.gaps is None and lesson.gaps_notice is None:
        _begin(lesson, SETTINGS["gaps"])
    at_a_pace(
        lambda: lesson.gaps is not None and lesson.gaps.is_playing,
        lambda: lesson.gaps.step() if lesson.gaps else None,
        lambda: _gaps(lesson),
        PLAY_SECONDS,
    )
    show_code(Infilling.step, Infilling._encode, with_sentinels, key="diffusion_code_4")


def _gaps(lesson: DiffusionLesson) -> None:
    run = lesson.gaps
    SETTINGS.widget("gaps", on_change=lambda: _begin(lesson, SETTINGS["gaps"]))
    if lesson.gaps_notice:
        st.error(lesson.gaps_notice)
    if run is None:
        return
    _buttons(run)
    if run.notice:
        st.error(run.notice)
    text, theme = run.text, theme_now()
    scale = PROJECTOR if is_presenting() else 1.0
    st.html(gap_text_html(text.stretches, theme, scale))
    if text.written_ids:
        caches = text.look()
        left, right = st.columns([5, 3], gap="large")
        with left:
            show_chart(caches_figure(caches, theme), "diffusion_caches")
        with right:
            show_chart(bytes_figure(caches, theme), "diffusion_bytes")
    lm, n_written = text.lm, len(text.written_ids)
    by_loop = f"{plural(n_written, 'token')} written by as many passes of the decoder"
    st.caption(
        f"{lm.name}, {lm.where}: "
        f"{plural(len(text.source_ids), 'token')} read by the encoder in one pass of "
        f"{duration(text.seconds[0])}, {by_loop if n_written else 'nothing written yet'}. "
        "Each gap is read as a token of its own, `<extra_id_0>`, `<extra_id_1>` and so on; the "
        "answer repeats it and goes on with what the gap holds. A decoder-only model has one stack "
        "for both: prompt and answer lie in one cache, and each position sees only those before it."
    )


def _buttons(run: GapRun) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="diffusion_gap_buttons"):
        step_buttons(
            "diffusion_gap",
            is_playing=run.is_playing,
            can_step=run.text.finished is None,
            can_go_back=bool(run.text.written_ids),
            step=run.step,
            play=run.play,
            back=run.back,
        )


def _begin(lesson: DiffusionLesson, text: str) -> None:
    """Read another text; if it cannot be read, the one on the page stays."""
    try:
        lesson.gaps = GapRun(Infilling(shared_model(GAPFILLER), text))
    except (LoadError, ValueError) as error:
        lesson.gaps_notice = str(error)
    else:
        lesson.gaps_notice = None
