"""The fourth part: many sequences at once, and what their padding must not do."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from model.batch import Batch
from model.fast.block_cache import BlockLayer
from model.pass_by_pass import PassByPass
from model.passes import forward
from model.prefill_decode.batching import BatchExperiment
from model.prefill_decode.padding import MOST_WAYS, padding_passes
from model.prefill_decode.records import Padding
from model.tokenizing import encode
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.lessons.prefill_decode.run import show_run
from pages.lessons.prefill_decode.state import PartRun, PhaseLesson
from viz.palette import Theme
from viz.prefill_decode.batch_chart import (
    batch_table,
    padding_table,
    throughput_figure,
    wait_figure,
)
from viz.strip import chip, element

PROMPTS = "The cat sat on the\nOnce upon a time there was a little girl who had a\nHi"
MOST_PROMPTS, MOST_TOKENS = 8, 48


def show_batches(lesson: PhaseLesson) -> None:
    """Offer the batches, then the padding."""
    st.header("Many sequences share one reading of the weights", anchor=False)
    st.markdown(
        "**A step that reads all weights for one token can serve 64 sequences with the same "
        "reading.** Tokens per second rise until arithmetic binds; each reader waits a little "
        "longer for a token."
    )
    show_run(lesson, "batches", lambda: BatchExperiment(lesson.lm), _draw, word="Measure")
    show_code(Batch.read, forward, BlockLayer.update, key="phase_code_4")
    st.subheader("Prompts of different lengths", anchor=False)
    st.markdown(
        "**A batch is a rectangle: short prompts are filled up on the left, and the model is told "
        "which columns are padding.** Forget that, and other logits come out."
    )
    st.text_area(
        "Prompts, one a line",
        PROMPTS,
        key="phase_padding",
        height=110,
        max_chars=2000,
        persist_state="session",
    )
    show_run(
        lesson,
        "padding",
        lambda: _together(lesson),
        lambda run: _draw_padding(lesson, run),
        word="Run together",
    )
    show_code(padding_passes, key="phase_code_5")


def _draw(run: PartRun) -> None:
    experiment = run.work
    if run.is_running or not isinstance(experiment, BatchExperiment):
        return
    result, theme = experiment.result, theme_now()
    if result.refused:
        st.info(result.refused)
    left, right = st.columns(2, gap="large")
    with left:
        show_chart(throughput_figure(result, theme), "phase_throughput")
    with right:
        show_chart(wait_figure(result, theme), "phase_waits")
    if result.points:
        with st.expander("Every batch in numbers", key="phase_batch_numbers"):
            st.dataframe(batch_table(result), hide_index=True, key="phase_batch_table")
            st.caption(
                "Measured: medians, with the quickest and the slowest step. MBU: weights and "
                "caches, each read once, ÷ seconds ÷ the copy bandwidth of the same run."
            )


def _draw_padding(lesson: PhaseLesson, run: PartRun) -> None:
    padding = lesson.padding
    if run.is_running or padding is None:
        return
    st.dataframe(padding_table(padding), hide_index=True, key="phase_padding_table")
    st.html(padding_grid(padding, theme_now()))
    st.caption(
        "Measured: one pass over the rectangle against each prompt alone; the largest logit is "
        f"{padding.scale:.1f}. Hatched cells are padding. A model that turns its keys by their "
        "position sees only distances, so positions that count padding do it no harm; one "
        "that learnt a vector for each position, as GPT-2 did, needs them right."
    )


def _together(lesson: PhaseLesson) -> PassByPass[Padding]:
    """Make the prompts ready to be run, alone and together."""
    lines = [line for line in st.session_state["phase_padding"].splitlines() if line.strip()]
    if len(lines) > MOST_PROMPTS:
        raise ValueError(f"There is room for {MOST_PROMPTS} prompts here, not {len(lines)}.")
    prompts = [encode(lesson.lm, line) for line in lines]
    longest = max(map(len, prompts), default=0)
    if longest > MOST_TOKENS:
        raise ValueError(
            f"A prompt has {longest} tokens and the picture room for {MOST_TOKENS}: shorten it."
        )
    return PassByPass(padding_passes(lesson.lm, prompts), len(prompts) + MOST_WAYS)


def padding_grid(padding: Padding, theme: Theme) -> Markup:
    """Write the rectangle: one row a prompt, padding hatched."""
    cells = []
    for line, labels in enumerate(padding.labels, start=1):
        n_pads = padding.n_columns - len(labels)
        for column in range(padding.n_columns):
            style = f"grid-row:{line};grid-column:{column + 1};white-space:pre"
            if column < n_pads:
                box = chip("\u00a0", "rejected", theme, "marked", style=style, title="padding")
            else:
                box = chip(labels[column - n_pads], "prompt", theme, style=style)
            cells.append(box)
    grid = "display:inline-grid;gap:4px;grid-auto-columns:max-content"
    return element("div", element("div", *cells, style=grid), style="overflow-x:auto")
