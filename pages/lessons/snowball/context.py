"""The snowball lesson's last part: loss against context, early and last, small and large."""

from __future__ import annotations

import streamlit as st

from model.held_out import HeldOut, held_out
from model.snowball.context_loss import ContextRun
from model.tokenizing import encode, shares_vocabulary
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.lessons.snowball.exposure import model_names, model_of
from pages.lessons.snowball.job_panel import live_part, run_part, took
from pages.lessons.snowball.state import SnowLesson, WatchedRun
from viz.snowball.context_chart import context_figure

TEXTS: dict[HeldOut, tuple[str, int]] = {
    "stories": ("short stories, up to 128 tokens", 128),
    "books": ("books, up to 512 tokens", 512),
}
N_TARGETS = 64


def show_context(lesson: SnowLesson) -> None:
    """Offer the run, and show it as far as it has come."""
    st.header("What training and context give", anchor=False)
    st.markdown(
        "**What a model predicts depends on what it was trained on, how long, and on how much of "
        "the text it sees.** The same tokens, predicted from more and more of what stands before "
        "them."
    )
    live_part(lesson, "context", lambda: _context(lesson))
    show_code(ContextRun._predict, key="snow_code_context")


def _context(lesson: SnowLesson) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.selectbox(
            "Held-out text",
            list(TEXTS),
            format_func=lambda name: TEXTS[name][0],
            key="snow_context_text",
            width=280,
            persist_state="session",
        )
        run_part(lesson, "context", "Measure", lambda: _start(lesson), "all contexts")
    run = lesson.context
    if run is None:
        return
    show_chart(context_figure(run.seen(run.work.loss), theme_now()), "snow_context_chart")
    names = [name for name in model_names(lesson) if name not in run.work.loss().losses]
    others = (
        f" {', '.join(names)}: not drawn, for {'its' if len(names) == 1 else 'their'} tokens are "
        "other ones, and a loss per token compares like with like only."
        if names
        else ""
    )
    st.caption(f"{took(run, lesson.lm)}{others}")


def _start(lesson: SnowLesson) -> None:
    which: HeldOut = st.session_state["snow_context_text"]
    models = [model_of(lesson, name) for name in model_names(lesson)]
    kin = [lm for lm in models if shares_vocabulary(lm, lesson.lm)]
    kin.sort(key=lambda lm: (-lm.n_parameters, lm.name))
    documents = [encode(lesson.lm, text) for text in held_out(which)]
    contexts = [2**i for i in range(12) if 2**i <= TEXTS[which][1]]
    lesson.context = WatchedRun(ContextRun(kin, documents, contexts, N_TARGETS))
