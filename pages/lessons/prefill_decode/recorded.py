"""Runs that were recorded on another machine, to lay beside what is measured here."""

from __future__ import annotations

import streamlit as st

from model.prefill_decode.recordings import Recording, recordings
from pages.frame.figures import show_chart, theme_now
from pages.lessons.prefill_decode.settings import SETTINGS
from viz.prefill_decode.batch_chart import throughput_figure
from viz.prefill_decode.phase_charts import as_recorded, pace_figure
from viz.prefill_decode.roofline_chart import roofline_figure, verdict


def chosen_recording() -> Recording | None:
    """Return the recording that the reader laid beside, if any."""
    return next((one for one in recordings() if one.title == SETTINGS["recording"]), None)


def show_recorded() -> None:
    """Let the reader choose a recording, and show it as what it is."""
    st.header("Recorded runs", anchor=False)
    st.markdown(
        "**The same runs, recorded earlier on the device that is named.** The recording that you "
        "choose is also drawn behind the first figure above."
    )
    SETTINGS.widget("recording", width=420, label_visibility="collapsed")
    found = chosen_recording()
    if found is None:
        return
    theme, machine = theme_now(), found.machine
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    st.markdown(f"Recorded {machine.date[:10]}: {verdict(found.roofline)}".replace(" here:", ":"))
    left, right = st.columns(2, gap="large")
    with left:
        show_chart(as_recorded(pace_figure(found.phases, theme), machine), "phase_rec_pace")
    with right:
        chart = as_recorded(throughput_figure(found.batches, theme), found.batches.machine)
        show_chart(chart, "phase_rec_batches")
    chart = as_recorded(roofline_figure(found.roofline, theme), found.roofline.machine)
    show_chart(chart, "phase_rec_roof")
    st.caption(f"{machine.model}, {machine.device}, {versions}, {machine.date}.")
