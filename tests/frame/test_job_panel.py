"""A job's button, as Streamlit runs it."""

from __future__ import annotations

import time

import pytest
from streamlit.testing.v1 import AppTest

from pages.frame import job_panel


def page() -> None:
    import streamlit as st

    from model.job import Job, Progress, Work
    from pages.frame.job_panel import show_job

    def work() -> Work[int]:
        yield Progress(0, 1)
        return 1

    def start() -> Job[int]:
        st.session_state["n_started"] += 1
        return Job(work())

    st.session_state.setdefault("n_started", 0)
    show_job(st.session_state.setdefault("jobs", {}), "job", "Go", start, lambda _: None)


def test_a_press_of_stop_that_comes_when_the_job_has_just_ended_does_not_start_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(job_panel, "GRACE_SECONDS", 60.0)
    app = AppTest.from_function(page).run()
    app.button(key="job_run").click().run()
    assert app.session_state["jobs"]["job"].is_done
    app.button(key="job_run").click().run()
    assert app.session_state["n_started"] == 1
    monkeypatch.setattr(job_panel, "GRACE_SECONDS", 0.01)
    time.sleep(0.01)
    app.button(key="job_run").click().run()
    assert app.session_state["n_started"] == 2
