"""The constrained-decoding lesson below its title: the request, the text and the mask, methods."""

from __future__ import annotations

from typing import Any

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from model.constraints.decoding import ConstrainedBeamSearch, ConstrainedGeneration, Constraint
from model.constraints.experiments import MAX_TOKENS, N_BEAMS, N_TEXTS, compare_methods
from model.constraints.records import MethodResult
from model.generation import Generation
from model.job import Job
from model.loading import LanguageModel
from model.sampling import Settings
from pages.frame.experiment import Experiment
from pages.frame.figures import show_chart, show_table
from pages.frame.layout import show_error
from pages.frame.lesson_state import lesson_state
from pages.frame.link import offer_link
from pages.frame.stepper import show_stepper
from pages.lessons.constraints.settings import SETTINGS, put_request, request_now
from pages.lessons.constraints.state import (
    EXAMPLES,
    FIRST,
    HINTS,
    ConstrainedSteps,
    ConstraintLesson,
    begin,
)
from viz.constraints.mask_chart import DEAD_END_MASS, mask_figure, mass_figure
from viz.constraints.methods_chart import methods_figure, methods_table
from viz.format import nats, plural
from viz.strip import chip, row

LESSON = "constraint_lesson"
PLAY_SECONDS = 0.8
SIZE = "font-size:1rem"


def show_constraint_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    st.markdown(
        "A constraint is a mask over the vocabulary, computed anew at every token. It looks one "
        "token ahead, so argmax can run into a dead end, where all allowed tokens together have "
        "almost no probability."
    )
    with st.container(key="constraint_part"):
        with st.container(key="setup_constraint"):
            _controls(lesson)
        show_error(lesson.problem)
        show_stepper(lambda: lesson.stepper, lambda: _generation(lesson), PLAY_SECONDS)
    offer_link(SETTINGS, lesson.lm, caption=f"On {lesson.lm.name}, {lesson.lm.where}.")
    DeadEnds(lesson).show()


def _begin(lm: LanguageModel, old: ConstraintLesson | None) -> ConstraintLesson:
    """Begin with what was asked for with the model before, or with what a link asks for."""
    problem = None
    if old is not None:
        try:
            return ConstraintLesson(lm, begin(lm, old.stepper.steps.request, _temperature))
        except ValueError as error:
            problem = f"{error} The page shows its first example instead."
            put_request(EXAMPLES[FIRST])
    lesson = ConstraintLesson(lm, begin(lm, request_now(), _temperature))
    lesson.problem = problem
    put_request(lesson.stepper.steps.request)
    return lesson


def _temperature() -> float:
    return float(SETTINGS["temperature"])


# The request


def _controls(lesson: ConstraintLesson) -> None:
    again: dict[str, Any] = {"on_change": _begin_again, "args": (lesson,)}
    left, right = st.columns(2, gap="medium")
    with left:
        SETTINGS.widget("example", on_change=_take_example, args=(lesson,))
        SETTINGS.widget("prompt", **again)
    with right:
        hint = HINTS[lesson.stepper.steps.request.kind]
        SETTINGS.widget("kind", help=hint, on_change=_take_kind, args=(lesson,))
        SETTINGS.widget("constraint", height=76, label_visibility="collapsed", **again)


def _take_example(lesson: ConstraintLesson) -> None:
    put_request(EXAMPLES[SETTINGS["example"]])
    _begin_again(lesson)


def _take_kind(lesson: ConstraintLesson) -> None:
    """Put in an example of another kind, for the constraint on the page is of the old one."""
    kind = SETTINGS["kind"]
    if kind != lesson.stepper.steps.request.kind:
        put_request(next(request for request in EXAMPLES.values() if request.kind == kind))
        _begin_again(lesson)


def _begin_again(lesson: ConstraintLesson) -> None:
    """Begin by what the controls say; if that cannot be, what is on the page stays."""
    with lesson.attempt("The text before it stays below."):
        lesson.stepper = begin(lesson.lm, request_now(), _temperature)
        lesson.jobs.clear()


# The text that grows


def _generation(lesson: ConstraintLesson) -> None:
    stepper = lesson.stepper
    beside = stepper.show()
    with beside.container(horizontal=True, vertical_alignment="center", width="content"):
        st.markdown("Temperature, 0 is argmax", width="content")
        SETTINGS.widget("temperature", width=200, label_visibility="collapsed")
    st.html(_strip(stepper.steps))
    generation, coming = lesson.generation, None
    left, right = st.columns([3, 2], gap="large")
    with left:
        if stepper.steps.can_step:
            coming = _mask(generation)
        else:
            _verdict(stepper.steps)
    with right:
        st.markdown("The probability that the mask removes at each token.")
        show_chart(mass_figure(generation.steps, coming), "constraint_mass")


def _mask(generation: ConstrainedGeneration) -> float:
    """Show the mask over the next token's distribution; return what it allows."""
    st.markdown("The next token: the model’s distribution, before and after the mask.")
    temperature = _temperature()
    distribution = generation.look(Settings(temperature=temperature))
    chart = mask_figure(distribution, temperature=temperature)
    show_chart(chart, "constraint_mask")
    return distribution.mass


def _strip(steps: ConstrainedSteps) -> Markup:
    """Write the text as boxes, the prompt first."""
    prompt = chip(steps.request.prompt[-80:] or "(nothing)", "prompt", style=SIZE)
    tokens = (
        chip(step.label, "error", "marked", style=SIZE)
        if step.mass < DEAD_END_MASS
        else chip(step.label, "generated", style=SIZE)
        for step in steps.generation.steps
    )
    return row(prompt, *tokens, gap="4px")


def _verdict(steps: ConstrainedSteps) -> None:
    """Say what was generated, and what the model thinks of it."""
    result = steps.generation.result()
    length = plural(len(steps.generation.steps), "token")
    if not result.is_complete:
        st.info(
            f"There is no room for more: after {length} the constraint is not met. Go back and "
            "take another token, or ask for a shorter text."
        )
        return
    st.markdown(f"**The text is complete:** {nats(result.logprob)} over {length}.")
    st.code(result.text.strip(), language="json" if steps.request.kind == "schema" else None)
    st.caption(
        "Its log p is that of the model without the mask. Go back and take another token, or "
        "compare decoding methods below."
    )


class DeadEnds(Experiment[ConstraintLesson]):
    """One constraint by several decoding methods."""

    key, title = "constraint_methods", "Escaping a dead end"
    button = "Compare decoding methods"
    recorded = tuple[MethodResult, ...]
    claim = (
        "Sampling at a low temperature sometimes takes the other branch; beam search looks ahead "
        "and compares whole prefixes. Where the wrong branch is far likelier, a low temperature "
        f"does not help. Each temperature gets {N_TEXTS} texts, the search {N_BEAMS} beams."
    )
    code = (
        ConstrainedGeneration.step,
        Constraint.allowed,
        Constraint.after,
        ConstrainedBeamSearch.allowed,
        ConstrainedBeamSearch.is_end,
    )

    def _start(self) -> Job[tuple[MethodResult, ...]]:
        text = self.lesson.generation.text
        start = Generation(text.lm, text.prompt_ids, max_new_tokens=MAX_TOKENS)
        return Job(compare_methods(start, self.lesson.generation.constraint), is_timed=True)

    def _draw(self, job: Job[tuple[MethodResult, ...]]) -> None:
        methods = job.result
        if len(methods) > 1:  # argmax, and what it is compared with
            show_chart(methods_figure(methods), "constraint_methods_chart")
            table = methods_table(methods)
            show_table(table, "constraint_methods_table")
