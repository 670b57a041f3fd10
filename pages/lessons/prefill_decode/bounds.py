"""What bounds a pass: the roofline of this device, many sequences at once, and their padding."""

import math
from functools import partial

import streamlit as st
from markupsafe import Markup

from model.batch import Batch
from model.job import Job
from model.kv_cache.block_cache import BlockLayer
from model.loading import LanguageModel
from model.passes import forward
from model.prefill_decode.batching import measure_batches, point_of, weight_bytes_read
from model.prefill_decode.ceilings import measure_copy, measure_matmul, measure_read
from model.prefill_decode.padding import compare_padding
from model.prefill_decode.recordings import Recording
from model.prefill_decode.records import BatchRun, Padding, Roofline
from model.prefill_decode.roofline import measure_floors, measure_roofline
from model.tokenizing import encode_within
from pages.frame.claims import BY_ID
from pages.frame.code_that_ran import show_code
from pages.frame.course import show_summary
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import draw_when_opened, show_caption, show_chart, show_charts, show_table
from pages.frame.question import answered, lesson_asks, lesson_waits, opening, was_answered
from pages.frame.race import Lane, show_race
from pages.lessons.prefill_decode.recorded import BesideRecording, recording_beside
from pages.lessons.prefill_decode.settings import SETTINGS
from pages.lessons.prefill_decode.state import PhaseLesson
from viz.format import count
from viz.prefill_decode.batch_chart import (
    batch_table,
    padding_table,
    throughput_figure,
    wait_figure,
)
from viz.prefill_decode.roofline_chart import (
    caveats,
    floors_figure,
    roofline_figure,
    roofline_table,
    used_by_a_token,
    verdict,
)
from viz.prefill_decode.used_bars import used_bars, used_words
from viz.strip import chip, element

MAX_PROMPTS, MAX_TOKENS = 8, 48
QUESTION = "One token is written. How much of the device’s computing power does that use?"
USED = {"less than a tenth": 0.1, "about a third": 0.6, "nearly all": math.inf}  # and below what
USED_SAID = "roof_said"
N_SHARING, N_WATCHED = 16, 40  # texts in a batch, tokens of one of them


class _OfRoofline(BesideRecording):
    """What one job measures: the peak rates of this device, and both phases below them."""

    key, button, part = "phase_roofline", "Measure here", "roofline"

    def _start(self) -> Job[Roofline]:
        return self.lesson.start(measure_roofline(self.lesson.lm))


class RooflineOfThisDevice(_OfRoofline):
    """How much of the device each pass uses, and the button that measures it on this one."""

    is_button_below = True

    def _begin(self) -> None:
        """Asks how much of the device a token uses: the bars are filled once that is answered."""
        recording = recording_beside(is_measured=False)  # also of a run that was stopped early
        runs = (self.measured, recording.roofline if recording else None)
        shares = (used_by_a_token(run) for run in runs if run is not None)
        share = next((share for share in shares if share is not None), None)
        if share is not None:
            right = next(words for words, most in USED.items() if share < most)
            answered(QUESTION, tuple(USED), right, USED_SAID)

    def _show(self, measured: Roofline | None) -> None:
        super()._show(measured)
        show_summary("pages/roofline.py", asked=USED_SAID)

    def _draw_run(self, run: Roofline) -> None:
        st.html(used_bars(run, is_covered=not was_answered(USED_SAID)))
        show_caption(used_words(run))

    def _draw_recording(self, recording: Recording) -> None:
        """Draws a recording; what it ran on is said below, beside the passes in words."""
        self._draw_run(recording.roofline)


class PassesUnderTheRoof(_OfRoofline):
    """The roof with every pass below it; in words what binds each phase, its floors."""

    title = "The roofline: memory-bound or compute-bound"
    claim = (
        "The roof is the most that the device can do, and each point a pass of the model. Under "
        "the slope memory sets the limit, under the flat part arithmetic does; a pass far "
        "below the roof waits for something else." + BY_ID["C27"].box
    )
    code = (measure_copy, measure_read, measure_matmul, measure_floors, point_of, weight_bytes_read)

    def show(self) -> None:
        """Draws the section, which has no button of its own."""
        st.header(self.title, anchor=False)
        opening(self.claim)
        self._show(self.measured)
        show_code(*self.code, key=f"{self.key}_code")

    def _draw_run(self, run: Roofline) -> None:
        for sentence in run.left_out:
            st.info(sentence)
        is_covered = not was_answered(USED_SAID)
        show_chart(roofline_figure(run, is_covered=is_covered), "phase_roof")
        with st.container():  # its place is there before it is: nothing below it is drawn anew
            if not is_covered:
                st.markdown(verdict(run))
        if not run.points:
            return
        draw_when_opened("What each pass waits for", partial(_show_floors, run), "phase_waiting")
        draw_when_opened("Every pass in numbers", partial(_show_passes, run), "phase_passes")


def _show_floors(run: Roofline) -> None:
    show_chart(floors_figure(run), "phase_floors")
    if words := caveats(run):
        st.caption(words)


def _show_passes(run: Roofline) -> None:
    show_table(roofline_table(run), "phase_roof_table")
    st.caption(
        "MBU: bytes read ÷ seconds ÷ the copy bandwidth of the same run. MFU: FLOPs, attention "
        "causal, ÷ seconds ÷ its matrix rate. Of an input embedding that is not the head as well "
        "one row per token is counted, of experts those that can be active. The bars above take "
        "each pass by its quickest engine."
    )


class Batching(BesideRecording):
    """One reading of the weights for more and more sequences."""

    key, title = "phase_batches", "Batching"
    button, part = "Measure", "batches"
    claim = (
        "A step that reads all weights for one token can serve 64 sequences with the same "
        "reading. All of them together get more tokens a second, until arithmetic binds. **How "
        "much longer does each reader wait for a token?**"
    )
    code = (Batch.read, forward, BlockLayer.update)

    def _start(self) -> Job[BatchRun]:
        return self.lesson.start(measure_batches(self.lesson.lm))

    def _draw_run(self, run: BatchRun) -> None:
        """Draws throughput and waiting side by side, and every batch in numbers."""
        if run.refused:
            st.info(run.refused)
        if not run.points:
            return
        if lesson_asks():  # who waits how long
            show_race(waiting_lanes(run), "phase_shared", waits=lesson_waits())
            return
        throughput, waits = throughput_figure(run), wait_figure(run)
        show_charts([(throughput, "phase_throughput"), (waits, "phase_waits")])
        draw_when_opened("Every batch in numbers", partial(_show_batches, run), "phase_every_batch")


def waiting_lanes(run: BatchRun) -> list[Lane]:
    """Returns how one reader's text comes: alone, among N_SHARING, and among most."""
    least, *_, most = sorted(run.points, key=lambda one: one.n_batch)
    among = min(run.points, key=lambda one: abs(one.n_batch - N_SHARING))
    lanes = []
    for point in {one.n_batch: one for one in (least, among, most)}.values():
        step, n = point.seconds.median, point.n_batch
        arrivals = tuple(step * (i + 1) for i in range(N_WATCHED))
        name = "Alone" if n == 1 else f"One of {count(n)}"
        lanes.append(Lane(name, ((arrivals[-1], "generated"),), arrivals))
    return lanes


def _show_batches(run: BatchRun) -> None:
    show_table(batch_table(run), "phase_batch_table")
    st.caption(
        "Medians, with the quickest and the slowest step. MBU: weights and caches, each read once, "
        "÷ seconds ÷ the copy bandwidth of the same run."
    )


class PaddingOfPrompts(Experiment[PhaseLesson]):
    """Prompts of different lengths in one batch."""

    key, title, is_part = "phase_padding", "Padding", True
    button, icon = "Run together", TIMER
    recorded = Padding
    claim = (
        "A batch is a rectangle: short prompts are padded on the left, and the model is told "
        "which columns are padding. Without that, it returns other logits."
    )
    code = (compare_padding,)

    def _begin(self) -> None:
        SETTINGS.widget("padding_prompts", height=110)

    def _start(self) -> Job[Padding]:
        return self.lesson.start(compare_padding(self.lesson.lm, _prompts(self.lesson.lm)))

    def _draw(self, job: Job[Padding]) -> None:
        padding = job.result
        show_table(padding_table(padding), "phase_padding_table")
        st.html(padding_grid(padding))
        show_caption(
            "Measured: one pass over the rectangle against each prompt alone; the largest logit is "
            f"{padding.scale:.1f}. Hatched cells are padding. A model with rotary positions sees "
            "only distances, so positions that count padding do no harm. A model that learnt a "
            "vector for each position, as GPT-2 did, needs the right ones."
        )


def _prompts(lm: LanguageModel) -> list[list[int]]:
    """Returns the prompts that were typed, as far as the grid has room for them."""
    lines = [line for line in SETTINGS["padding_prompts"].splitlines() if line.strip()]
    if len(lines) > MAX_PROMPTS:
        raise ValueError(f"There is room for {MAX_PROMPTS} prompts, not for {len(lines)}.")
    return [encode_within(lm, line, MAX_TOKENS) for line in lines]


def padding_grid(padding: Padding) -> Markup:
    """Writes the rectangle: one row a prompt, padding hatched."""
    cells = []
    for line, labels in enumerate(padding.labels, start=1):
        n_pads = padding.n_columns - len(labels)
        for column in range(padding.n_columns):
            style = f"grid-row:{line};grid-column:{column + 1};white-space:pre"
            if column < n_pads:
                box = chip("\u00a0", "rejected", "marked", style=style, title="padding")
            else:
                box = chip(labels[column - n_pads], "prompt", style=style)
            cells.append(box)
    grid = "display:inline-grid;gap:4px;grid-auto-columns:max-content"
    return element("div", element("div", *cells, style=grid), style="overflow-x:auto")
