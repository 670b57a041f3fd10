"""The beam-search lesson's second part: greedy decoding, beam search and the exact best."""

from __future__ import annotations

from typing import Any

import streamlit as st

from model.beam_search.best_first import BestFirstSearch
from model.beam_search.experiments import compare_searches
from model.beam_search.records import SearchComparison
from model.job import Job
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.beam_search.settings import SETTINGS
from pages.lessons.beam_search.state import BeamLesson
from viz.beam_search.comparison import exact_words, searches_figure, searches_table
from viz.format import plural


def show_exact(lesson: BeamLesson) -> None:
    """Offer the comparison, and show it while it runs and when it is over."""
    st.header("Greedy, beam search and the exact best", anchor=False)
    st.markdown(
        "**Greedy decoding can start better and end worse.** Best-first search goes on until no "
        "prefix is left that could still win, so it can prove which text is the likeliest."
    )
    show_job(
        lesson.jobs,
        "beam_exact",
        f"Compare with {plural(lesson.stepper.steps.request.n_beams, 'beam')}",
        lambda: _start(lesson),
        _show,
        controls=_controls,
    )
    show_code(BestFirstSearch.step, BestFirstSearch._expand, key="beam_code_2")


def _controls(is_running: bool) -> None:
    SETTINGS.widget("exact_prompt", disabled=is_running)
    SETTINGS.widget("exact_tokens", width=120, disabled=is_running)
    SETTINGS.widget("exact_limit", width=190, disabled=is_running)


def _start(lesson: BeamLesson) -> Job[Any]:
    lesson.stepper.is_playing = False
    n_beams = lesson.stepper.steps.request.n_beams
    prompt, n_tokens = SETTINGS["exact_prompt"], SETTINGS["exact_tokens"]
    work = compare_searches(lesson.lm, prompt, n_beams, n_tokens, SETTINGS["exact_limit"])
    return Job(work, is_timed=True)


def _show(job: Job[SearchComparison]) -> None:
    comparison = job.found
    if comparison is None:
        return
    st.markdown(f"…{comparison.prompt[-60:]}".replace("\n", "⏎").join(("`", "`")))
    show_chart(searches_figure(comparison, theme_now()), "beam_searches")
    st.dataframe(
        searches_table(comparison),
        hide_index=True,
        key="beam_searches_table",
        column_config={"sum log p": st.column_config.NumberColumn(format="%.3f")},
    )
    if not job.is_running:
        proof = exact_words(comparison.exact)
        (st.success if comparison.exact.is_proved else st.info)(proof)
        st.caption(_divergence(comparison))


def _divergence(comparison: SearchComparison) -> str:
    """Say at which token greedy took the likelier token that led to the less likely text."""
    best, greedy = comparison.best, comparison.greedy
    if best.labels == greedy.labels:
        return "Greedy decoding found it too: try another prompt, or more tokens."
    pairs = zip(greedy.labels, best.labels, strict=False)
    i = next((i for i, (own, other) in enumerate(pairs) if own != other), 0)
    return (
        f"They differ from token {i + 1} on: greedy takes “{greedy.labels[i]}” with log p "
        f"{greedy.logprobs[i]:.2f}, the best text “{best.labels[i]}” with {best.logprobs[i]:.2f}. "
        "No length penalty applies: all texts have one length, unless an end token comes first."
    ).replace("-", "−")
