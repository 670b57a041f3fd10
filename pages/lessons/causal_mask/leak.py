"""The mask taken off: the true next token is in sight, and the model makes use of it."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.causal_mask.attention import read_leak, read_unmasked, true_logprobs
from model.causal_mask.records import Leak
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, show_metrics, theme_now
from pages.lessons.causal_mask.state import MaskLesson, Notice
from viz.causal_mask.edit_charts import leak_figure
from viz.format import count, nats, percent, plural


def show_leak(lesson: MaskLesson) -> None:
    """Show the probability of the true next token, mask on and mask off."""
    st.header("Take the mask off, and the answer leaks", anchor=False)
    st.markdown(
        "**Without the mask the position that should guess the next token can look at it.** How "
        "much the model makes of that differs: follow the red lines upwards."
    )
    found = lesson.reading.leak()
    if isinstance(found, Notice):
        st.info(found.words)
    else:
        show_chart(leak_figure(found, theme_now()), "mask_leak")
        show_metrics(_numbers(found), "mask_leak_numbers")
        st.caption(
            f"{lesson.lm.name} was not trained to look ahead, so it copies some words and is "
            "disturbed at others. What it would learn without the mask can be tried below."
        )
    show_code(read_leak, read_unmasked, true_logprobs, key="mask_code_3")


def _numbers(leak: Leak) -> list[tuple[str, str, str]]:
    on, off, hard = np.exp(leak.masked), np.exp(leak.open), leak.hard
    cells = [
        (
            "Likelier without it",
            f"{count(leak.n_gained)} of {count(len(on))}",
            "positions at which the true next token gained",
        ),
        (
            "Mean loss, mask on",
            nats(-float(leak.masked.mean())),
            f"mask off: {nats(-float(leak.open.mean()))}",
        ),
    ]
    if hard.any():
        where = plural(int(hard.sum()), "position")
        cells[:0] = [
            (
                "Hard guesses, mask on",
                percent(float(on[hard].mean())),
                f"mean probability of the truth at the {where} where it had less than a half",
            ),
            ("Hard guesses, mask off", percent(float(off[hard].mean())), "at the same positions"),
        ]
    return cells
