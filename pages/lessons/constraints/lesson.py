"""The constrained-decoding lesson below its title: the request, the text and the mask, methods."""

import math
from collections.abc import Sequence
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.constraints.decoding import ConstrainedBeamSearch, ConstrainedGeneration, Constraint
from model.constraints.experiments import MAX_TOKENS, N_BEAMS, N_TEXTS, compare_methods
from model.constraints.records import ConstrainedStep, MethodResult
from model.generation import Generation
from model.job import Job
from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import pieces
from pages.frame.course import show_summary
from pages.frame.experiment import Experiment
from pages.frame.figures import draw_when_opened, show_chart, show_table
from pages.frame.layout import as_written, show_error
from pages.frame.lesson_state import lesson_state
from pages.frame.link import offer_link
from pages.frame.question import answered, lesson_asks, opening
from pages.frame.second_run import draw_in_second_run
from pages.frame.stepper import show_stepper
from pages.lessons.constraints.settings import SETTINGS, put_request, request_now
from pages.lessons.constraints.state import (
    EXAMPLES,
    FIRST,
    HINTS,
    ConstrainedSteps,
    ConstraintLesson,
    ConstraintRequest,
    begin,
)
from viz.constraints.mask_chart import DEAD_END_MASS, mask_figure, mass_figure, own_figure
from viz.constraints.methods_chart import methods_figure, methods_table
from viz.constraints.pair_chart import pair_figure
from viz.format import percent, plural
from viz.labels import in_sentence
from viz.palette import Size
from viz.strip import prose

LESSON = "constraint_lesson"
SAID = "constraint_said"
PLAY_SECONDS = 0.8
MAX_SHOWN = 200  # characters of a prompt


def show_constraint_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    taken = "the likeliest is taken" if _temperature() == 0 else "one is drawn"
    opening(
        "A program allows only some endings. Before every token a mask removes what would break "
        f"that rule, and of the rest {taken}. Each Step is a token."
    )
    show_error(lesson.problem)
    show_stepper(lambda: lesson.stepper, lambda: _generation(lesson), PLAY_SECONDS)
    with st.expander("Another prompt, another rule", key="constraint_setup"):
        _controls(lesson)
    offer_link(SETTINGS, lesson.lm, caption=f"The model is {lesson.lm.shown}.")
    show_summary("pages/constraints.py", DeadEnds.title, asked=SAID)
    draw_in_second_run(DeadEnds(lesson).show)


def _begin(lm: LanguageModel, old: ConstraintLesson | None) -> ConstraintLesson:
    """Begins with what was asked for with the model before, or with what a link asks for."""
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
        SETTINGS.widget("temperature")
    with right:
        hint = HINTS[lesson.stepper.steps.request.kind]
        SETTINGS.widget("kind", help=hint, on_change=_take_kind, args=(lesson,))
        SETTINGS.widget("constraint", height=76, label_visibility="collapsed", **again)


def _take_example(lesson: ConstraintLesson) -> None:
    put_request(EXAMPLES[SETTINGS["example"]])
    _begin_again(lesson)


def _take_kind(lesson: ConstraintLesson) -> None:
    """Puts in an example of another kind, for the constraint on the page is of the old one."""
    kind = SETTINGS["kind"]
    if kind != lesson.stepper.steps.request.kind:
        put_request(next(request for request in EXAMPLES.values() if request.kind == kind))
        _begin_again(lesson)


def _begin_again(lesson: ConstraintLesson) -> None:
    """Begins by what the controls say; if that cannot be, what is on the page stays."""
    with lesson.attempt("The text before it stays below."):
        lesson.stepper = begin(lesson.lm, request_now(), _temperature)
        lesson.jobs.clear()
        st.session_state.pop(SAID, None)


# The text that grows


def _generation(lesson: ConstraintLesson) -> None:
    stepper, generation = lesson.stepper, lesson.generation
    _text(stepper.steps)
    is_said = _asked(lesson)
    stepper.show(waits=not is_said)
    if not is_said:
        if stepper.steps.can_step:
            own = own_figure(generation.look(Settings(temperature=_temperature())))
            show_chart(own, "constraint_own")
        return
    _dead_end(generation.steps)
    if not stepper.steps.can_step:
        _verdict(lesson)
    coming = _mask(generation) if stepper.steps.can_step else None
    if not generation.steps:
        return

    def show_removed() -> None:
        show_chart(mass_figure(generation.steps, coming), "constraint_mass")

    if stepper.steps.can_step:
        title = "What the mask removed at each token"
        draw_when_opened(title, show_removed, key="constraint_removed")
    else:
        show_removed()  # the picture of the end


def _asked(lesson: ConstraintLesson) -> bool:
    """Asks for one of the choices; tells whether the page may go on.

    Where a pointer draws, or a pattern has too many endings, nothing is asked.
    """
    steps = lesson.stepper.steps
    if steps.request.kind != "choices":
        _show_rule(steps.request)
        return True
    choices = [choice.strip() for choice in _choices(steps.request)]
    if lesson_asks() or _temperature() > 0:
        may = " or ".join(f"**{as_written(choice)}**" for choice in choices)
        st.markdown(f"Allowed: {may}.")
        return True
    right = lesson.written().strip()
    return answered("Only these endings are allowed. Which will be written?", choices, right, SAID)


def _mask(generation: ConstrainedGeneration) -> float:
    """Shows the mask over the next token's distribution; returns what it allows."""
    temperature = _temperature()
    distribution = generation.look(Settings(temperature=temperature))
    show_chart(pair_figure(distribution), "constraint_pair")

    def show_tokens() -> None:
        show_chart(mask_figure(distribution, temperature=temperature), "constraint_mask")

    draw_when_opened("Token by token", show_tokens, key="constraint_tokens")
    return distribution.mass


def _text(steps: ConstrainedSteps) -> None:
    """Writes the text so far, to be read; what was taken in a dead end is marked in it."""
    text, request = steps.generation.text, steps.request
    written = pieces(text.lm.tokenizer, text.ids)[text.n_prompt :]
    roles = ["error" if s.mass < DEAD_END_MASS else "generated" for s in steps.generation.steps]
    parts = zip((piece.joined for piece in written), roles, strict=True)
    is_long = request.kind == "schema"
    open_end = (" …", "") if steps.can_step else ("", "")
    size: Size = "lead" if is_long else "row"
    st.html(prose((request.prompt[-MAX_SHOWN:], ""), *parts, open_end, size=size))


def _dead_end(steps: Sequence[ConstrainedStep]) -> None:
    """Tells in words where the rule left the model nothing that it likes."""
    step = next((one for one in steps if one.mass < DEAD_END_MASS), None)
    if step is not None:
        st.markdown(
            f"**A dead end.** Here the model wanted {in_sentence(step.wanted)} "
            f"({percent(step.wanted_prob)}). All that the rule allows has {percent(step.mass)} "
            f"together, and {in_sentence(step.label)} was written."
        )


def _show_rule(request: ConstraintRequest) -> None:
    if request.kind == "pattern":
        st.markdown("Allowed, as a regular expression:", width="content")
        st.code(request.constraint, language=None)


def _choices(request: ConstraintRequest) -> list[str]:
    return [line for line in request.constraint.splitlines() if line.strip()]


def _verdict(lesson: ConstraintLesson) -> None:
    """Says what was generated, and what the model thinks of it."""
    steps, generation = lesson.stepper.steps, lesson.generation
    result, length = generation.result(), plural(len(generation.steps), "token")
    if not result.is_complete:
        st.info(
            f"There is no room for more: after {length} the constraint is not met. Go back and "
            "take another token, or ask for a shorter text."
        )
        return
    prob = percent(math.exp(result.logprob))
    says = f"The rule is kept. To this ending the model itself gives {prob}."
    if steps.request.kind == "choices":
        probs = lesson.probs_of(_choices(steps.request))
        best = max(probs, key=lambda choice: probs[choice])
        if best.strip() != result.text.strip():
            says += (
                f" It gives {percent(probs[best])} to *{as_written(best.strip())}*, and never came "
                "to it: the mask looks one token ahead."
            )
    st.markdown(f"**{says}**")
    if steps.request.kind == "schema":
        st.code(result.text.strip(), language="json")


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
