"""The speculative lesson's first part: rounds, stage by stage, with both caches."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from model.speculative.decoding import Speculation, accept_prob, residual
from model.speculative.drafting import ModelDraft, look_up
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from pages.frame.layout import is_presenting
from pages.frame.stepping import at_a_pace, step_buttons
from pages.lessons.speculative.settings import MOST_GUESSES, SETTINGS
from pages.lessons.speculative.state import CROP, DECIDE, PROPOSE, VERIFY, Lesson, Walk
from viz.format import duration, percent, plural
from viz.speculative.charts import distributions_figure
from viz.speculative.round_caches import caches
from viz.speculative.round_cards import round_cards, text_strip
from viz.strip import element

PLAY_SECONDS = 1.1  # between two stages: paced for the eye
STAGES = {PROPOSE: "propose", VERIFY: "verify", DECIDE: "accept or reject", CROP: "crop"}
SAYS = {
    PROPOSE: "The draft writes ahead, one small pass for each guess.",
    VERIFY: "The target reads all guesses in one pass: it now has a distribution for each place.",
    DECIDE: "From left to right: a guess stays where its coin is below target ÷ draft.",
    CROP: "Both caches forget what was rejected. The next round begins here.",
}
SAYS_GREEDY = {DECIDE: "From left to right: a guess stays where it is the target’s best token."}


def show_walk(lesson: Lesson) -> None:
    """Show the text, its last round, and what both models said at each of its places."""
    at_a_pace(
        lambda: lesson.walk.is_playing,
        lambda: _step(lesson),
        lambda: _walk(lesson),
        PLAY_SECONDS,
    )
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


def _walk(lesson: Lesson) -> None:
    walk = lesson.walk
    _buttons(lesson)
    if walk.notice:
        st.info(walk.notice)
    theme = theme_now()
    pieces, owners = walk.shown()
    scale = 1.3 if is_presenting() else 1.0
    st.html(_scaled(text_strip(pieces, owners, theme), scale))
    if not walk.rounds:
        st.caption("Press Step: the draft guesses.")
        return
    one = walk.rounds[-1]
    says = SAYS | SAYS_GREEDY if one.is_greedy else SAYS
    path = " → ".join(
        f"**{name}**" if stage == walk.stage else name for stage, name in STAGES.items()
    )
    st.markdown(f"Round {one.number}: {path}. {says[walk.stage]}")
    st.html(_scaled(round_cards(one, walk.stage, theme), scale))
    if walk.stage >= DECIDE:
        st.caption(_result(lesson))
    st.html(_scaled(caches(one, walk.stage, theme), scale))
    if walk.stage >= VERIFY:
        _distributions(lesson)


def _scaled(markup: Markup, scale: float) -> Markup:
    """Enlarge a drawing for the back row."""
    return element("div", markup, style=f"zoom:{scale}")


def _result(lesson: Lesson) -> str:
    """Say what the last round gave, and what all rounds gave."""
    walk = lesson.walk
    one = walk.rounds[-1]
    gained = one.n_accepted + (one.drawn is not None)
    n_rounds, n_written = len(walk.rounds), len(walk.text.ids) - walk.text.n_prompt
    tested = sum(p.verdict != "not tested" for r in walk.rounds for p in r.proposals)
    accepted = sum(r.n_accepted for r in walk.rounds)
    rate = f", {percent(accepted / tested)} of the guesses looked at stayed" if tested else ""
    steps = f" and {plural(one.n_steps, 'pass', 'es')} of the draft" if one.n_steps else ""
    took = f"{duration(one.target_seconds)}{f' and {duration(one.draft_seconds)}' if steps else ''}"
    return (
        f"Measured: this round gave {plural(gained, 'token')} for one pass of the target{steps}, "
        f"{took}. So far "
        f"{plural(n_written, 'token')} in {plural(n_rounds, 'pass', 'es')} of the target{rate}."
    )


def _distributions(lesson: Lesson) -> None:
    walk = lesson.walk
    one = walk.rounds[-1]
    n_places = len(one.bars)
    last = min(one.n_accepted, n_places - 1)
    names = [f"guess {place + 1}" for place in range(len(one.proposals))] + ["one more"]
    with st.expander("Both distributions, side by side", expanded=True, key="spec_bars_box"):
        place = st.segmented_control(
            "Place",
            list(range(n_places)),
            default=last,
            format_func=lambda i: names[i],
            key=f"spec_place_{one.number}_{one.n_text}",
            label_visibility="collapsed",
        )
        place = last if place is None else place
        has_draft = place < len(one.proposals)
        is_rejected = has_draft and one.proposals[place].verdict == "rejected"
        chart = distributions_figure(
            one.bars[place],
            one.rest[place],
            theme_now(),
            has_draft=has_draft,
            is_rejected=is_rejected and walk.stage >= DECIDE,
        )
        show_chart(chart, "spec_bars")
        if has_draft:
            st.caption(
                f"The chance that any guess of the draft stays here, Σ min(target, draft), is "
                f"{percent(one.proposals[place].overlap)}."
            )


def _buttons(lesson: Lesson) -> None:
    walk = lesson.walk
    with st.container(horizontal=True, vertical_alignment="bottom", key="spec_buttons"):
        step_buttons(
            "spec",
            is_playing=walk.is_playing,
            can_step=walk.can_step,
            can_go_back=walk.can_go_back,
            step=lambda: _step(lesson),
            play=walk.play,
            back=lambda: _back(lesson),
        )
        # where it is adaptive the draft decides
        SETTINGS.widget("guesses", width=180, disabled=SETTINGS["adaptive"])
        SETTINGS.widget("adaptive")
        SETTINGS.widget("whole")


def run_round(walk: Walk, *, whole: bool) -> None:
    """Go on by a stage, or by a whole round, as long as the widgets have it."""
    is_adaptive = SETTINGS["adaptive"]
    n_draft = MOST_GUESSES if is_adaptive else SETTINGS["guesses"]
    walk.step(n_draft, adaptive=is_adaptive, whole=whole)


def _step(lesson: Lesson) -> None:
    run_round(lesson.walk, whole=SETTINGS["whole"])
    lesson.walk.is_playing = lesson.walk.is_playing and lesson.walk.can_step


def _back(lesson: Lesson) -> None:
    lesson.walk.back(whole=SETTINGS["whole"])
