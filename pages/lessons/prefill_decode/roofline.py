"""The third part: the roofline of this device, and which bound holds here."""

from __future__ import annotations

import streamlit as st

from model.job import Job
from model.prefill_decode.batching import point_of, weight_bytes_read
from model.prefill_decode.ceilings import measure_copy, measure_matmul, measure_read
from model.prefill_decode.records import Roofline
from model.prefill_decode.roofline import measure_floors, measure_roofline
from pages.frame.code_that_ran import show_code
from pages.frame.figures import theme_now
from pages.frame.job_panel import show_job
from pages.lessons.prefill_decode.recorded import Show, show_runs
from pages.lessons.prefill_decode.state import PhaseLesson
from viz.prefill_decode.roofline_chart import (
    floors_figure,
    roofline_figure,
    roofline_table,
    verdict,
)


def show_roofline(lesson: PhaseLesson) -> None:
    """Offer the roofline, and say which bound holds here."""
    st.header("The roofline: memory-bound or compute-bound", anchor=False)
    st.markdown(
        "**A decode step reads every weight to do two operations with it; a prefill does two for "
        "each of its tokens.** The peak rates of this device are measured here, and both phases "
        "are drawn below them. On a large model decode waits for memory; on a small one something "
        "else may bind first."
    )
    show_job(
        lesson.jobs,
        "phase_roofline",
        "Measure",
        lambda: lesson.start(measure_roofline(lesson.lm)),
        _show,
        idle=_show_runs,
        icon=":material/timer:",
    )
    show_code(
        measure_copy,
        measure_read,
        measure_matmul,
        measure_floors,
        point_of,
        weight_bytes_read,
        key="phase_code_3",
    )


def _show(job: Job[Roofline]) -> None:
    roofline = None if job.is_running else job.found
    for sentence in roofline.left_out if roofline else ():
        st.info(sentence)
    _show_runs(roofline)


def _show_runs(roofline: Roofline | None = None) -> None:
    show_runs(roofline, lambda recording: recording.roofline, _draw)


def _draw(roofline: Roofline, show: Show) -> None:
    """Draw a roofline, what binds each phase below it, and every pass in numbers."""
    theme = theme_now()
    st.markdown(verdict(roofline))
    show(roofline_figure(roofline, theme), "phase_roof")
    if not roofline.points:
        return
    show(floors_figure(roofline, theme), "phase_floors")
    with st.expander("Every pass in numbers"):
        st.dataframe(roofline_table(roofline), hide_index=True)
        st.caption(
            "MBU: bytes read ÷ seconds ÷ the copy bandwidth of the same run. MFU: FLOPs, attention "
            "causal, ÷ seconds ÷ its matrix rate. Of an input embedding that is not the head as "
            "well one row per token is counted, of experts those that can be active."
        )
