"""The first part: prefill against decode, the table of both phases, every gap."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from model.fast.engines import engine_names
from model.job import Job
from model.passes import decode_one_token, prefill
from model.prefill_decode.experiments import measure_phases, stream
from model.prefill_decode.records import PhaseRun, Request
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.prefill_decode.recorded import chosen_recording
from pages.lessons.prefill_decode.settings import SETTINGS
from pages.lessons.prefill_decode.state import PhaseLesson
from viz.format import digits, duration, plural
from viz.palette import Theme, colour
from viz.prefill_decode.latency_charts import (
    gaps_figure,
    launch_words,
    phase_ratio,
    phase_rows,
    trial_rows,
)
from viz.prefill_decode.phase_charts import pace_figure, swap_figure, typical
from viz.strip import element

CELL = "text-align:left;padding:.4rem .6rem"


def show_pace(lesson: PhaseLesson) -> None:
    """Offer the run of both phases, and show what it found."""
    st.markdown(
        "**A model reads a thousand tokens in one pass and writes a thousand in a thousand "
        "passes.** The first is called prefill, the second decode. Press Start: prompts of many "
        "lengths are read, then two requests swap what goes in and what comes out."
    )
    engines = engine_names(lesson.lm)

    if SETTINGS["engine"] not in engines:
        SETTINGS.put(engine=engines[-1])

    def controls(is_disabled: bool) -> None:
        if len(engines) > 1:
            SETTINGS.widget("engine", options=engines, disabled=is_disabled, width=290)

    def start() -> Job[PhaseRun]:
        return lesson.start(measure_phases(lesson.lm, SETTINGS["engine"]))

    show_job(
        lesson.jobs,
        "phase_phases",
        "Start",
        start,
        _show,
        controls=controls,
        icon=":material/timer:",
    )
    show_code(measure_phases, stream, prefill, decode_one_token, key="phase_code_1")


def _show(job: Job[PhaseRun]) -> None:
    run, theme = job.found, theme_now()
    if run is None:
        return
    swap = [typical(requests) for requests in (run.long_in, run.long_out) if requests]
    if job.is_running:
        _show_so_far(run, swap, theme)
        return
    if run.has_both_phases:
        _headline(run)
        left, right = st.columns([5, 4], gap="large")
        with left:
            st.html(phase_table(run, theme))
        with right:
            show_chart(swap_figure(swap, run.machine.where, theme), "phase_swap")
    recorded = chosen_recording()
    left, right = st.columns(2, gap="large")
    with left:
        show_chart(pace_figure(run, theme, recorded.phases if recorded else None), "phase_pace")
    with right:
        if run.long_out and run.long_out[0].gaps:
            chart = gaps_figure(typical(run.long_out), run.machine.where, theme)
            show_chart(chart, "phase_gaps")
    _warmup(run)
    if run.trials:
        _trials(run)


def _show_so_far(run: PhaseRun, swap: list[Request], theme: Theme) -> None:
    """Show one light figure: whatever the browser paints is time that the passes lack."""
    if swap:
        show_chart(swap_figure(swap, run.machine.where, theme), "phase_swap_live")
    elif run.readings:
        show_chart(pace_figure(run, theme), "phase_pace_live")


def _trials(run: PhaseRun) -> None:
    if launch_words(run):
        st.markdown(f"#### {launch_words(run)}")
    st.dataframe(trial_rows(run), hide_index=True, key="phase_trials")
    st.caption(
        "Measured: the same step with each kernel launched by itself, captured as one graph, and "
        "compiled. The difference between the first two is the cost of launching. The gap is the "
        "largest difference from the model’s own logits; a way with more than rounding is refused."
    )


def _headline(result: PhaseRun) -> None:
    st.markdown(
        f"#### A token that is written takes {digits(phase_ratio(result), 2)} times as long as one "
        "that is read."
    )


def phase_table(result: PhaseRun, theme: Theme) -> Markup:
    """Write the table of the two phases, large enough for the back row."""
    heads = (
        element("th", name, style=f"{CELL};background:{colour(tint, theme)};{edge}")
        for name, tint, edge in (
            ("prefill", "prompt-tint", f"border-bottom:3px solid {colour('prompt', theme)}"),
            ("decode", "generated-tint", f"border-bottom:3px dashed {colour('generated', theme)}"),
        )
    )
    line = f"{CELL};border-bottom:1px solid {colour('line', theme)}"
    rows = (
        element(
            "tr",
            element("td", what, style=f"{line};color:{colour('muted', theme)}"),
            element("td", prefill, style=line),
            element("td", decode, style=line),
        )
        for what, prefill, decode in phase_rows(result)
    )
    table = element(
        "table",
        element("tr", element("td"), *heads),
        *rows,
        style="border-collapse:collapse;font-size:1rem;width:100%",
    )
    return element("div", table, style="overflow-x:auto")


def _warmup(result: PhaseRun) -> None:
    if not result.warmup:
        return
    machine = result.machine
    rounds = max(len(result.long_in), len(result.long_out))
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    st.caption(
        f"Measured on {machine.where}, {versions}; the device synchronised, medians with the "
        f"quickest and the slowest run; {plural(rounds, 'round')} of the two requests. Warmed up "
        f"first: the first pass took {duration(result.warmup[0])}, the same one later "
        f"{duration(result.warmup[-2 if len(result.warmup) > 1 else -1])}. The time of a written "
        "token runs until its id is known: the pass, the logits’ way to the host and the choice, "
        "here the best that ends nothing. The time of a prompt is that of its pass alone."
    )
