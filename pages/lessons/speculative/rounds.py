"""The speculative lesson's first part: rounds, stage by stage, with both caches."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from model.speculative.decoding import Speculation, accept_prob, residual
from model.speculative.drafting import ModelDraft, look_up
from model.speculative.records import CROP, DECIDE, PROPOSE, VERIFY
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.layout import is_presenting
from pages.frame.stepper import show_stepper
from pages.lessons.speculative.settings import SETTINGS
from pages.lessons.speculative.state import RoundSteps, SpeculativeLesson
from viz.format import duration, percent, plural
from viz.presenter import FACTOR
from viz.speculative.charts import distributions_figure
from viz.speculative.round_caches import caches
from viz.speculative.round_cards import round_cards, text_strip
from viz.strip import element

PLAY_SECONDS = 1.1  # between two stages: paced for the eye
STAGES = {PROPOSE: "propose", VERIFY: "verify", DECIDE: "accept or reject", CROP: "crop"}
SAYS = {
    PROPOSE: "The draft writes ahead, one small pass for each token.",
    VERIFY: "The target reads all draft tokens in one pass: it has a distribution for each place.",
    DECIDE: "From left to right: a draft token is accepted where its coin is below target ÷ draft.",
    CROP: "Both caches drop what was rejected. The next round begins here.",
}
GREEDY_DECIDE = "From left to right: a draft token is accepted where it is the target’s best token."


def show_rounds(lesson: SpeculativeLesson) -> None:
    """Show the text, its last round, and what both models said at each of its places."""
    show_stepper(lambda: lesson.stepper, lambda: _draw(lesson), PLAY_SECONDS)
    show_code(
        Speculation.round,
        Speculation._weigh,
        Speculation._match,
        accept_prob,
        residual,
        ModelDraft.propose,
        look_up,
        key="spec_code_1",
    )


def _draw(lesson: SpeculativeLesson) -> None:
    stepper, steps, theme = lesson.stepper, lesson.stepper.steps, theme_now()
    with st.container(horizontal=True, vertical_alignment="bottom", key="spec_buttons"):
        stepper.buttons()
        SETTINGS.widget("guesses", width=180, disabled=SETTINGS["adaptive"])
        SETTINGS.widget("adaptive")
        SETTINGS.widget("whole")
    stepper.notices()
    _scaled(text_strip(*steps.shown(), theme))
    if not steps.rounds:
        st.caption("Press Step: the draft proposes.")
        return
    last, stage = steps.rounds[-1], steps.stage
    path = " → ".join(f"**{name}**" if at == stage else name for at, name in STAGES.items())
    says = GREEDY_DECIDE if last.is_greedy and stage == DECIDE else SAYS[stage]
    st.markdown(f"Round {last.number}: {path}. {says}")
    _scaled(round_cards(last, stage, theme))
    if stage >= DECIDE:
        st.caption(_result(steps))
    _scaled(caches(last, stage, theme))
    if stage >= VERIFY:
        _distributions(steps)


def _scaled(markup: Markup) -> None:
    """Show a drawing, enlarged for the back row."""
    st.html(element("div", markup, style=f"zoom:{FACTOR if is_presenting() else 1}"))


def _result(steps: RoundSteps) -> str:
    """Say what the last round gave, and what all rounds gave."""
    last, rounds = steps.rounds[-1], steps.rounds
    gained = last.n_accepted + (last.drawn is not None)
    n_written = len(steps.text.ids) - steps.text.n_prompt
    n_tested = sum(p.verdict != "not tested" for one in rounds for p in one.proposals)
    n_accepted = sum(one.n_accepted for one in rounds)
    rate = f", {percent(n_accepted / n_tested)} of the tested tokens accepted" if n_tested else ""
    passes, took = "one pass of the target", duration(last.target_seconds)
    if last.n_steps:
        passes += f" and {plural(last.n_steps, 'pass', 'es')} of the draft"
        took += f" and {duration(last.draft_seconds)}"
    return (
        f"Measured: this round gave {plural(gained, 'token')} for {passes}, {took}. So far "
        f"{plural(n_written, 'token')} in {plural(len(rounds), 'pass', 'es')} of the target{rate}."
    )


def _distributions(steps: RoundSteps) -> None:
    last = steps.rounds[-1]
    names = [f"draft token {place}" for place in range(1, len(last.proposals) + 1)] + ["bonus"]
    default = min(last.n_accepted, len(last.bars) - 1)
    with st.expander("Both distributions, side by side", expanded=True, key="spec_bars_box"):
        place = st.segmented_control(
            "Place",
            list(range(len(last.bars))),
            default=default,
            format_func=lambda i: names[i],
            key=f"spec_place_{last.number}_{last.n_text}",
            label_visibility="collapsed",
            required=True,
        )
        proposal = last.proposals[place] if place < len(last.proposals) else None
        chart = distributions_figure(
            last.bars[place],
            last.rest[place],
            theme_now(),
            has_draft=proposal is not None,
            is_rejected=proposal is not None
            and proposal.verdict == "rejected"
            and steps.stage >= DECIDE,
        )
        show_chart(chart, "spec_bars")
        if proposal is not None:
            st.caption(
                "The chance that a token of the draft is accepted here, Σ min(target, draft), is "
                f"{percent(proposal.overlap)}."
            )
