"""The speculative lesson below its title: the pair of models, its rounds, and what they gain."""

from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.loading import LanguageModel
from model.speculative.decoding import Speculation, accept_prob, residual
from model.speculative.drafting import ModelDraft, look_up
from model.speculative.records import CROP, DECIDE, PROPOSE, VERIFY, Round
from model.tokenizing import text_of
from pages.frame.code_that_ran import show_code
from pages.frame.figures import draw_when_opened, show_chart
from pages.frame.layout import show_error
from pages.frame.lesson_state import home_session, lesson_state
from pages.frame.link import asked, offer_link
from pages.frame.models import shared_model
from pages.frame.offers import DEFAULT_PROMPT
from pages.frame.question import lesson_asks, opening
from pages.frame.second_run import draw_in_second_run
from pages.frame.stepper import Stepper, show_stepper
from pages.lessons.speculative.proof import show_proof
from pages.lessons.speculative.race import ROUND, GreedyRace
from pages.lessons.speculative.settings import DRAFTS, LOOKUP, OTHER, SETTINGS, masks_now
from pages.lessons.speculative.speed import Drafts, SpeedUp
from pages.lessons.speculative.state import ModelPair, RoundSteps, SpeculativeLesson
from viz.format import duration, percent, plural
from viz.speculative.charts import distributions_figure
from viz.speculative.round_view import STYLE, caches, round_cards, text_strip

LESSON = "spec_lesson"
MAX_HOME_PROMPT = 400  # characters of the first page's prompt
PLAY_SECONDS = 1.1  # between two stages: paced for the eye
STAGES = {PROPOSE: "propose", VERIFY: "verify", DECIDE: "accept or reject", CROP: "crop"}
SAYS = {
    PROPOSE: "The draft writes ahead, one small pass for each token.",
    VERIFY: "The target reads all draft tokens in one pass: it has a distribution for each place.",
    DECIDE: "From left to right, a draft token is accepted if its pointer is below target ÷ draft.",
    CROP: "Both caches drop what was rejected. The next round begins here.",
}
GREEDY_DECIDE = "From left to right: a draft token is accepted where it is the target’s best token."
LOOKUP_SAYS = {  # a draft that is no model
    PROPOSE: "The draft copies what followed the same tokens earlier, without a pass.",
    CROP: "The target’s cache drops what was rejected. The next round begins here.",
}


def show_speculative_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    GreedyRace(lesson).show()
    draw_in_second_run(lambda: _show_laboratory(lesson))


def _show_laboratory(lesson: SpeculativeLesson) -> None:
    st.header(ROUND, anchor=False)
    opening(
        "The draft proposes, the target verifies all of it in one pass, and each proposal is "
        "accepted or rejected. The text stays the target’s own. Press Step."
    )
    show_error(lesson.problem)
    show_stepper(lambda: lesson.stepper, lambda: _draw(lesson), PLAY_SECONDS)
    with st.expander("Another text, another draft, temperature", key="spec_setup"):
        _choose(lesson)
    show_code(
        *(Speculation.round, Speculation._weigh, Speculation._match, accept_prob, residual),
        *(ModelDraft.propose, look_up),
        key="spec_code_1",
    )
    offer_link(SETTINGS, lesson.lm, _unless_hidden, _models(lesson))
    SpeedUp(lesson).show()
    Drafts(lesson).show()
    show_proof(lesson)


def _unless_hidden() -> dict[str, object]:
    """Keeps the name of another draft out of the link where a draft of ours is in use."""
    return {} if SETTINGS["draft"] == OTHER else {"other": None}


def _models(lesson: SpeculativeLesson) -> str:
    """Says which models these are."""
    lm, draft = lesson.lm, lesson.pair.draft
    sizes = f"{lm.shown}, {lm.n_parameters / 1e6:.1f} million parameters"
    if draft is not None:
        sizes += f"; draft {draft.name}, {draft.n_parameters / 1e6:.1f} million"
    return f"Target {sizes}; {lm.where}."


# The pair and the text


def _begin(lm: LanguageModel, _old: SpeculativeLesson | None) -> SpeculativeLesson:
    """Begins as a link asks, else with the first page's prompt and the best draft for its model."""
    pair, problem = _first_pair(lm)
    steps = None
    if asked(SETTINGS, "prompt") is None:
        reader = home_session()
        prompt = DEFAULT_PROMPT
        if reader is not None:
            prompt = text_of(reader.lm.tokenizer, reader.generation.prompt_ids)[:MAX_HOME_PROMPT]
        SETTINGS.put(prompt=prompt)
        try:
            steps = RoundSteps(pair, prompt)
        except ValueError:  # too long for this page
            SETTINGS.put(prompt=DEFAULT_PROMPT)
    steps = steps or RoundSteps(pair, SETTINGS["prompt"])
    lesson = SpeculativeLesson(lm, Stepper(steps, "spec"), pair)
    lesson.problem = problem
    return lesson


def _first_pair(lm: LanguageModel) -> tuple[ModelPair, str | None]:
    """Returns the pair to begin with, and why it is not the one that was meant, if it is not."""
    if asked(SETTINGS, "draft") is not None:
        return _wanted_pair(lm), None
    SETTINGS.put(draft=DRAFTS[0])
    try:
        return _wanted_pair(lm), None
    except ValueError as error:
        SETTINGS.put(draft=LOOKUP)
        return ModelPair(lm, None), f"{error} Prompt lookup drafts for now."


def _wanted_pair(lm: LanguageModel) -> ModelPair:
    """Returns the pair that the widgets ask for.

    Raises:
        ValueError: One sentence with the remedy.
    """
    name = SETTINGS["draft"]
    if name == OTHER:
        name = SETTINGS["other"].strip()
        if not name:
            raise ValueError("Name a draft: a folder, or a hub id with the target’s tokenizer.")
    return ModelPair(lm, None if name == LOOKUP else shared_model(name))


def _choose(lesson: SpeculativeLesson) -> None:
    """Lets the reader choose who drafts, how, and where the text begins."""
    is_greedy = masks_now().is_greedy  # then no pointer falls, and no mask matters
    anew: dict[str, Any] = {"on_change": _restart, "args": (lesson,)}
    with st.container(horizontal=True, vertical_alignment="bottom", key="spec_choices"):
        SETTINGS.widget("prompt", width=270, **anew)
        SETTINGS.widget("draft", width=170, **anew)
        if SETTINGS["draft"] == OTHER:
            SETTINGS.widget("other", width=200, placeholder="distilbert/distilgpt2", **anew)
        SETTINGS.widget("temperature", width=130, **anew)
        SETTINGS.widget("top_p", width=120, disabled=is_greedy, **anew)
        SETTINGS.widget("seed", width=110, disabled=is_greedy, **anew)


def _restart(lesson: SpeculativeLesson) -> None:
    """Begins again as the widgets say; where that cannot be, what is on the page stays."""
    with lesson.attempt():
        pair = _wanted_pair(lesson.lm)
        lesson.stepper = Stepper(RoundSteps(pair, SETTINGS["prompt"] or ""), "spec")
        lesson.pair = pair


# Its rounds


def _draw(lesson: SpeculativeLesson) -> None:
    stepper, steps = lesson.stepper, lesson.stepper.steps
    is_guided = lesson_asks()
    with stepper.show("bottom"):
        if not is_guided:
            SETTINGS.widget("guesses", width=180, disabled=SETTINGS["adaptive"])
            SETTINGS.widget("adaptive")
            SETTINGS.widget("whole")
    st.html(f"<style>{STYLE}</style>")
    st.html(text_strip(*steps.shown()))
    if not steps.rounds:
        st.caption("Press Step: the draft proposes.")
        return
    last, stage = steps.rounds[-1], steps.stage
    path = " → ".join(f"**{name}**" if at == stage else name for at, name in STAGES.items())
    if is_guided:
        st.html(round_cards(last, stage, with_sums=False))
        return
    st.markdown(f"Round {len(steps.rounds)}: {path}. {_says(last, stage)}")
    st.html(round_cards(last, stage))
    if stage >= DECIDE:
        st.caption(_result(steps))
    st.html(caches(last, stage))
    if stage >= VERIFY:
        title = "Both distributions, side by side"
        draw_when_opened(title, lambda: _show_distributions(steps), key="spec_bars_box")


def _says(last: Round, stage: int) -> str:
    """Says what a stage of the last round does."""
    if last.is_greedy and stage == DECIDE:
        return GREEDY_DECIDE
    return SAYS[stage] if len(last.caches) > 1 else LOOKUP_SAYS.get(stage, SAYS[stage])


def _result(steps: RoundSteps) -> str:
    """Says what the last round gave, and what all rounds gave."""
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


def _show_distributions(steps: RoundSteps) -> None:
    last = steps.rounds[-1]
    names = [f"draft token {place}" for place in range(1, len(last.proposals) + 1)] + ["bonus"]
    default = min(last.n_accepted, len(last.bars) - 1) if steps.stage >= DECIDE else 0
    place = st.segmented_control(
        "Place",
        list(range(len(last.bars))),
        default=default,
        format_func=lambda i: names[i],
        key=f"spec_place_{last.n_text}_{steps.stage >= DECIDE}",
        label_visibility="collapsed",
        required=True,
    )
    is_decided = steps.stage >= DECIDE
    chart = distributions_figure(last.bars[place], is_decided=is_decided)
    show_chart(chart, "spec_bars")
    if place < len(last.proposals):
        st.caption(
            "The chance that a token of the draft is accepted here, Σ min(target, draft), is "
            f"{percent(last.proposals[place].overlap)}."
        )
