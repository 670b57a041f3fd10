"""The first part: reading against writing, the table of the two phases, every gap."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from model.fast.engines import engine_names
from model.passes import decode_one_token, prefill
from model.prefill_decode.experiments import PhaseExperiment, Writing
from model.prefill_decode.records import PhaseRun, Request
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.lessons.prefill_decode.recorded import chosen_recording
from pages.lessons.prefill_decode.run import show_run
from pages.lessons.prefill_decode.state import PartRun, PhaseLesson
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

    def controls(is_disabled: bool) -> None:
        if len(engines) > 1:
            st.selectbox(
                "Decode by",
                engines,
                index=len(engines) - 1,
                key="phase_engine",
                disabled=is_disabled,
                width=290,
            )

    def make() -> PhaseExperiment:
        name = st.session_state.get("phase_engine", engines[-1])
        return PhaseExperiment(lesson.lm, name if name in engines else engines[-1])

    show_run(lesson, "phases", make, lambda run: _draw(lesson, run), controls)
    show_code(
        PhaseExperiment._passes, Writing.advance, prefill, decode_one_token, key="phase_code_1"
    )


def _draw(lesson: PhaseLesson, run: PartRun) -> None:
    experiment = run.work
    if not isinstance(experiment, PhaseExperiment):
        return
    result, theme = experiment.result, theme_now()
    swap = [typical(done) for done in (result.long_in, result.long_out) if done]
    if run.is_running:
        _draw_live(experiment, result, swap, theme)
        return
    if lesson.phases is not None:
        _headline(result)
        left, right = st.columns([5, 4], gap="large")
        with left:
            st.html(phase_table(result, theme))
        with right:
            show_chart(swap_figure(swap, result.machine.where, theme), "phase_swap")
    left, right = st.columns(2, gap="large")
    with right:
        if result.long_out and result.long_out[0].gaps:
            chart = gaps_figure(typical(result.long_out), result.machine.where, theme)
            show_chart(chart, "phase_gaps")
    _warmup(result)
    if result.trials:
        if launch_words(result):
            st.markdown(f"#### {launch_words(result)}")
        st.dataframe(trial_rows(result), hide_index=True, key="phase_trials")
        st.caption(
            "Measured: the same step, each kernel launched by itself, captured as one graph, and "
            "compiled. What the first loses to the second is what its launches cost. The gap is "
            "to the model’s own pass; a way with other logits than rounding allows is not taken."
        )
    recorded = chosen_recording()
    with left:
        show_chart(pace_figure(result, theme, recorded.phases if recorded else None), "phase_pace")


def _draw_live(
    experiment: PhaseExperiment, result: PhaseRun, swap: list[Request], theme: Theme
) -> None:
    """Show one light figure: whatever the browser paints is time that the passes lack."""
    if experiment.writing is not None and experiment.writing.waits and len(swap) < 2:
        swap = [*swap[:1], experiment.writing.request] if swap else [experiment.writing.request]
    if swap:
        show_chart(swap_figure(swap, result.machine.where, theme), "phase_swap_live")
    elif result.readings:
        show_chart(pace_figure(result, theme), "phase_pace_live")


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
