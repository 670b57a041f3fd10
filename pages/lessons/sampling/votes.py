"""Self-consistency: twenty continuations of one prompt, greedy and sampled, and their vote."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from model.draw import agreement, vote
from model.job import Job
from model.sampling.experiments import Continuation, Votes, first_word, write_votes
from pages.frame.figures import show_chart, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.sampling.settings import SETTINGS
from pages.lessons.sampling.state import Lab
from viz.format import duration, percent, plural
from viz.sampling.charts import votes_figure

MAX_ANSWERS = 8


def show_votes(lab: Lab) -> None:
    """Offer the job, and show what it has found so far."""
    st.subheader("Self-consistency: the majority of many samples", anchor=False)
    st.markdown(
        "Self-consistency asks a model many times and takes the majority answer. At T = 0 every "
        "answer is a copy of the first, so the vote says nothing. At T = 0.7 they may differ."
    )
    show_job(
        lab.jobs,
        "vote",
        "Generate 20 at each",
        lambda: Job(write_votes(lab.lm, SETTINGS["vote_prompt"])),
        lambda job: _show(lab, job),
        controls=lambda _: SETTINGS.widget("vote_prompt"),
    )


def _show(lab: Lab, job: Job[Votes]) -> None:
    votes = job.found
    if votes is None or not votes.sampled:
        return
    greedy, sampled = _answers(votes.greedy), _answers(votes.sampled)
    answers = [answer for answer, _ in vote([*greedy, *sampled])][:MAX_ANSWERS]
    chart = votes_figure(
        answers,
        [greedy.count(answer) for answer in answers],
        [sampled.count(answer) for answer in answers],
        theme_now(),
    )
    pairs = list(zip(votes.greedy, votes.sampled, strict=False))  # one side may be a text ahead
    left, right = st.columns(2, gap="medium")
    with left:
        where = f"{lab.lm.name}, {lab.lm.where}; {duration(job.seconds)} of generation"
        show_chart(replace(chart, caption=f"{chart.caption} {where}."), "votes")
    with right:
        st.markdown(f"**T = 0:** {_summary(votes.greedy)}")
        st.markdown(f"**T = 0.7:** {_summary(votes.sampled)}")
        st.dataframe(
            {
                "seed": [first.seed for first, _ in pairs],
                "T = 0": [first.text for first, _ in pairs],
                "T = 0.7": [second.text for _, second in pairs],
            },
            hide_index=True,
            height=215,
            key="vote_texts",
        )
        st.caption("The text after the prompt. The same seed gives the same text again.")


def _answers(texts: Sequence[Continuation]) -> list[str]:
    return [first_word(text.text) for text in texts]


def _summary(texts: Sequence[Continuation]) -> str:
    """Say how many texts there are, how far they agree, and what the vote comes to."""
    answers = _answers(texts)
    winner, n_votes = vote(answers)[0]
    n_distinct = len({text.token_ids for text in texts})
    agree = f", {percent(agreement(answers))} of pairs agree" if len(answers) > 1 else ""
    return (
        f"{plural(n_distinct, 'distinct text')} of {len(texts)}{agree}; “{winner}” wins with "
        f"{n_votes} of {plural(len(answers), 'vote')}."
    )
