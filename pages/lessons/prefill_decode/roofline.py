"""The third part: the roofline of this device, and which bound holds here."""

from __future__ import annotations

import streamlit as st

from model.job import Job
from model.prefill_decode.batching import point_of, weight_bytes_read
from model.prefill_decode.ceilings import measure_copy, measure_matmul, measure_read
from model.prefill_decode.records import Roofline
from model.prefill_decode.roofline import measure_floors, measure_roofline
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.job_panel import show_job
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
    roofline, theme = job.found, theme_now()
    if roofline is None or job.is_running:
        return
    for sentence in roofline.left_out:
        st.info(sentence)
    st.markdown(verdict(roofline))
    show_chart(roofline_figure(roofline, theme), "phase_roof")
    if not roofline.points:
        return
    show_chart(floors_figure(roofline, theme), "phase_floors")
    with st.expander("Every pass in numbers", key="phase_roof_numbers"):
        st.dataframe(roofline_table(roofline), hide_index=True, key="phase_roof_table")
        st.caption(
            "MBU: bytes read ÷ seconds ÷ the copy bandwidth measured here. MFU: FLOPs, attention "
            "causal, ÷ seconds ÷ the matrix rate measured here. Of an input embedding that is not "
            "the head as well one row per token is counted, of experts those that can be active."
        )
