"""The page of claims below its title: run one, run all, read what was found, keep the report."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from itertools import groupby

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from pages.frame.code_that_ran import show_code
from pages.frame.contents import lesson_at
from pages.frame.lesson_state import kept_lesson
from pages.frame.running import in_slices, start_or_stop
from pages.lessons.claims.catalogue import CLAIMS, Claim
from pages.lessons.claims.state import ClaimRun
from pages.lessons.claims.when_to_use import show_when
from viz.claims.report import MARKS, Row, sentence, tally, to_html, to_json
from viz.format import count, duration

STATE = "claims_run"
FILES = (("html", "text/html", to_html), ("json", "application/json", to_json))
LATEST = 3  # findings that are shown while more are being made


def show_claims(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    run = kept_lesson(STATE, waiting, _begin)
    waiting.empty()
    st.markdown(
        f"**{count(len(CLAIMS))} things that are said of generation, each with an experiment that "
        "runs here and now.** A verdict follows from what was measured on this device, and from "
        "nothing else."
    )
    in_slices(lambda: run, lambda: _panel(run), seconds=0.0)  # one experiment, then a look
    for section, claims in groupby(CLAIMS, key=lambda claim: claim.section):
        st.header(section, anchor=False)
        for claim in claims:
            _row(run, claim)
    show_when()
    show_code(*(claim.run for claim in CLAIMS[:3]), ClaimRun.advance, key="claims_code")


def _begin(lm: LanguageModel, _old: ClaimRun | None) -> ClaimRun:
    return ClaimRun(lm)


# What runs, and what came of it


def _panel(run: ClaimRun) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="claims_buttons"):
        start_or_stop(
            is_running=run.is_running,
            title="Run all",
            key="claims",
            start=lambda: run.ask(CLAIMS),
            stop=run.stop,
            icon=":material/play_arrow:",
            start_key="claims_run_all",
        )
        if run.findings and not run.is_running:
            _downloads(run)
        st.caption(f"{tally(run.rows())}. {_place(run)}")
    if run.is_running:
        st.progress(run.done, f"Measuring {run.waiting[0].id}: {run.waiting[0].says}")
        for claim_id in list(run.findings)[-LATEST:]:
            st.markdown(f"**{claim_id}** {_finding_words(run, claim_id)}")


def _place(run: ClaimRun) -> str:
    facts = run.facts()
    return f"On {facts['model']}, {facts['device']}, {facts['dtype']}."


def _downloads(run: ClaimRun) -> None:
    for kind, mime, write in FILES:
        st.download_button(
            f"Report, {kind.upper()}",
            data=partial(_file, run, write),
            file_name=f"claims.{kind}",
            mime=mime,
            key=f"claims_save_{kind}",
            on_click="ignore",
        )


def _file(run: ClaimRun, write: Callable[[list[Row], dict[str, str]], str]) -> bytes:
    return write(run.rows(), run.facts()).encode("utf-8")


# The table


def _row(run: ClaimRun, claim: Claim) -> None:
    with st.container(horizontal=True, vertical_alignment="top", key=f"claim_{claim.id}"):
        st.button(
            "Run",
            key=f"run_{claim.id}",
            on_click=run.ask,
            args=([claim],),
            disabled=run.is_running,
            help=f"Runs the smallest experiment for {claim.id} here and now.",
        )
        with st.container(gap=None, width="stretch"):
            st.markdown(f"**{claim.id}** {claim.says}")
            if claim.id in run.findings:
                st.markdown(_finding_words(run, claim.id))
            _link(claim)


def _finding_words(run: ClaimRun, claim_id: str) -> str:
    finding = run.findings[claim_id]
    took = duration(run.seconds[claim_id])
    return (
        f"{MARKS[finding.verdict]} **{finding.verdict}** · {_plain(sentence(finding))} "
        f":gray[measured in {took}]"
    )


def _plain(text: str) -> str:
    """Take from a text what Markdown would read as more than words."""
    return "".join(f"\\{char}" if char in r"\`*_{}[]<>#$|~" else char for char in text)


def _link(claim: Claim) -> None:
    lesson = lesson_at(claim.page)
    address = "/" if lesson.is_home else f"/{lesson.path.rpartition('/')[2].removesuffix('.py')}"
    query = f"?{claim.query}" if claim.query else ""
    st.caption(f"See it on [{lesson.title}]({address}{query}): {claim.where}")
