"""The beam lesson's second part: greedy beside the beam beside the exact best."""

from __future__ import annotations

from dataclasses import replace

import streamlit as st

from model.beam_search.best_first import BestFirst
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.running import in_slices, run_button, show_problem
from pages.lessons.beam_search.settings import SETTINGS
from pages.lessons.beam_search.state import BeamLesson, Comparison, compare
from viz.beam_search.comparison import exact_words, searches_figure, searches_table
from viz.format import count, plural

SLICE_SECONDS = 0.3  # of searching between two looks at the buttons


def show_exact(lesson: BeamLesson) -> None:
    """Offer the comparison, and show it while it runs and when it is over."""
    st.header("Greedy, beam, exact best", anchor=False)
    st.markdown(
        "**Greedy can start better and end worse.** Best-first search goes on until no beginning "
        "is left that could still win, so it can prove which text is the likeliest."
    )
    in_slices(lambda: lesson.comparison, lambda: _exact(lesson), SLICE_SECONDS)
    show_code(BestFirst.advance, BestFirst._expand, key="beam_code_2")


def _exact(lesson: BeamLesson) -> None:
    run = lesson.comparison
    _controls(lesson)
    show_problem("beam_exact")
    if run is None:
        return
    if run.notice:
        st.error(run.notice)
    if run.is_running:
        st.progress(
            run.done,
            f"{count(run.exact.n_expanded)} of at most {count(run.exact.limit)} beginnings",
        )
    _findings(run)


def _controls(lesson: BeamLesson) -> None:
    run = lesson.comparison
    with st.container(horizontal=True, vertical_alignment="bottom", key="beam_exact_controls"):
        SETTINGS.widget("exact_prompt")
        SETTINGS.widget("exact_tokens", width=120)
        SETTINGS.widget("exact_limit", width=190)
        run_button(
            run,
            f"Compare with {plural(lesson.growing.wish.n_beams, 'beam')}",
            "beam_exact",
            lambda: _start(lesson),
        )


def _start(lesson: BeamLesson) -> None:
    """Search three ways."""
    lesson.growing.is_playing = False
    wish = replace(lesson.growing.wish, prompt=SETTINGS["exact_prompt"])
    lesson.comparison = compare(lesson.lm, wish, SETTINGS["exact_tokens"], SETTINGS["exact_limit"])


def _findings(run: Comparison) -> None:
    result, best = run.result, run.best
    st.markdown(f"…{run.prompt[-60:]}".replace("\n", "⏎").join(("`", "`")))
    show_chart(searches_figure(run.greedy, run.beam, best, theme_now()), "beam_searches")
    st.dataframe(
        searches_table(
            [run.greedy, run.beam, best],
            [*run.seconds, result.seconds],
            [
                count(len(run.greedy.labels)),
                count(_n_read(run)),
                count(result.n_expanded),
            ],
        ),
        hide_index=True,
        key="beam_searches_table",
        column_config={"sum log p": st.column_config.NumberColumn(format="%.3f")},
    )
    if run.is_running:
        return
    proof = exact_words(result)
    (st.success if result.is_proved else st.info)(proof)
    st.caption(_where_they_part(run))


def _n_read(run: Comparison) -> int:
    """Count the texts that the beam search weighed the next tokens of."""
    n_beams, n_tokens = int(run.beam.name.split()[0]), run.exact.n_tokens
    return 1 + n_beams * (n_tokens - 1)


def _where_they_part(run: Comparison) -> str:
    """Say at which token greedy took the likelier step to the less likely text."""
    best, greedy = run.best, run.greedy
    if best.labels == greedy.labels:
        return "Greedy found it, too: try another prompt, or more tokens."
    pairs = zip(greedy.labels, best.labels, strict=False)
    i = next((i for i, (one, other) in enumerate(pairs) if one != other), 0)
    return (
        f"They part at token {i + 1}: greedy takes “{greedy.labels[i]}” with log p "
        f"{greedy.logprobs[i]:.2f}, the best text “{best.labels[i]}” with {best.logprobs[i]:.2f}. "
        "No length penalty here: all have the same length, unless an end token comes first."
    ).replace("-", "−")
