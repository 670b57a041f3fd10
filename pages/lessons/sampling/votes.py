"""Self-consistency: twenty continuations of one prompt, without and with chance, and their vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from model.sampling.experiments import Continuation, agreement, first_word, vote
from pages.frame.figures import show_chart, theme_now
from pages.frame.running import in_slices, run_button, show_problem
from pages.lessons.sampling.runs import VoteRun
from pages.lessons.sampling.state import Lab
from viz.format import duration, percent, plural
from viz.sampling.charts import votes_figure

QUESTION = "Lily was thirsty. She wanted to drink some"
MOST_ANSWERS = 8


def show_votes(state: Lab) -> None:
    """Offer the run, and show it as far as it has come."""
    st.subheader("Twenty copies, or twenty opinions?", anchor=False)
    st.markdown(
        "Self-consistency asks a model many times and takes the majority. At T = 0 every answer is "
        "a copy of the first, so the vote says nothing; with chance they differ and it does."
    )
    in_slices(lambda: state.votes, lambda: _votes(state))


def _votes(state: Lab) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        st.text_input("Prompt", QUESTION, key="vote_prompt", persist_state="session")
        run_button(state.votes, "Write 20 at each", "vote", lambda: _start(state))
    show_problem("vote")
    run = state.votes
    if run is None:
        return
    if run.notice:
        st.error(run.notice)
    if run.is_running:
        st.progress(run.done, f"{len(run.cold) + len(run.warm)} of {2 * run.n_texts} texts")
    if run.cold and run.warm:
        _show(run)


def _start(state: Lab) -> None:
    """Take the prompt as it is at the press, which may have ended its typing."""
    state.votes = VoteRun(state.lm, st.session_state["vote_prompt"])


def _show(run: VoteRun) -> None:
    cold, warm = _answers(run.cold), _answers(run.warm)
    answers = [answer for answer, _ in vote([*cold, *warm])][:MOST_ANSWERS]
    chart = votes_figure(
        answers,
        [cold.count(answer) for answer in answers],
        [warm.count(answer) for answer in answers],
        theme_now(),
    )
    pairs = list(zip(run.cold, run.warm, strict=False))  # one side may be a text ahead
    left, right = st.columns(2, gap="medium")
    with left:
        where = f"{run.lm.name}, {run.lm.where}; {duration(run.seconds)} of writing"
        show_chart(replace(chart, caption=f"{chart.caption} {where}."), "votes")
    with right:
        st.markdown(f"**T = 0:** {_summary(run.cold)}")
        st.markdown(f"**T = 0.7:** {_summary(run.warm)}")
        st.dataframe(
            {
                "seed": [made.seed for made, _ in pairs],
                "T = 0": [made.text for made, _ in pairs],
                "T = 0.7": [other.text for _, other in pairs],
            },
            hide_index=True,
            height=215,
            key="vote_texts",
        )
        st.caption(f"The text after “{run.prompt}”. The same seed gives the same text again.")


def _answers(texts: Sequence[Continuation]) -> list[str]:
    return [first_word(made.text) for made in texts]


def _summary(texts: Sequence[Continuation]) -> str:
    """Say how many texts there are, how far they agree, and what the vote comes to."""
    answers = _answers(texts)
    winner, n_votes = vote(answers)[0]
    n_distinct = len({made.token_ids for made in texts})
    agree = f", {percent(agreement(answers))} of pairs agree" if len(answers) > 1 else ""
    return (
        f"{plural(n_distinct, 'distinct text')} of {len(texts)}{agree}; the vote goes to "
        f"“{winner}” by {n_votes} of {len(answers)}."
    )
