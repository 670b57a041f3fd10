"""One pass gives a loss at every position; the loop of single steps finds the same, one by one."""

from __future__ import annotations

import math

import streamlit as st

from model.causal_mask.losses import StepLoop, losses_in_one_pass
from model.causal_mask.records import Losses
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, show_metrics, theme_now
from pages.frame.layout import is_presenting
from pages.frame.running import halt, in_slices, start_or_stop
from pages.frame.slices import SlicedRun
from pages.lessons.causal_mask.state import MaskLesson, Notice
from viz.causal_mask.loss_chart import loss_figure, race_figure, surprise_html
from viz.format import count, digits, nats, percent, plural

SLICE_SECONDS = 0.3  # of steps between two looks at the buttons


def show_losses(lesson: MaskLesson) -> None:
    """Show the text tinted by surprise, its losses, and the loop that finds them again."""
    st.header("One pass, a loss at every position", anchor=False)
    st.markdown(
        "**As no position sees its own answer, one pass is an exam with a question at every "
        "token.** That is how training reads a whole text in parallel; writing cannot, its next "
        "token does not exist yet."
    )
    losses = lesson.reading.losses()
    if isinstance(losses, Notice):
        st.info(losses.words)
    else:
        st.html(surprise_html(losses, theme_now(), is_large=is_presenting()))
        show_metrics(_numbers(losses), "mask_loss_numbers")
        in_slices(lambda: lesson.run, lambda: _loop(lesson, losses), SLICE_SECONDS)
    show_code(losses_in_one_pass, StepLoop.advance, StepLoop.compare, key="mask_code_4")


def _numbers(losses: Losses) -> list[tuple[str, str, str]]:
    n_best = int((losses.ranks == 1).sum())
    cells = [
        ("Mean loss", nats(losses.mean), "per token: the number that training lowers"),
        (
            "Perplexity",
            digits(math.exp(losses.mean)),
            "as unsure as between so many equal choices",
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


def _loop(lesson: MaskLesson, losses: Losses) -> None:
    run = lesson.run
    lm, theme = lesson.lm, theme_now()
    where = lm.where
    steps = run.work.steps if run else []
    show_chart(loss_figure(losses, steps, where, theme), "mask_losses")
    _button(lesson)
    if run is None:
        return
    if run.notice:
        st.error(run.notice)
    n_done, n_steps = len(run.work.steps), run.work.n_steps
    if run.is_running:
        st.progress(n_done / n_steps, f"{count(n_done)} of {plural(n_steps, 'step')}")
    else:
        _findings(run, where)


def _button(lesson: MaskLesson) -> None:
    with st.container(horizontal=True, vertical_alignment="center", key="mask_loop_buttons"):
        start_or_stop(
            is_running=lesson.is_running,
            title="The same by single steps",
            key="mask",
            start=lesson.start_loop,
            stop=lambda: halt(lesson.run),
            icon=":material/timer:",
        )
    if lesson.run_notice:
        st.error(lesson.run_notice)


def _findings(run: SlicedRun[StepLoop], where: str) -> None:
    """Show what both sides agree on and what they took."""
    found = run.work.compare()
    if found is None:
        n_done = len(run.work.steps)
        st.caption(f"Stopped after {count(n_done)} of {plural(run.work.n_steps, 'step')}.")
        return
    show_chart(race_figure(found, where, theme_now()), "mask_race")
    show_metrics(
        [
            (
                "Largest gap of a loss",
                f"{found.gap:.1e}{chr(0x202F)}nats",
                "between the pass and the loop: rounding, shown rather than assumed to be 0",
            ),
            ("Passes of the model", f"1 and {count(found.n_tokens)}", "for the same losses"),
            (
                "Seconds, loop to pass",
                f"{digits(found.ratio, 2)} : 1",
                "on this machine, for a text of this length",
            ),
        ],
        "mask_loop_numbers",
    )
