"""One pass gives a loss at every position; the loop of single steps finds the same, one by one."""

import math

import streamlit as st

from model.causal_mask.losses import losses_by_steps, losses_in_one_pass
from model.causal_mask.records import Losses, ParallelCheck
from model.job import Job
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, show_metrics
from pages.frame.job_panel import JobPanel
from pages.frame.question import opening
from pages.lessons.causal_mask.state import MaskLesson, Unmeasured
from viz.causal_mask.loss_chart import loss_figure, race_figure, surprise_html
from viz.format import count, digits, nats, percent, plural


def show_losses(lesson: MaskLesson) -> None:
    """Shows the text tinted by surprise, its losses, and the loop that finds them again."""
    st.header("The loss at every position", anchor=False)
    opening(
        "No position sees its own answer, so one pass gives a prediction and a loss at every "
        "position. That is how training reads a whole text in parallel. Generation cannot: its "
        "next token does not exist yet."
    )
    losses = lesson.text.losses()
    if isinstance(losses, Unmeasured):
        st.info(losses.words)
    else:
        st.html(surprise_html(losses))
        show_metrics(_numbers(losses), "mask_loss_numbers")
        JobPanel(
            lesson.jobs,
            "mask_loop",
            "The same by single steps",
            lambda: Job(losses_by_steps(lesson.lm, lesson.text.ids), is_timed=True),
            lambda job: _show_loop(lesson, losses, job),
            idle=lambda: show_chart(loss_figure(losses, (), lesson.lm.where), "mask_losses"),
            icon=":material/timer:",
        ).show()
    show_code(losses_in_one_pass, losses_by_steps, key="mask_code_4")


def _numbers(losses: Losses) -> list[tuple[str, str, str]]:
    n_best = int((losses.ranks == 1).sum())
    cells = [
        ("Mean loss", nats(losses.mean), "per token: the number that training lowers"),
        (
            "Perplexity",
            digits(math.exp(losses.mean)),
            "as uncertain as between so many equally likely tokens",
        ),
        (
            "Best guess right",
            percent(n_best / len(losses.ranks)),
            f"{count(n_best)} of {plural(len(losses.ranks), 'position')}",
        ),
    ]
    if losses.n_bytes:
        cells.append(
            (
                "Bits per byte",
                digits(losses.bits_per_byte),
                f"sum of losses ÷ ln 2 ÷ {plural(losses.n_bytes, 'byte')}: comparable between "
                "tokenizers",
            )
        )
    return cells


def _show_loop(lesson: MaskLesson, losses: Losses, job: Job[ParallelCheck]) -> None:
    """Shows the loop's losses over those of the pass, and in the end what both took."""
    comparison, where = job.result, lesson.lm.where
    show_chart(loss_figure(losses, comparison.losses, where), "mask_losses")
    if job.is_done:
        show_chart(race_figure(comparison, where), "mask_race")
