"""The speculative lesson's last part: that the text, or its distribution, stays the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import streamlit as st

from model.speculative.proof import LAW_SETTINGS, PROMPTS, LawTest, compare_greedy
from model.tokenizing import encode
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.running import in_slices, is_running
from pages.lessons.speculative.speed import SLICE_SECONDS, run_controls
from pages.lessons.speculative.state import Lesson, Run
from viz.draws_chart import draws_figure
from viz.format import count, digits, percent, plural

N_TOKENS, N_DRAFT = 32, 4
N_DRAWS = 10_000
N_SHOWN = 24  # pairs with bars of their own
LAW_PROMPT = "The cat sat on the"


def show_proof(lesson: Lesson) -> None:
    """Offer both proofs."""
    st.header("The same text, the same distribution", anchor=False)
    st.markdown(
        "**Speculation changes when tokens come, not which.** Greedy text is the same, token for "
        "token; sampled text follows the target’s distribution, whatever the draft guesses."
    )
    in_slices(lambda: lesson.compare_run, lambda: _greedy(lesson), SLICE_SECONDS)
    in_slices(lambda: lesson.law_run, lambda: _law(lesson), SLICE_SECONDS)
    show_code(compare_greedy, LawTest.advance, LawTest.expected, LawTest.test, key="spec_code_4")


# Greedy


def _greedy(lesson: Lesson) -> None:
    st.subheader("Greedy: a hundred prompts", anchor=False)
    title = "Write a hundred prompts both ways"
    run_controls(lesson, lesson.compare_run, title, "spec_same", lambda: _start_greedy(lesson))
    if lesson.compared:
        _same_words(lesson)


def _start_greedy(lesson: Lesson) -> None:
    lesson.walk.is_playing = False
    lesson.compared, lesson.compared_draft = [], lesson.choice.name
    lesson.compare_run = Run(_compare(lesson))


def _compare(lesson: Lesson) -> Iterator[float]:
    choice = lesson.choice
    for prompt in PROMPTS:
        lesson.compared.append(compare_greedy(lesson.lm, choice.make(), prompt, N_TOKENS, N_DRAFT))
        yield len(lesson.compared) / len(PROMPTS)


def _same_words(lesson: Lesson) -> None:
    found = lesson.compared
    wrong = [one for one in found if one.first_difference is not None]
    n_tokens, n_rounds = sum(one.n_tokens for one in found), sum(one.n_rounds for one in found)
    st.markdown(
        f"**{count(len(found) - len(wrong))} of {plural(len(found), 'text')} are identical** to "
        f"plain decoding, token for token: {plural(n_tokens, 'token')} in "
        f"{plural(n_rounds, 'pass', 'es')} of the target, drafted by {lesson.compared_draft}."
    )
    if wrong:
        first = wrong[0]
        st.caption(
            f"“{first.prompt}” differs from token {(first.first_difference or 0) + 1} on: two "
            "tokens were so near that rounding chose between them. In float32 that is rare; in 16 "
            "bits it is not."
        )
    st.caption("Measured. The last of them:")
    st.text(found[-1].text)


# Sampled


def _law(lesson: Lesson) -> None:
    st.subheader("Sampled: ten thousand draws", anchor=False)
    title = f"Draw {count(N_DRAWS)} times"
    run_controls(lesson, lesson.law_run, title, "spec_law", lambda: _start_law(lesson))
    law = lesson.law
    if law is not None and law.n_done and not is_running(lesson.law_run):
        lesson.try_to(lambda: _law_figure(law))


def _start_law(lesson: Lesson) -> None:
    lesson.walk.is_playing = False
    choice = lesson.choice
    draft = choice.make() if choice.draft is None else choice.draft
    law = LawTest(lesson.lm, draft, encode(lesson.lm, LAW_PROMPT), LAW_SETTINGS, N_DRAWS)
    lesson.law, lesson.law_run = law, Run(_draw(law))


def _draw(law: LawTest) -> Iterator[float]:
    while not law.is_done:
        law.advance()
        yield law.n_done / law.n_draws


def _law_figure(law: LawTest) -> None:
    test, expected = law.test()
    pairs = sorted(expected, key=lambda pair: -expected[pair])
    counts = np.array([law.counts[pair] for pair in pairs])
    probs = np.array([expected[pair] for pair in pairs])
    labels = [law.labels(pair) for pair in pairs[:N_SHOWN]]
    chart = draws_figure(labels, counts, probs, theme_now())
    caption = (
        "Measured: how often each pair of tokens came, filled; derived: the target’s own "
        f"probability of it times {count(law.n_done)}, outlined. "
        f"The {plural(min(N_SHOWN, len(pairs)), 'likeliest pair')} of {count(len(pairs))}."
    )
    show_chart(replace(chart, caption=caption, alt=f"Pairs of tokens. {caption}"), "spec_law_chart")
    verdict = "as chance would have it" if test.p_value > 0.01 else "unusual"
    accepted = law.n_accepted / max(1, law.n_tested)
    pooled = f"{plural(test.n_pooled, 'rare pair')} share one cell"
    if test.n_pooled < 2:
        pooled = "no pair is so rare that it has to share one"
    st.markdown(
        f"**χ² = {digits(test.statistic)}** with {plural(test.n_degrees, 'degree')} of freedom, "
        f"**p = {digits(test.p_value, 2)}**: {verdict}. {count(law.n_done)} times the first two "
        f"tokens after “{LAW_PROMPT}”, by rounds of two guesses of which {percent(accepted)} "
        f"stayed, against the target’s own probability of each pair. A cell expects five or more: "
        f"{pooled}."
    )
    st.caption(
        "Both models at temperature 0.8, top-k 16, top-p 0.9. A pass over the same tokens gives "
        "the same numbers, so each is run once and remembered; every coin falls anew."
    )
