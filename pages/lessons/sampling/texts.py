"""What the lab generates: continuations that vote, and greedy texts that loop or do not."""

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
    MajorityVote,
    PenalisedTexts,
    UsedToken,
    first_word,
    write_votes,
    write_with_penalties,
)
from pages.frame.experiment import Experiment
from pages.frame.figures import show_caption, show_chart
from pages.frame.job_panel import measured_on
from pages.frame.question import lesson_asks, lesson_waits
from pages.lessons.sampling.settings import SETTINGS
from pages.lessons.sampling.state import Lab
from viz.chart import Chart, Table
from viz.format import count, duration, percent, plural
from viz.labels import in_sentence
from viz.sampling.charts import answers_html, loop_html, table_html, votes_figure

MAX_ANSWERS = 8


class SelfConsistency(Experiment[Lab]):
    """Twenty continuations, greedy and sampled, and their votes."""

    key, title = "vote", "Self-consistency: the majority of many samples"
    button = "Generate 20 at each"
    recorded = MajorityVote
    claim = (
        "Self-consistency asks a model many times and takes the majority answer. At T = 0 every "
        "answer is a copy of the first, so the vote says nothing. At T = 0.7 they may differ."
    )

    def _fields(self, _is_running: bool) -> None:
        SETTINGS.widget("vote_prompt")

    def _start(self) -> Job[MajorityVote]:
        return Job(write_votes(self.lesson.lm, SETTINGS["vote_prompt"]))

    def _draw(self, job: Job[MajorityVote]) -> None:
        votes = job.result
        if not votes.sampled:
            return
        if lesson_asks():  # how many answers there are
            sides = ("At temperature 0", votes.greedy), ("At temperature 0.7", votes.sampled)
            for name, texts in sides:
                st.html(answers_html(name, _answers(texts), is_covered=lesson_waits()))
            return
        left, right = st.columns(2, gap="medium")
        with left:
            chart, machine = _votes_chart(votes), measured_on(job, self.lesson.lm)
            where = f"{machine.model}, {machine.where}; {duration(job.seconds)} of generation"
            show_chart(replace(chart, caption=f"{chart.caption} {where}."), "votes")
        with right:
            with st.container(key="vote_tokens"):
                st.markdown(f"**T = 0:** {_summary(votes.greedy)}")
                st.markdown(f"**T = 0.7:** {_summary(votes.sampled)}")
            st.html(table_html(_texts(votes), height=215))
            st.caption("The text after the prompt. The same seed gives the same text again.")


def _votes_chart(votes: MajorityVote) -> Chart:
    greedy, sampled = _answers(votes.greedy), _answers(votes.sampled)
    answers = [answer for answer, _ in Counter([*greedy, *sampled]).most_common()][:MAX_ANSWERS]
    cold, warm = ([side.count(answer) for answer in answers] for side in (greedy, sampled))
    return votes_figure(answers, cold, warm)


def _texts(votes: MajorityVote) -> Table:
    """Writes both texts of each seed beside each other."""
    pairs = zip(votes.greedy, votes.sampled, strict=False)  # one side may be a text ahead
    return [{"seed": a.seed, "T = 0": a.text, "T = 0.7": b.text} for a, b in pairs]


def _answers(texts: Sequence[Continuation]) -> list[str]:
    return [first_word(text.text) for text in texts]


def _summary(texts: Sequence[Continuation]) -> str:
    """Says how many texts there are, how far they agree, and what the vote comes to."""
    answers = _answers(texts)
    winner, n_votes = Counter(answers).most_common(1)[0]
    n_distinct = len({text.token_ids for text in texts})
    agree = f", {percent(agreement(answers))} of pairs agree" if len(answers) > 1 else ""
    won = f"{in_sentence(winner)} wins with {n_votes} of {plural(len(answers), 'vote')}."
    return f"{plural(n_distinct, 'distinct text')} of {len(texts)}{agree}; {won}"


class GreedyLoops(Experiment[Lab]):
    """Greedy texts without and with each penalty."""

    key, title = "loop", "Greedy decoding can loop"
    button = "Generate with each penalty"
    recorded, draws_when_done = PenalisedTexts, True
    claim = (
        "Greedy decoding takes the best token every time. A phrase that has been repeated is "
        "likelier to come again, so a text may run in a circle. A penalty lowers the logits of "
        "tokens that are already in the text."
    )

    def _fields(self, _is_running: bool) -> None:
        SETTINGS.widget("loop_prompt")

    def _start(self) -> Job[PenalisedTexts]:
        return Job(write_with_penalties(self.lesson.lm, SETTINGS["loop_prompt"]))

    def _draw(self, job: Job[PenalisedTexts]) -> None:
        found, machine = job.result, measured_on(job, self.lesson.lm)
        quarters = [*st.columns(2, gap="medium"), *st.columns(2, gap="medium")]
        is_guided, waits = lesson_asks(), lesson_waits()
        shown = found.texts[:2] if is_guided else found.texts  # a scene speaks of one penalty
        for place, text in zip(quarters, shown, strict=False):
            is_covered = waits and text.penalty in PENALTIES
            with place:
                verdict = "…" if is_covered else _verdict(text)
                st.markdown(f"**{_title(text.penalty)}:** {verdict}")
                st.html(loop_html(text.before, text.repeated, text.changed, is_covered=is_covered))
        if is_guided:  # it asks what is spoilt
            show_caption("The best token each time.")
            return
        show_caption(
            f"Measured on {machine.model}, {machine.where}: the best token each time. A loop is "
            "marked, and what a penalty put in the place of a likelier token."
        )
        _show_sign_rule(found.used)


def _title(penalty: str) -> str:
    if penalty not in PENALTIES:
        return "No penalty"
    return f"{penalty.replace('_', ' ').capitalize()} {PENALTIES[penalty]:g}"


def _verdict(text: GreedyText) -> str:
    """Says in words what the detector saw."""
    length = plural(text.n_tokens, "token")
    if text.loop is not None:
        return f"“{text.phrase}” comes {plural(int(text.loop.n_times), 'time')} in a row."
    if text.changed:
        return f"{count(len(text.changed))} of {length}, marked, are not the likeliest."
    return f"the model ended it after {length}." if text.is_ended else f"no loop after {length}."


def _show_sign_rule(used: Sequence[UsedToken]) -> None:
    """Shows on the text's own next logits what the repetition penalty does to either sign."""
    penalty = PENALTIES["repetition_penalty"]
    st.markdown(
        "**The rule of the sign.** The repetition penalty divides a positive logit and multiplies "
        "a negative one: both go down. Dividing a negative logit would raise it."
    )
    rows: Table = [
        {
            "used token": token.label,
            "rule": f"{'÷' if token.logit >= 0 else '×'} {penalty:g}",
            "logit": f"{token.logit:.3f}",
            "after": f"{token.penalised:.3f}",
            "if always divided": f"{token.logit / penalty:.3f}",
        }
        for token in used
    ]
    st.html(table_html(rows))
    show_caption("Measured: logits for the token after the greedy text; derived: the rest.")
