"""The diffusion lesson's last part: an encoder that reads once, and a decoder that loops."""

from __future__ import annotations

import streamlit as st

from model.gaps import with_sentinels
from model.infilling import Infilling
from model.loading import LoadError
from pages.parts.code_that_ran import show_code
from pages.parts.diffusion_state import DiffusionLesson, GapRun
from pages.parts.kv_growth import show_chart, theme_now
from pages.parts.models import shared_model
from viz.two_caches import bytes_figure, caches_figure
from viz.units import duration, plural

GAPFILLER = "gapfiller"
GAP_TEXT = "The little dog ran to the ___. He saw a big ___ and was very ___."
PLAY_SECONDS = 0.6
LONGEST_TEXT = 1_000  # characters


def show_gaps(lesson: DiffusionLesson) -> None:
    """Show a text with gaps, what is written into them, and both caches."""
    st.header("Read once, written by the loop", anchor=False)
    st.markdown(
        "**An encoder-decoder reads its input whole, both ways, in one pass; its answer it writes "
        "one token at a time, like every other.** Mark gaps by ___ and press Step."
    )
    is_playing = lesson.gaps is not None and lesson.gaps.is_playing
    st.fragment(_gaps, run_every=PLAY_SECONDS if is_playing else None)(lesson, is_playing)
    show_code(Infilling.step, Infilling._encode, with_sentinels, key="diffusion_code_4")


def _gaps(lesson: DiffusionLesson, has_clock: bool) -> None:
    if lesson.gaps is None and lesson.gaps_notice is None:
        _begin(lesson, GAP_TEXT)
    run = lesson.gaps
    if run is not None and run.is_playing and has_clock:
        run.step()
    if run is not None and run.is_playing != has_clock:
        st.rerun()  # the fragment's clock starts and stops with the whole page
    st.session_state.setdefault("diffusion_gaps", GAP_TEXT)
    st.text_input(
        "A text with gaps",
        key="diffusion_gaps",
        max_chars=LONGEST_TEXT,
        on_change=lambda: _begin(lesson, str(st.session_state["diffusion_gaps"])),
        persist_state="session",
    )
    if lesson.gaps_notice:
        st.error(lesson.gaps_notice)
    if run is None:
        return
    _buttons(run)
    if run.notice:
        st.error(run.notice)
    text, theme = run.text, theme_now()
    st.text(text.filled_text)
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
        f"{lm.name}, {lm.device}, {str(lm.dtype).removeprefix('torch.')}: "
        f"{plural(len(text.source_ids), 'token')} read by the encoder in one pass of "
        f"{duration(text.seconds[0])}, {by_loop if n_written else 'nothing written yet'}. "
        "A decoder-only model has one stack for both: prompt and answer lie in one cache, and each "
        "position sees only those before it."
    )


def _buttons(run: GapRun) -> None:
    is_over = run.text.finished is not None
    with st.container(horizontal=True, vertical_alignment="center", key="diffusion_gap_buttons"):
        st.button(
            "Step",
            key="diffusion_gap_step",
            type="primary",
            on_click=run.step,
            disabled=run.is_playing or is_over,
            icon=":material/skip_next:",
        )
        st.button(
            "Pause" if run.is_playing else "Play",
            key="diffusion_gap_play",
            on_click=run.play,
            disabled=is_over,
            icon=":material/pause:" if run.is_playing else ":material/play_arrow:",
        )
        st.button(
            "Back",
            key="diffusion_gap_back",
            on_click=run.back,
            disabled=run.is_playing or not run.text.written_ids,
            icon=":material/undo:",
        )


def _begin(lesson: DiffusionLesson, text: str) -> None:
    """Read another text; if it cannot be read, the one on the page stays."""
    try:
        lesson.gaps = GapRun(Infilling(shared_model(GAPFILLER), text))
    except (LoadError, ValueError) as error:
        lesson.gaps_notice = str(error)
    else:
        lesson.gaps_notice = None
