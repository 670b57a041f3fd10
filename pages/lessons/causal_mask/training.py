"""What a model learns without the mask: two copies trained here and now, one of them without it."""

from __future__ import annotations

import streamlit as st

from model.causal_mask.mask_training import N_ROWS, N_STEPS, ROW_TOKENS, MaskTraining, mean_loss
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, show_metrics, theme_now
from pages.frame.running import in_slices, start_or_stop
from pages.lessons.causal_mask.state import MaskLesson, TrainingRun
from viz.causal_mask.training_chart import training_figure
from viz.format import count, nats, plural

SLICE_SECONDS = 0.5  # of training between two looks at the buttons


def show_training(lesson: MaskLesson) -> None:
    """Offer the training, and show it while it runs and when it is over."""
    st.header("Trained without the mask, a model learns to cheat", anchor=False)
    st.markdown(
        f"**An exam with the answers printed beside the questions teaches nothing.** Two copies of "
        f"the model take {N_STEPS} steps of training on short stories, one with the mask, one "
        "without; both are tried on the text above, which neither is trained on."
    )
    in_slices(lambda: lesson.trained, lambda: _training(lesson), SLICE_SECONDS)
    show_code(MaskTraining.advance, mean_loss, key="mask_code_5")


def _training(lesson: MaskLesson) -> None:
    _button(lesson)
    run = lesson.trained
    if run is None:
        return
    if run.notice:
        st.error(run.notice)
    moments, lm = run.work.moments, lesson.lm
    n_done = len(moments) - 1
    if run.is_running:
        st.progress(n_done / N_STEPS, f"{count(n_done)} of {plural(N_STEPS, 'step')}")
    where = f"{lm.name}, {lm.device}, float32"
    show_chart(training_figure(moments, N_STEPS, where, theme_now()), "mask_trained")
    if not run.is_running:
        _findings(run)


def _button(lesson: MaskLesson) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="mask_train_buttons"):
        start_or_stop(
            is_running=lesson.is_training,
            title="Train two copies",
            key="mask_train",
            start=lesson.start_training,
            stop=lesson.stop_training,
            icon=":material/school:",
            start_key="mask_train",
        )
    if lesson.train_notice:
        st.info(lesson.train_notice)


def _findings(run: TrainingRun) -> None:
    first, last = run.work.moments[0], run.work.moments[-1]
    show_metrics(
        [
            (
                "Without it, in the exam",
                nats(last.open),
                f"mask off, the answers in sight; {nats(first.open)} before training",
            ),
            (
                "Without it, made to write",
                nats(last.writing),
                f"mask on, as there is no next token to see; {nats(first.writing)} before",
            ),
            ("With the mask", nats(last.masked), f"mask on; {nats(first.masked)} before"),
        ],
        "mask_train_numbers",
    )
    st.caption(
        f"After {plural(last.n_steps, 'step')} on {N_ROWS} rows of {ROW_TOKENS} tokens, the same "
        "rows on both sides; the copies are thrown away. With the mask there is little left to "
        "learn: so few stories only pull a trained model about."
    )
