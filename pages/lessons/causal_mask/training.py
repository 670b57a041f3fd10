"""What a model learns without the mask: two copies trained here and now, one of them without it."""

from __future__ import annotations

import streamlit as st

from model.causal_mask.mask_training import (
    N_ROWS,
    N_STEPS,
    ROW_TOKENS,
    mean_loss,
    train_both_ways,
)
from model.causal_mask.records import TrainingMoment
from model.job import Job
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, show_metrics, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.causal_mask.state import MaskLesson
from viz.causal_mask.training_chart import training_figure
from viz.format import nats, plural


def show_training(lesson: MaskLesson) -> None:
    """Offer the training, and show what it has measured."""
    st.header("Training without the mask", anchor=False)
    st.markdown(
        f"**A model that is trained without the mask learns to copy the answer.** Two copies of "
        f"the model take {N_STEPS} training steps on short stories, one with the mask and one "
        "without. Both are tested on the text above, on which neither is trained."
    )
    show_job(
        lesson.jobs,
        "mask_training",
        "Train two copies",
        lambda: Job(train_both_ways(lesson.lm, lesson.text.ids)),
        lambda job: _show(lesson, job),
        icon=":material/school:",
    )
    show_code(train_both_ways, mean_loss, key="mask_code_5")


def _show(lesson: MaskLesson, job: Job[tuple[TrainingMoment, ...]]) -> None:
    moments, lm = job.found or (), lesson.lm
    where = f"{lm.name}, {lm.device}, float32"
    show_chart(training_figure(moments, N_STEPS, where, theme_now()), "mask_trained")
    if job.is_running:
        return
    first, last = moments[0], moments[-1]
    show_metrics(
        [
            (
                "Without it, tested without",
                nats(last.unmasked),
                f"mask off, the answers in sight; {nats(first.unmasked)} before training",
            ),
            (
                "Without it, generating",
                nats(last.writing),
                f"mask on, as no next token exists yet; {nats(first.writing)} before",
            ),
            ("With the mask", nats(last.masked), f"mask on; {nats(first.masked)} before"),
        ],
        "mask_train_numbers",
    )
    st.caption(
        f"After {plural(last.n_steps, 'step')} on {N_ROWS} rows of {ROW_TOKENS} tokens, the same "
        "rows on both sides. The copies are thrown away. With the mask there is little left to "
        "learn from so few stories."
    )
