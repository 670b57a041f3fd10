"""The mask taken off: the true next token is in sight, and the model makes use of it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.causal_mask.attention import read_leak, read_unmasked, true_logprobs
from model.causal_mask.records import Leak
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, show_metrics, theme_now
from pages.lessons.causal_mask.state import MaskLesson, Refusal
from viz.causal_mask.edit_charts import leak_figure
from viz.format import count, nats, percent, plural


def show_leak(lesson: MaskLesson) -> None:
    """Show the probability of the true next token, mask on and mask off."""
    st.header("Attention without the mask", anchor=False)
    st.markdown(
        "**Without the mask, the position that predicts the next token can attend to it.** The "
        "answer leaks: red lines lead from its probability with the mask to that without."
    )
    leak = lesson.text.leak()
    if isinstance(leak, Refusal):
        st.info(leak.words)
    else:
        show_chart(leak_figure(leak, theme_now()), "mask_leak")
        show_metrics(_numbers(leak), "mask_leak_numbers")
        st.caption(
            f"{lesson.lm.name} was not trained to look ahead, so it copies some tokens and "
            "predicts others worse. Training below shows what it would learn without the mask."
        )
    show_code(read_leak, read_unmasked, true_logprobs, key="mask_code_3")


def _numbers(leak: Leak) -> list[tuple[str, str, str]]:
    on, off, hard = np.exp(leak.masked), np.exp(leak.unmasked), leak.hard
    cells = [
        (
            "Likelier without it",
            f"{count(leak.n_gained)} of {count(len(on))}",
            "positions at which the true next token gained",
        ),
        (
            "Mean loss, mask on",
            nats(-float(leak.masked.mean())),
            f"mask off: {nats(-float(leak.unmasked.mean()))}",
        ),
    ]
    if hard.any():
        where = plural(int(hard.sum()), "position")
        cells[:0] = [
            (
                "Hard predictions, mask on",
                percent(float(on[hard].mean())),
                f"mean probability of the true token at the {where} where it had less than a half",
            ),
            (
                "Hard predictions, mask off",
                percent(float(off[hard].mean())),
                "at the same positions",
            ),
        ]
    return cells
