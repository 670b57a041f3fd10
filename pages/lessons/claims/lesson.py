"""The page of claims below its title: run one, run all, read what was found, keep the report."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.claims.context import THOROUGH
from model.claims.experiments import EXPERIMENTS
from model.claims.records import ClaimsRun
from model.job import Job
from model.recorded import recorded_job
from pages.frame.claims import CLAIMS, EMPIRICAL, Claim
from pages.frame.code_that_ran import show_code
from pages.frame.contents import lesson_at
from pages.frame.job_panel import JobPanel, is_running, start_job
from pages.frame.layout import as_written
from pages.frame.lesson_state import lesson_state
from pages.lessons.claims.state import ClaimsLesson
from viz.claims.report import KINDS, Row, tally, to_html, to_json, verdict_html

STATE = "claims_lesson"
WHEN_TO_USE = Path(__file__).with_name("when_to_use.md").read_text(encoding="utf-8")  # C45
FILES = (("html", "text/html", to_html), ("json", "application/json", to_json))
N_LATEST = 3  # findings that are shown while more are being made
SLICE_SECONDS = 0.001  # one experiment, then a look at the button
RUN_WIDTH = 100  # px


def show_claims(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    lesson = lesson_state(STATE, waiting, lambda lm, _old: ClaimsLesson(lm))
    st.markdown(
        "What is **true by definition** has a link to where it can be seen. What is **empirical** "
        "can fail: an experiment runs here and now, and the verdict follows from what was "
        "measured. What is said of a **trained model** does not hold for random weights."
    )
    JobPanel(
        lesson.jobs,
        "claims",
        "Run all",
        lambda: Job(lesson.measure(EMPIRICAL)),
        lambda job: _latest(lesson, job),
        controls=lambda is_running: _controls(lesson, is_running=is_running),
        icon=":material/play_arrow:",
        seconds=SLICE_SECONDS,
    ).show()
    _downloads(lesson)
    recorded = recorded_job("claims", ClaimsRun)
    if recorded is not None and len(lesson.findings) < len(EMPIRICAL):
        _tell_of_recording(lesson, recorded)
    for section, claims in groupby(CLAIMS, key=lambda claim: claim.section):
        st.header(section, anchor=False)
        for claim in claims:
            _row(lesson, claim, recorded)
    st.header("When to use the loop, and when not", anchor=False)
    st.markdown(WHEN_TO_USE)


# What runs, and what came of it


def _controls(lesson: ClaimsLesson, *, is_running: bool) -> None:
    is_thorough = st.toggle(
        "Thorough",
        key="claims_thorough",
        disabled=is_running,
        help=f"{THOROUGH} times as many prompts, runs and texts: narrower intervals, and it takes "
        f"{THOROUGH} times as long.",
    )
    lesson.context.scale = THOROUGH if is_thorough else 1
    where = as_written(f"On {lesson.lm.name}, {lesson.lm.where}.")
    st.caption(f"{tally(lesson.rows())}. {where}")


def _latest(lesson: ClaimsLesson, job: Job[Any]) -> None:
    if job.is_running:
        for claim_id in list(lesson.findings)[-N_LATEST:]:
            st.markdown(f"**{claim_id}**")
            _verdict(lesson, claim_id)


def _downloads(lesson: ClaimsLesson) -> None:
    if not lesson.findings or is_running(lesson.jobs, "claims"):
        return
    with st.container(horizontal=True, key="claims_files"):
        for kind, mime, write in FILES:
            st.download_button(
                f"Report, {kind.upper()}",
                data=partial(_file, lesson, write),
                file_name=f"claims.{kind}",
                mime=mime,
                key=f"claims_save_{kind}",
                on_click="ignore",
            )


def _file(lesson: ClaimsLesson, write: Callable[[list[Row], dict[str, str]], str]) -> bytes:
    return write(lesson.rows(), lesson.facts()).encode("utf-8")


# The table


def _tell_of_recording(lesson: ClaimsLesson, job: Job[ClaimsRun]) -> None:
    machine = job.recorded_on
    assert machine is not None
    st.caption(
        f"Recorded {machine.date[:10]}, until a claim is run here: {machine.model} on "
        f"{machine.where}. {tally(lesson.rows(job.result)).replace(' here', '')}."
    )


def _row(lesson: ClaimsLesson, claim: Claim, recorded: Job[ClaimsRun] | None) -> None:
    with st.container(horizontal=True, vertical_alignment="top", key=f"claim_{claim.id}"):
        if claim.kind == "definition":
            st.markdown(claim.id, width=RUN_WIDTH)
        else:
            st.button(
                f"Run {claim.id}",
                key=f"run_{claim.id}",
                on_click=start_job,
                args=(lesson.jobs, "claims", lambda: Job(lesson.measure([claim]))),
                disabled=is_running(lesson.jobs, "claims"),
                help=f"Run the experiment of {claim.id} here and now.",
                width=RUN_WIDTH,
            )
        with st.container(gap=None, width="stretch"):
            st.markdown(claim.sentence)
            if claim.id in lesson.findings:
                _verdict(lesson, claim.id)
            elif recorded is not None:
                _recorded_verdict(recorded, claim.id)
            if claim.small:
                st.caption(f"**This small model:** {claim.small} **Large models:** {claim.large}")
            _link(claim)
            if claim.id in lesson.findings:
                show_code(EXPERIMENTS[claim.id], key=f"claim_{claim.id}_code")


def _verdict(lesson: ClaimsLesson, claim_id: str) -> None:
    st.html(verdict_html(lesson.findings[claim_id], lesson.seconds[claim_id]))


def _recorded_verdict(job: Job[ClaimsRun], claim_id: str) -> None:
    run, machine = job.result, job.recorded_on
    if claim_id in run.findings and machine is not None:
        where = f" on {machine.where}, {machine.date[:10]}"
        st.html(verdict_html(run.findings[claim_id], run.seconds[claim_id], where))


def _link(claim: Claim) -> None:
    lesson = lesson_at(f"pages/{claim.page}.py")
    address = "/" if lesson.is_home else f"/{claim.page}"
    st.caption(
        f"{KINDS[claim.kind]}. See it on [{lesson.title}]({address}{claim.link}): {claim.where}"
    )
