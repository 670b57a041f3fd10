"""The mask taken off: what leaks when it is, and what a model learns that is trained without it."""

import numpy as np
import streamlit as st

from model.causal_mask.attention import read_leak, read_unmasked, true_logprobs
from model.causal_mask.mask_training import N_ROWS, N_STEPS, ROW_TOKENS, mean_loss, train_both_ways
from model.causal_mask.records import Leak, TrainingMoment
from model.job import Job
from pages.frame.code_that_ran import show_code
from pages.frame.experiment import Experiment
from pages.frame.figures import show_chart, show_metrics
from pages.frame.job_panel import measured_on
from pages.frame.question import opening
from pages.lessons.causal_mask.state import MaskLesson, Unmeasured
from viz.causal_mask.edit_charts import leak_figure
from viz.causal_mask.loss_chart import training_figure
from viz.format import nats, percent, plural


def show_leak(lesson: MaskLesson) -> None:
    """Shows the probability of the true next token, mask on and mask off."""
    st.header("Attention without the mask", anchor=False)
    opening(
        "Without the mask, the position that predicts the next token can attend to it. The "
        "answer leaks: red lines lead from its probability with the mask to that without."
    )
    leak = lesson.text.leak()
    if isinstance(leak, Unmeasured):
        st.info(leak.words)
    else:
        show_chart(leak_figure(leak), "mask_leak")
        show_metrics(_numbers(leak), "mask_leak_numbers")
        st.caption(
            f"{lesson.lm.shown} was not trained to look ahead. Training below shows what it would "
            "learn without the mask."
        )
    show_code(read_leak, read_unmasked, true_logprobs, key="mask_code_3")


def _numbers(leak: Leak) -> list[tuple[str, str, str]]:
    on, off, hard = np.exp(leak.masked), np.exp(leak.unmasked), leak.hard
    loss = nats(-float(leak.masked.mean()))
    cells = [("Mean loss, mask on", loss, f"mask off: {nats(-float(leak.unmasked.mean()))}")]
    if hard.any():
        where = plural(int(hard.sum()), "position")
        note = f"mean probability of the true token at the {where} where it had less than a half"
        cells += [
            ("Hard predictions, mask on", percent(float(on[hard].mean())), note),
            ("Hard predictions, mask off", percent(float(off[hard].mean())), "at those"),
        ]
    return cells


class TrainingUnmasked(Experiment[MaskLesson]):
    """Two copies trained, one with the mask and one without."""

    key, title = "mask_training", "Training without the mask"
    button, icon = "Train two copies", ":material/school:"
    recorded = tuple[TrainingMoment, ...]
    claim = (
        "A model that is trained without the mask learns to copy the answer. Two copies of "
        f"the model take {N_STEPS} training steps on short stories, one with the mask and one "
        "without. Both are tested on the text above, on which neither is trained."
    )
    code = (train_both_ways, mean_loss)

    def _start(self) -> Job[tuple[TrainingMoment, ...]]:
        return Job(train_both_ways(self.lesson.lm, self.lesson.text.ids))

    def _draw(self, job: Job[tuple[TrainingMoment, ...]]) -> None:
        moments, machine = job.result, measured_on(job, self.lesson.lm)
        where = f"{machine.model}, {machine.processor}, float32"
        show_chart(training_figure(moments, N_STEPS, where), "mask_trained")
        if job.is_running:
            return
        st.caption(
            f"Each step is on {N_ROWS} rows of {ROW_TOKENS} tokens, the same on both sides. The "
            "copies are thrown away. The effect of the mask is their gap in generating."
        )
