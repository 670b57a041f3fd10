"""What a model learns without the mask: two copies trained here and now, one of them without it."""

from __future__ import annotations

import streamlit as st

from model.mask_training import N_ROWS, N_STEPS, ROW_TOKENS, MaskTraining, mean_loss
from pages.parts.code_that_ran import show_code
from pages.parts.mask_look import show_chart, show_metrics, theme_now
from pages.parts.mask_state import MaskLesson, TrainingRun
from viz.mask_training_chart import training_figure
from viz.units import count, nats, plural

SLICE_SECONDS = 0.5  # of training between two looks at the buttons
CLOCK_SECONDS = 0.15  # after which the next slice is asked for


def show_training(lesson: MaskLesson) -> None:
    """Offer the training, and show it while it runs and when it is over."""
    st.header("Trained without the mask, a model learns to cheat", anchor=False)
    st.markdown(
        f"**An exam with the answers printed beside the questions teaches nothing.** Two copies of "
        f"the model take {N_STEPS} steps of training on short stories, one with the mask, one "
        "without; both are tried on the text above, which neither is trained on."
    )
    is_running = lesson.is_training
    st.fragment(_training, run_every=CLOCK_SECONDS if is_running else None)(lesson, is_running)
    show_code(MaskTraining.advance, mean_loss, key="mask_code_5")


def _training(lesson: MaskLesson, has_clock: bool) -> None:
    if lesson.is_training != has_clock:
        st.rerun()  # the fragment's clock starts and stops with the whole page
    _button(lesson)
    run = lesson.trained
    if run is None:
        return
    if run.notice:
        st.error(run.notice)
    moments, lm = run.training.moments, lesson.lm
    n_done = len(moments) - 1
    if run.is_running:
        st.progress(n_done / N_STEPS, f"{count(n_done)} of {plural(N_STEPS, 'step')}")
    where = f"{lm.name}, {lm.device}, float32"
    show_chart(training_figure(moments, N_STEPS, where, theme_now()), "mask_trained")
    if run.is_running:
        run.slice(SLICE_SECONDS)  # after all is drawn, so that nothing fades while it runs
        if not run.is_running:
            st.rerun()
    else:
        _findings(run)


def _button(lesson: MaskLesson) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="mask_train_buttons"):
        if lesson.is_training:
            st.button(
                "Stop",
                key="mask_train_stop",
                on_click=lesson.stop_training,
                icon=":material/stop:",
            )
        else:
            st.button(
                "Train two copies",
                key="mask_train",
                type="primary",
                on_click=lesson.start_training,
                icon=":material/school:",
            )
    if lesson.train_notice:
        st.info(lesson.train_notice)


def _findings(run: TrainingRun) -> None:
    first, last = run.training.moments[0], run.training.moments[-1]
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
