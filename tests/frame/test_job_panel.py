"""A job's button, as Streamlit runs it."""

import threading
import time

import pytest
from streamlit.testing.v1 import AppTest

from model.job import Job, Progress, Work
from model.machine.turns import TURNS
from pages.frame import job_panel


def page(start: object) -> None:  # its source runs alone, without these imports
    import streamlit as st

    from pages.frame.job_panel import JobPanel

    JobPanel(st.session_state.setdefault("jobs", {}), "job", "Go", start, lambda _: None).show()


def test_a_press_of_stop_that_comes_when_the_job_has_just_ended_does_not_start_it_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def work() -> Work[int]:
        started.append(1)
        yield Progress(0, 1)
        return 1

    started: list[int] = []
    monkeypatch.setattr(job_panel, "GRACE_SECONDS", 60.0)
    app = AppTest.from_function(page, args=(lambda: Job(work()),)).run()
    for n_presses in (1, 2):
        app.button(key="job_run").click().run()
        assert app.session_state["jobs"]["job"].is_done, n_presses
        assert len(started) == 1
    monkeypatch.setattr(job_panel, "GRACE_SECONDS", 0.01)
    time.sleep(0.01)
    app.button(key="job_run").click().run()
    assert len(started) == 2


def test_a_job_that_measures_shows_its_place_and_then_how_much_was_shared() -> None:
    def work() -> Work[int]:
        yield Progress(0, 2)
        yield Progress(1, 2)
        other = threading.Thread(target=press)
        other.start()
        other.join()
        return 2

    def press() -> None:
        with TURNS.step():
            pass

    app = AppTest.from_function(page, args=(lambda: Job(work(), is_timed=True),)).run()
    with TURNS.slice_of(app, 1.0, is_timed=True):
        pass
    app.button(key="job_run").click().run()
    app.run()
    assert "number 2 in line" in app.get("progress")[0].proto.text
    TURNS.leave(app)
    app.run()
    assert app.session_state["jobs"]["job"].is_done
    assert any("1 of 2 of the timed passes" in caption.value for caption in app.caption)
