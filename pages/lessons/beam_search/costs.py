"""The beam lesson's third part: what a beam costs and gives, beside greedy and sampling."""

from __future__ import annotations

import streamlit as st

from model.beam_search.costs import bill, distinct, repeated, write_all
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.running import in_slices, run_button, show_problem
from pages.lessons.beam_search.settings import SETTINGS
from pages.lessons.beam_search.state import N_COST_TOKENS, BeamLesson, start_costs
from viz.beam_search.comparison import bills_figure, bills_table
from viz.format import plural


def show_costs(lesson: BeamLesson) -> None:
    """Offer the run, and show it as far as it has come."""
    st.header("What it costs, and what it gives", anchor=False)
    st.markdown(
        "**On open-ended text the gain is small and the text is blander:** the likeliest words are "
        "the ones that anybody would have written, and what was said once becomes likelier."
    )
    in_slices(lambda: lesson.costs, lambda: _costs(lesson))
    show_code(write_all, bill, distinct, repeated, key="beam_code_3")


def _costs(lesson: BeamLesson) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        SETTINGS.widget("cost_prompts", width=200)
        run_button(
            lesson.costs,
            f"Write {N_COST_TOKENS} tokens four ways",
            "beam_cost",
            lambda: _start(lesson, SETTINGS["cost_prompts"]),
        )
    show_problem("beam_cost")
    run = lesson.costs
    if run is None:
        return
    if run.notice:
        st.error(run.notice)
    if run.is_running:
        st.progress(run.done, f"{round(100 * run.done)} % of {plural(len(run.prompts), 'prompt')}")
    bills = run.bills()
    if not bills:
        return
    lm = run.lm
    show_chart(bills_figure(bills, theme_now()), "beam_bills")
    number = st.column_config.NumberColumn
    st.dataframe(
        bills_table(bills),
        hide_index=True,
        key="beam_bills_table",
        column_config={
            "seconds": number(format="%.2f"),
            "log p per token": number(format="%.3f"),
            **{f"distinct {n}": number(format="percent") for n in (1, 2, 3)},
            "repeated 4-grams": number(format="percent"),
        },
    )
    st.caption(
        f"{lm.name}, {lm.where}: the same prompts, the "
        "same kind of pass and the same end for all; the beam’s best text by sum log p (a = 0). "
        "Distinct n: different n-grams as a part of all, mean over texts."
    )


def _start(lesson: BeamLesson, n_prompts: int) -> None:
    lesson.growing.is_playing = False
    lesson.costs = start_costs(lesson.lm, max(2, lesson.growing.wish.n_beams), n_prompts)
