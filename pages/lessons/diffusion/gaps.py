"""The diffusion lesson's last part: an encoder that reads once, and a decoder that loops."""

from __future__ import annotations

import streamlit as st

from model.diffusion.gaps import with_sentinels
from model.diffusion.infilling import Infilling
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart
from pages.frame.layout import is_presenting
from pages.frame.models import shared_model
from pages.frame.stepper import Stepper, show_stepper
from pages.lessons.diffusion.settings import SETTINGS
from pages.lessons.diffusion.state import DiffusionLesson, PassSteps
from viz.diffusion.infilling import bytes_figure, caches_figure, gap_text_html
from viz.format import duration, plural
from viz.reader import FACTOR

GAPFILLER = "gapfiller"
PLAY_SECONDS = 0.6


def show_gaps(lesson: DiffusionLesson) -> None:
    """Show a text with gaps, what is written into them, and both caches."""
    st.header("Infilling with an encoder-decoder", anchor=False)
    st.markdown(
        "An encoder-decoder reads its whole input in one pass, both ways; its answer it writes "
        "one token at a time, like every other model here. Mark gaps by ___ and press Step."
    )
    if lesson.gaps is None and lesson.gaps_notice is None:
        _begin(lesson)
    SETTINGS.widget("gaps", on_change=_begin, args=(lesson,))
    if lesson.gaps_notice:
        st.error(lesson.gaps_notice)
    stepper = lesson.gaps
    if stepper is not None:
        show_stepper(lambda: stepper, lambda: _draw(stepper), PLAY_SECONDS)
    show_code(Infilling.step, Infilling._encode, with_sentinels, key="diffusion_code_4")


def _begin(lesson: DiffusionLesson) -> None:
    """Read another text; if it cannot be read, the one on the page stays."""
    try:
        text = Infilling(shared_model(GAPFILLER), SETTINGS["gaps"])
    except ValueError as error:
        lesson.gaps_notice = str(error)
    else:
        lesson.gaps, lesson.gaps_notice = Stepper(PassSteps(text), "diffusion_gap"), None


def _draw(stepper: Stepper[PassSteps[Infilling]]) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="diffusion_gap_buttons"):
        stepper.buttons()
    stepper.notices()
    text = stepper.steps.engine
    st.html(gap_text_html(text.segments, FACTOR if is_presenting() else 1.0))
    if text.written_ids:
        caches = text.look()
        left, right = st.columns([5, 3], gap="large")
        with left:
            show_chart(caches_figure(caches), "diffusion_caches")
        with right:
            show_chart(bytes_figure(caches), "diffusion_bytes")
    lm, n_written = text.lm, len(text.written_ids)
    by_loop = f"{plural(n_written, 'token')} written by as many passes of the decoder"
    st.caption(
        f"{lm.name}, {lm.where}: "
        f"{plural(len(text.source_ids), 'token')} read by the encoder in one pass of "
        f"{duration(text.encoder_seconds)}, {by_loop if n_written else 'nothing written yet'}. "
        "Each gap is read as a token of its own, `<extra_id_0>`, `<extra_id_1>` and so on; the "
        "answer repeats it and goes on with what the gap holds. A decoder-only model has one stack "
        "for both: prompt and answer lie in one cache, and each position sees only those before it."
    )
