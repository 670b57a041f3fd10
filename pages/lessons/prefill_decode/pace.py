"""The first part: two requests on one clock; then the table of both phases, every gap."""

from collections.abc import Callable
from contextlib import nullcontext
from functools import partial

import streamlit as st

from model.fast.engines import engine_names
from model.job import Job
from model.passes import decode_one_token, prefill
from model.prefill_decode.experiments import measure_phases, stream
from model.prefill_decode.recordings import Recording
from model.prefill_decode.records import PhaseRun, RequestTiming
from pages.frame.figures import (
    draw_when_opened,
    recorded_on,
    show_caption,
    show_chart,
    show_folded,
    show_table,
)
from pages.frame.question import answered, opening, was_answered
from pages.frame.race import Lane, show_race
from pages.lessons.prefill_decode.recorded import (
    BesideRecording,
    chosen_recording,
    recording_beside,
    say_recorded,
)
from pages.lessons.prefill_decode.settings import SETTINGS
from pages.lessons.prefill_decode.state import PhaseLesson
from viz.format import count, digits, duration, plural
from viz.prefill_decode.latency_charts import (
    gaps_figure,
    launch_words,
    phase_ratio,
    phase_rows,
    trial_rows,
)
from viz.prefill_decode.phase_charts import pace_figure, swap_figure, swap_words, typical

NUMBERS = "Both phases in numbers"
TIMES = {  # what the second request may take of the first, and up to how many times that is
    "as long": 1.3,
    "twice": 3.5,
    "5 times": 8.0,
    "over 8 times": float("inf"),
}


def show_clocks(lesson: PhaseLesson) -> Callable[[], None]:
    """Asks which request takes longer, beside both clocks at zero; then lets them run.

    Returns:
        What says where the times are from, for a place further down.
    """
    opening("Two requests have as many tokens in all: one reads much, the other writes much.")
    recording = recording_beside(is_measured=lesson.phases is not None)
    run = lesson.phases or (recording.phases if recording else None)
    if run is None or not run.has_both_phases:
        return lambda: None
    much_in, much_out = swapped = _swapped(run)
    times = much_out.seconds / much_in.seconds
    right = next(words for words, most in TIMES.items() if times <= most)
    question = (
        f"{count(much_in.n_in)} tokens in and {count(much_in.n_out)} out, or "
        f"{count(much_out.n_in)} in and {count(much_out.n_out)} out: how long does the second take?"
    )
    is_said = answered(question, tuple(TIMES), right, "phase_said", run="phase")
    lanes = [
        Lane(
            f"{count(one.n_in)} in, {count(one.n_out)} out",
            ((one.first_seconds, "prompt"), (one.seconds, "generated")),
            one.arrivals,
        )
        for one in swapped
    ]
    show_race(lanes, "phase", waits=not is_said)
    with st.container(gap="xsmall"):
        # what the stripes mean is the answer: it has its room, and is not seen before
        with st.container(key="phase_key" if is_said else "phase_key_to_find"):
            st.markdown(
                "Solid: reading, all in one pass, the *prefill*. Striped: writing, one pass for "
                "each token, the *decode*."
            )
        with st.container(key="phase_times" if is_said else "phase_to_find"):
            st.markdown(
                f"As many tokens, **{digits(times, 2) if is_said else '…'} times as long**."
            )
    words = f"Measured on {run.machine.where}. {swap_words(swapped)}"
    on = recorded_on(run.machine) if run is not lesson.phases else nullcontext()

    def say_where() -> None:
        # a place that is always there: what stands below it is not drawn anew with the answer
        with st.container(), on:
            if was_answered("phase_said"):
                with st.container(key="phase_at_end_where"):
                    show_caption(words)

    return say_where


class BothPhases(BesideRecording):
    """Prompts of many lengths, and two requests that swap what goes in and what comes out."""

    key, button, part = "phase_phases", "Start", "phases"
    is_button_below = True
    title = "Both phases on this machine"
    code = (measure_phases, stream, prefill, decode_one_token)

    def _fields(self, is_running: bool) -> None:
        engines = engine_names(self.lesson.lm)
        if SETTINGS["engine"] not in engines:
            SETTINGS.put(engine=engines[-1])
        if len(engines) > 1:
            with st.popover("Decode by"):
                SETTINGS.widget("engine", options=engines, disabled=is_running)

    def _start(self) -> Job[PhaseRun]:
        return self.lesson.start(measure_phases(self.lesson.lm, SETTINGS["engine"]))

    def _draw(self, job: Job[PhaseRun]) -> None:
        run = job.result
        if job.is_running:
            _show_so_far(run)
            return
        self._show(run)
        _warmup(run)

    def _draw_run(self, run: PhaseRun) -> None:
        """Draws all that was measured, in a fold: the clocks above say what counts."""
        if was_answered("phase_said"):
            draw_when_opened(NUMBERS, partial(_show_numbers, run), key="phase_numbers")

    def _draw_recording(self, recording: Recording) -> None:
        """Draws a recording in a fold of its own, with what it ran on."""
        if was_answered("phase_said"):
            draw_when_opened(NUMBERS, partial(_show_recorded, recording), key="phase_numbers")


def _show_recorded(recording: Recording) -> None:
    say_recorded(recording)
    _show_numbers(recording.phases)


def _show_numbers(run: PhaseRun) -> None:
    """Draws the table of both phases, the seconds against tokens, and every gap."""
    where, recording = run.machine.where, chosen_recording()
    behind = recording.phases if recording and recording.phases is not run else None
    if run.has_both_phases:
        st.markdown(
            f"A token that is written takes {digits(phase_ratio(run), 2)} times as long as one "
            "that is read."
        )
        rows = [("of a pass", "prefill", "decode"), ("---",) * 3, *phase_rows(run)]
        st.markdown("\n".join(f"| {' | '.join(row)} |" for row in rows))
    left, right = st.columns(2, gap="medium")
    with left:
        show_chart(pace_figure(run, behind), "phase_pace")
    with right:
        if run.has_both_phases:
            show_chart(gaps_figure(typical(run.long_out), where), "phase_gaps")
    if run.trials:
        _trials(run)
        show_caption(
            f"A token by {run.engine} takes as long late in a text as early: its kernels are "
            "fixed when they are captured, so attention goes over the whole cache each time, "
            "and a mask hides the positions that are still empty."
        )


def _swapped(run: PhaseRun) -> list[RequestTiming]:
    return [typical(requests) for requests in (run.long_in, run.long_out) if requests]


def _show_so_far(run: PhaseRun) -> None:
    """Shows one light figure: whatever the browser paints is time that the passes lack."""
    if run.long_in:
        chart = swap_figure(_swapped(run), run.machine.where)
        show_chart(chart, "phase_swap_live")
    elif run.readings:
        show_chart(pace_figure(run), "phase_pace_live")


def _trials(run: PhaseRun) -> None:
    if words := launch_words(run):
        st.markdown(f"**{words}**")
    show_table(trial_rows(run), "phase_trials")
    show_caption(
        "Measured: the same step with each kernel launched by itself, captured as one graph, and "
        "compiled. The difference between the first two is the cost of launching. The gap is the "
        "largest difference from the model’s own logits; a way with more than rounding is refused."
    )


def _warmup(run: PhaseRun) -> None:
    if not run.warmup:
        return
    machine = run.machine
    rounds = max(len(run.long_in), len(run.long_out))
    versions = ", ".join(f"{name} {version}" for name, version in machine.versions.items())
    show_folded(
        f"Measured on {machine.where}, {versions}; the device synchronised, medians with the "
        f"quickest and the slowest run; {plural(rounds, 'round')} of the two requests. Warmed up "
        f"first: the first pass took {duration(run.warmup[0])}, the same one later "
        f"{duration(run.warmup[-2 if len(run.warmup) > 1 else -1])}. The time of a written "
        "token runs until its id is known: the pass, the logits’ way to the host and the choice, "
        "here the best that ends nothing. The time of a prompt is that of its pass alone.",
        "phase_conditions",
    )
