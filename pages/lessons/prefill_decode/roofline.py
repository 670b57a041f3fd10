"""The third part: what this device could do, and which bound holds here."""

from __future__ import annotations

import streamlit as st

from model.prefill_decode.batching import point_of, weight_bytes_read
from model.prefill_decode.ceilings import measure_copy, measure_matmul, measure_read
from model.prefill_decode.roofline import RooflineExperiment, measure_floors
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.lessons.prefill_decode.run import show_run
from pages.lessons.prefill_decode.state import PartRun, PhaseLesson
from viz.prefill_decode.roofline_chart import (
    floors_figure,
    roofline_figure,
    roofline_table,
    verdict,
)


def show_roofline(lesson: PhaseLesson) -> None:
    """Offer the roofline, and say what binds here."""
    st.header("What binds: memory, arithmetic, or neither", anchor=False)
    st.markdown(
        "**A decode step reads every weight to do two operations with it; a prefill does two for "
        "each of its tokens.** What a device can copy and multiply is measured here, and both "
        "phases are drawn below it. On a large model decode waits for memory; a small one may "
        "wait for something else."
    )
    show_run(lesson, "roofline", lambda: RooflineExperiment(lesson.lm), _draw, word="Measure")
    show_code(
        measure_copy,
        measure_read,
        measure_matmul,
        measure_floors,
        point_of,
        weight_bytes_read,
        key="phase_code_3",
    )


def _draw(run: PartRun) -> None:
    experiment = run.work
    if run.is_running or not isinstance(experiment, RooflineExperiment):
        return
    roofline, theme = experiment.result, theme_now()
    if roofline is None:
        st.caption("It was stopped before the ceilings were measured: press Measure again.")
        return
    for sentence in experiment.left_out:
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
