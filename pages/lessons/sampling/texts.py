"""What the lab generates: continuations that vote, and greedy texts that loop or do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import streamlit as st

from model.draw import agreement
from model.job import Job
from model.sampling.experiments import (
    PENALTIES,
    Continuation,
    GreedyText,
    PenalisedTexts,
    UsedToken,
    Votes,
    first_word,
    write_votes,
    write_with_penalties,
)
from pages.frame.figures import show_caption, show_chart
from pages.frame.job_panel import measured_on, show_job
from pages.lessons.sampling.settings import SETTINGS
from pages.lessons.sampling.state import Lab
from viz.format import digits, duration, percent, plural
from viz.sampling.charts import loop_html, votes_figure

MAX_ANSWERS = 8


def show_votes(lab: Lab) -> None:
    """Offer twenty continuations, greedy and sampled, and show what was found so far."""
    st.header("Self-consistency: the majority of many samples", anchor=False)
    st.markdown(
        "Self-consistency asks a model many times and takes the majority answer. At T = 0 every "
        "answer is a copy of the first, so the vote says nothing. At T = 0.7 they may differ."
    )
    show_job(
        lab.jobs,
        "vote",
        "Generate 20 at each",
        lambda: Job(write_votes(lab.lm, SETTINGS["vote_prompt"])),
        lambda job: _show_votes(lab, job),
        recorded=Votes,
        controls=lambda _: SETTINGS.widget("vote_prompt"),
    )


def _show_votes(lab: Lab, job: Job[Votes]) -> None:
    votes = job.found
    if votes is None or not votes.sampled:
        return
    greedy, sampled = _answers(votes.greedy), _answers(votes.sampled)
    answers = [answer for answer, _ in Counter([*greedy, *sampled]).most_common()][:MAX_ANSWERS]
    cold, warm = ([side.count(answer) for answer in answers] for side in (greedy, sampled))
    chart = votes_figure(answers, cold, warm)
    pairs = list(zip(votes.greedy, votes.sampled, strict=False))  # one side may be a text ahead
    left, right = st.columns(2, gap="medium")
    with left:
        machine = measured_on(job, lab.lm)
        where = f"{machine.model}, {machine.where}; {duration(job.seconds)} of generation"
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
    winner, n_votes = Counter(answers).most_common(1)[0]
    n_distinct = len({text.token_ids for text in texts})
    agree = f", {percent(agreement(answers))} of pairs agree" if len(answers) > 1 else ""
    return (
        f"{plural(n_distinct, 'distinct text')} of {len(texts)}{agree}; “{winner}” wins with "
        f"{n_votes} of {plural(len(answers), 'vote')}."
    )


def show_loop(lab: Lab) -> None:
    """Offer greedy texts without and with each penalty, and show them as far as they are."""
    st.header("Greedy decoding can loop", anchor=False)
    st.markdown(
        "Greedy decoding gives the same text every time, and each repeat of a phrase makes the "
        "next one likelier. A penalty lowers the logits of tokens that are already there."
    )
    show_job(
        lab.jobs,
        "loop",
        "Generate with each penalty",
        lambda: Job(write_with_penalties(lab.lm, SETTINGS["loop_prompt"])),
        lambda job: _show_loops(lab, job),
        recorded=PenalisedTexts,
        controls=lambda _: SETTINGS.widget("loop_prompt"),
    )


def _show_loops(lab: Lab, job: Job[PenalisedTexts]) -> None:
    found, machine = job.found, measured_on(job, lab.lm)
    if found is None:
        return
    quarters = [*st.columns(2, gap="medium"), *st.columns(2, gap="medium")]
    for place, text in zip(quarters, found.texts, strict=True):
        with place:
            st.markdown(f"**{_title(text.penalty)}:** {_verdict(text)}")
            st.html(loop_html(text.before, text.repeated))
    show_caption(
        f"Measured on {machine.model}, {machine.where}: the best token each time; a loop is marked."
    )
    _show_sign_rule(found.used)


def _title(penalty: str) -> str:
    if penalty not in PENALTIES:
        return "No penalty"
    return f"{penalty.replace('_', ' ').capitalize()} {PENALTIES[penalty]:g}"


def _verdict(text: GreedyText) -> str:
    """Say in words what the detector saw."""
    if text.loop is not None:
        return (
            f"a loop of {plural(text.loop.period, 'token')} from token {text.loop.start + 1} on, "
            f"{digits(text.loop.n_times)} times so far."
        )
    length = plural(text.n_tokens, "token")
    return f"the model ended it after {length}." if text.is_ended else f"no loop after {length}."


def _show_sign_rule(used: Sequence[UsedToken]) -> None:
    """Show on the text's own next logits what the repetition penalty does to either sign."""
    penalty = PENALTIES["repetition_penalty"]
    numbers = {
        "logit": [token.logit for token in used],
        "after": [token.penalised for token in used],
        "if always divided": [token.logit / penalty for token in used],
    }
    st.markdown(
        "**The rule of the sign.** The repetition penalty divides a positive logit and multiplies "
        "a negative one: both go down. Dividing a negative logit would raise it."
    )
    st.dataframe(
        {
            "used token": [token.label for token in used],
            "rule": [f"{'÷' if token.logit >= 0 else '×'} {penalty:g}" for token in used],
            **numbers,
        },
        hide_index=True,
        column_config={name: st.column_config.NumberColumn(format="%.3f") for name in numbers},
        key="sign_rule",
    )
    show_caption("Measured: logits for the token after the greedy text; derived: the rest.")
