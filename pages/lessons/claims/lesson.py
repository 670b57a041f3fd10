"""The page of claims below its title: run one, run all, read what was found, keep the report."""

from collections.abc import Callable
from functools import partial
from itertools import groupby
from pathlib import Path

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from model.claims.context import THOROUGH
from model.claims.errors import SLIP
from model.claims.experiments import EXPERIMENTS
from model.claims.records import ClaimsRun, Finding
from model.job import Job
from model.recorded import recorded_job
from pages.frame.claims import BY_ID, CLAIMS, EMPIRICAL, Claim
from pages.frame.code_that_ran import show_code
from pages.frame.contents import lesson_at
from pages.frame.course import show_summary
from pages.frame.job_panel import JobPanel, is_running, start_job
from pages.frame.layout import as_written
from pages.frame.lesson_state import lesson_state
from pages.frame.question import answered, was_answered
from pages.frame.second_run import draw_in_second_run
from pages.frame.words import _
from pages.lessons.claims.state import ClaimsLesson
from viz.claims.measured_bars import bars_picture
from viz.claims.report import (
    KINDS,
    Row,
    evidence_html,
    outcome_html,
    sentence,
    tally,
    to_html,
    to_json,
    verdict_html,
)
from viz.claims.squares import anchor_of, sentence_html, squares_html
from viz.format import THIN

STATE = "claims_lesson"
WHEN_TO_USE = Path(__file__).with_name("when_to_use.md").read_text(encoding="utf-8")  # C45
FILES = (("html", "text/html", to_html), ("json", "application/json", to_json))
N_LATEST = 3  # findings that are shown while more are being made
SLICE_SECONDS = 0.001  # one experiment, then a look at the button
RUN_WIDTH = 100  # px
LATEST_HEIGHT = 280  # px, of what is found while more is: nothing below it moves
SURPRISING = "Four more that surprise"
SURPRISES = [BY_ID[claim_id] for claim_id in ("C35", "C23", "C20", "C31", "C43")]
VERDICTS = ("holds", "holds partly", "does not hold")  # of which a reader says one first
SECTIONS = list(dict.fromkeys(claim.section for claim in CLAIMS))


def show_claims(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(STATE, waiting, lambda lm, _old: ClaimsLesson(lm))
    recorded = recorded_job("claims", ClaimsRun)
    rows = {row.claim: row for row in _rows(lesson, recorded)}
    first = SURPRISES[0]
    _show_first(lesson, first, rows[first.id])
    show_summary("pages/claims.py", asked=_key_of(first), numbers=_found(rows[first.id]))
    _show_next(lesson, first, rows[first.id])
    draw_in_second_run(lambda: _show_all(lesson, rows, recorded))


def _found(row: Row) -> dict[str, str]:
    """Returns what the sentence to remember says of the first claim."""
    holds = row.outcome.startswith("holds")
    return {"found": _("more mistakes") if holds else _("no more mistakes")}


def _show_all(lesson: ClaimsLesson, rows: dict[str, Row], recorded: Job[ClaimsRun] | None) -> None:
    first, *surprises = SURPRISES
    _show_more(lesson, first, rows[first.id], recorded)
    st.markdown(
        f"That is one of {len(CLAIMS)} sentences that are said of language models. Some are true "
        "by definition; the others can fail, so an experiment tests each. **Which of them do you "
        "doubt?** Press its sentence."
    )
    asked = {claim.id for claim in SURPRISES if _is_asked(lesson, claim, rows[claim.id])}
    if first.id in asked:  # the others' verdicts would say how such claims come out
        asked |= {claim.id for claim in EMPIRICAL}
    st.html(squares_html(list(rows.values()), asked))
    if recorded is not None and len(lesson.findings) < len(EMPIRICAL):
        _tell_of_recording(lesson, recorded)
    _show_job(lesson)
    chosen = st.pills("Show", [SURPRISING, *SECTIONS], key="claims_shown", default=None)
    if chosen in (None, SURPRISING):
        st.header(SURPRISING, anchor=False)
        for claim in surprises:
            _row(lesson, claim, rows[claim.id], recorded)
    if chosen != SURPRISING:
        for section, claims in groupby(CLAIMS, key=lambda claim: claim.section):
            shown = SURPRISES if chosen is None else [first]
            rest = [one for one in claims if one not in shown]
            if chosen in (None, section):
                st.header(section, anchor=False)
                for claim in rest:
                    _row(lesson, claim, rows[claim.id], recorded)
    st.header("When to use the loop, and when not", anchor=False)
    st.markdown(WHEN_TO_USE)


def _rows(lesson: ClaimsLesson, recorded: Job[ClaimsRun] | None) -> list[Row]:
    """Returns every claim with what was found here, or with the recording where nothing was."""
    here = lesson.rows()
    elsewhere = here if recorded is None else lesson.rows(recorded.result)
    pairs = zip(here, elsewhere, strict=True)
    return [one if one.outcome != "not run" else other for one, other in pairs]


def _show_job(lesson: ClaimsLesson) -> None:
    JobPanel(
        lesson.jobs,
        "claims",
        "Run all",
        lambda: Job(lesson.measure(EMPIRICAL)),
        lambda _job: _latest(lesson),
        controls=lambda is_running: _controls(lesson, is_running=is_running),
        idle=lambda: _latest(lesson),
        icon=":material/play_arrow:",
        seconds=SLICE_SECONDS,
    ).show()


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
    where = as_written(f"On {lesson.lm.shown}, {lesson.lm.where}.")
    st.caption(f"{tally(lesson.rows())}. {where}")


def _latest(lesson: ClaimsLesson) -> None:
    """Draws the newest findings, and the report as files where no more are made."""
    is_on = is_running(lesson.jobs, "claims")
    if not is_on and not lesson.findings:
        return
    with st.container(height=LATEST_HEIGHT, key="claims_latest"):
        if not is_on:
            _downloads(lesson)
        for claim_id in list(lesson.findings)[-N_LATEST:]:
            st.markdown(f"**{claim_id}**")
            _verdict(lesson, claim_id)


def _downloads(lesson: ClaimsLesson) -> None:
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


def _is_asked(lesson: ClaimsLesson, claim: Claim, row: Row) -> bool:
    """Tells whether the reader is still to say what comes of a claim that surprises."""
    is_recorded = row.finding is not None and claim.id not in lesson.findings
    return claim in SURPRISES and is_recorded and not was_answered(_key_of(claim))


def _ask(claim: Claim, right: str) -> bool:
    question = "Does it hold?"
    about = f"“{claim.sentence}” {question}"
    return answered(question, VERDICTS, right, _key_of(claim), about)


def _key_of(claim: Claim) -> str:
    return f"claim_{claim.id}_said"


def _tell_of_recording(lesson: ClaimsLesson, job: Job[ClaimsRun]) -> None:
    machine = job.recorded_on
    assert machine is not None
    st.caption(
        f"Recorded {machine.date[:10]}, until a claim is run here: {machine.model} on "
        f"{machine.where}. {tally(lesson.rows(job.result)).replace(' here', '')}."
    )


def _show_first(lesson: ClaimsLesson, claim: Claim, row: Row) -> None:
    """Shows one claim large: what a reader says of it, and then what was measured and found."""
    with st.container(key=f"claim_{claim.id}"):
        st.html(sentence_html(row, "text"))
        right = row.outcome.replace(" here", "")
        if row.finding is not None:
            is_said = _ask(claim, right)
            if row.finding.evidence:
                st.html(_mistakes_picture(row.finding, is_covered=not is_said))
            if is_said and claim.id in lesson.findings:  # of the recording the question says it
                st.html(outcome_html(row.finding))


def _show_next(lesson: ClaimsLesson, claim: Claim, row: Row) -> None:
    """Leads on from the first claim, below what is to be remembered of it."""
    with st.container(key="claims_first_next"):  # its room is kept
        if not _is_asked(lesson, claim, row):
            _link_to_next(claim)


def _link_to_next(claim: Claim) -> None:
    """Leads from one claim that surprises to the next one, which asks as well."""
    after = SURPRISES[SURPRISES.index(claim) + 1 :]
    if after:
        link = f"#{anchor_of(after[0].id)}"
        st.markdown(f"[Next claim: “{after[0].sentence}”]({link})")


def _mistakes_picture(finding: Finding, *, is_covered: bool) -> Markup:
    """Draws how many unlikely tokens come without a mistake and after one, and the claim's line."""
    alone, after = (round(100 * _number(finding, name)) for name in ("original", "forced"))
    more = asked_for(finding) / _number(finding, "original")
    return bars_picture(
        f"Unlikely tokens (below {_whole_percent(SLIP)}) in 100 texts",
        [("as the model writes by itself", alone), ("after one wrong word", after)],
        (f"{_whole_percent(more)} more", alone * (1 + more)),
        "The claim holds if the last bar passes the line.",
        is_covered=is_covered,
    )


def _whole_percent(share: float) -> str:
    return f"{round(100 * share)}{THIN}%"


def _number(finding: Finding, name: str) -> float:
    return float(finding.quantities[name].value)


def asked_for(finding: Finding) -> float:
    """Returns what the first part of a finding's evidence has to be above."""
    bar = finding.evidence[0].bar
    assert bar is not None
    return bar


def _show_more(
    lesson: ClaimsLesson, claim: Claim, row: Row, recorded: Job[ClaimsRun] | None
) -> None:
    """Lets the reader run the first claim and read all of it, once something was said."""
    with st.container(key="claims_first_found"):
        if _is_asked(lesson, claim, row):
            return
        _run_button(lesson, claim, "Run it here", None)
        _details(lesson, claim, row, recorded)


def _run_button(lesson: ClaimsLesson, claim: Claim, label: str, width: int | None) -> None:
    st.button(
        label,
        key=f"run_{claim.id}",
        on_click=start_job,
        args=(lesson.jobs, "claims", lambda: Job(lesson.measure([claim]))),
        disabled=is_running(lesson.jobs, "claims"),
        help=f"Run the experiment of {claim.id} here and now.",
        width="content" if width is None else width,
    )


def _row(lesson: ClaimsLesson, claim: Claim, row: Row, recorded: Job[ClaimsRun] | None) -> None:
    """Shows a claim: its sentence, its verdict, and all else in a fold."""
    is_here = claim.id in lesson.findings
    with st.container(horizontal=True, vertical_alignment="top", key=f"claim_{claim.id}"):
        if claim.kind == "definition":
            st.markdown(claim.id, width=RUN_WIDTH)
        else:
            _run_button(lesson, claim, f"Run {claim.id}", RUN_WIDTH)
        with st.container(gap=None, width="stretch"):
            st.html(sentence_html(row))
            if claim in SURPRISES and row.finding is not None and not is_here:
                right = row.outcome.replace(" here", "")
                if not _ask(claim, right):
                    return
            if row.finding is not None:
                st.html(outcome_html(row.finding, recorded=not is_here))
            if claim in SURPRISES:
                _link_to_next(claim)
            _details(lesson, claim, row, recorded)


def _details(lesson: ClaimsLesson, claim: Claim, row: Row, recorded: Job[ClaimsRun] | None) -> None:
    """Shows what was measured, what is known of large models, and where to see it, when asked."""
    drawer = st.expander(
        "Details", key=f"claim_{claim.id}_details", type="compact", on_change="rerun"
    )
    if not drawer.open:
        return
    with drawer:
        if row.finding is not None:
            machine = recorded.recorded_on if recorded is not None else None
            where = ""
            if machine is not None and claim.id not in lesson.findings:
                where = f" on {machine.where}, {machine.date[:10]}"
            st.markdown(as_written(sentence(row.finding)))
            st.html(evidence_html(row.finding, row.seconds, where))
        if claim.small:
            st.caption(f"**This small model:** {claim.small} **Large models:** {claim.large}")
        _link(claim)
        if claim.id in lesson.findings:
            show_code(EXPERIMENTS[claim.id], key=f"claim_{claim.id}_code")


def _verdict(lesson: ClaimsLesson, claim_id: str) -> None:
    st.html(verdict_html(lesson.findings[claim_id], lesson.seconds[claim_id]))


def _link(claim: Claim) -> None:
    lesson = lesson_at(f"pages/{claim.page}.py")
    address = "/" if lesson.is_home else f"/{claim.page}"
    st.caption(
        f"{KINDS[claim.kind]}. See it on [{lesson.title}]({address}{claim.link}): {claim.where}"
    )
