"""The constrained-decoding lesson below its title: the request, the text and the mask, methods."""

from collections.abc import Sequence
from typing import Any

import streamlit as st
from markupsafe import Markup
from streamlit.delta_generator import DeltaGenerator

from model.constraints.decoding import ConstrainedBeamSearch, ConstrainedGeneration, Constraint
from model.constraints.experiments import MAX_TOKENS, N_BEAMS, N_TEXTS, compare_methods
from model.constraints.records import MaskedDistribution, MethodResult
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
from pages.frame.question import answered, lesson_asks
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
    choices_of,
)
from viz.constraints.mask_chart import DEAD_END_MASS, mask_figure, mass_figure
from viz.constraints.methods_chart import methods_figure, methods_table
from viz.constraints.walk_picture import DOT, N_PLACES, WalkedToken, name_of, walk_picture
from viz.format import percent, plural
from viz.strip import SPACE, prose

LESSON = "constraint_lesson"
SAID = "constraint_said"
PLAY_SECONDS = 0.8
MAX_SHOWN = 200  # characters of a prompt
_ONLY = Markup(
    "{}the model wanted “<em>{}</em>”; the rule left only “<em>{}</em>”{} or its beginning: {}."
)
_PIECES = Markup(" (<em>{}</em>)")
_WANTED = Markup("Where the model wanted “<em>{}</em>”, the rule left {} of its probability.")
_PARTED = Markup("“<em>{}</em>” is likelier than “<em>{}</em>”, so “<em>{}</em>” is ruled out. ")
_AFTER = Markup("After “<em>{}</em>”, ")


def show_constraint_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    show_error(lesson.problem)
    show_stepper(lambda: lesson.stepper, lambda: _generation(lesson), PLAY_SECONDS)
    with st.expander("Another prompt, another rule", key="constraint_setup"):
        _controls(lesson)
    offer_link(SETTINGS, lesson.lm, caption=f"The model is {lesson.lm.shown}.")
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
    can_step = stepper.steps.can_step
    _text(stepper.steps)
    is_said = _asked(lesson)
    stepper.show(waits=not is_said)
    coming = generation.look(Settings(temperature=_temperature())) if can_step else None
    walk = _walk(stepper.steps, coming)
    said = _said(lesson, walk) if is_said else ""
    st.html(walk_picture(walk, said, lesson.n_places(N_PLACES)))
    _end(lesson)
    show_summary("pages/constraints.py", DeadEnds.title, asked=SAID)
    if is_said:
        draw_when_opened(
            "Token by token", lambda: _details(lesson, coming), key="constraint_tokens"
        )


def _walk(steps: ConstrainedSteps, coming: MaskedDistribution | None) -> list[WalkedToken]:
    """Returns what stood before each token, and before the one that comes next."""
    walk, stem = [], ""
    for seen, step in zip(steps.seen, steps.generation.steps, strict=True):
        walk.append(WalkedToken(seen, step.label, stem))
        name = name_of(step.label, "" if step.label.startswith(SPACE) else stem)
        stem = name if name.replace(DOT, "").isalpha() else ""
    return walk if coming is None else [*walk, WalkedToken(coming, None, stem)]


def _said(lesson: ConstraintLesson, walk: Sequence[WalkedToken]) -> Markup:
    """Says where the rule left nothing that the model likes."""
    if not walk:
        return Markup("")
    ends = (i for i, one in enumerate(walk) if one.seen.mass < DEAD_END_MASS)
    at = next(ends, len(walk) - 1)
    one, best = walk[at], walk[at].seen.tokens[0]
    if best.is_allowed:
        return Markup("")
    parted = _parted(lesson, walk[at - 1]) if at > 0 else Markup("")
    if parted and walk[at].taken is None:
        return parted
    wanted, left = name_of(best.label, one.stem), lesson.left_by_the_rule(at)
    if left is None:
        return _WANTED.format(wanted, percent(one.seen.mass))
    before = walk[at - 1].taken if at > 0 else None
    start = "First " if before is None else _AFTER.format(name_of(before))
    end = walk[-1]
    whole = "" if end.taken is None else name_of(end.taken, end.stem)
    pieces = _PIECES.format(whole) if whole.replace(DOT, "") == left != whole else ""
    return parted + _ONLY.format(start, wanted, left, pieces, percent(one.seen.mass))


def _parted(lesson: ConstraintLesson, one: WalkedToken) -> Markup:
    """Says what an ending was lost for, where the likelier of two tokens was taken, the first."""
    request, taken = lesson.stepper.steps.request, one.taken
    if request.kind != "choices" or taken is None:
        return Markup("")
    first, *others = [token for token in one.seen.tokens if token.is_allowed]
    for token in others:
        beginning = token.label.replace(SPACE, " ")
        lost = [choice for choice in choices_of(request) if choice.startswith(beginning)]
        is_other = not taken.replace(SPACE, " ").startswith(beginning)
        if first.label == taken and is_other and len(lost) == 1:
            return _PARTED.format(name_of(taken), name_of(token.label), lost[0].strip())
    return Markup("")


def _asked(lesson: ConstraintLesson) -> bool:
    """Asks for one of the choices; tells whether the page may go on.

    Where a pointer draws, or a pattern has too many endings, nothing is asked.
    """
    steps = lesson.stepper.steps
    if steps.request.kind != "choices":
        _show_rule(steps.request)
        return True
    choices = [choice.strip() for choice in choices_of(steps.request)]
    if lesson_asks() or _temperature() > 0:
        may = " or ".join(f"**{as_written(choice)}**" for choice in choices)
        st.markdown(f"Allowed: {may}.")
        return True
    right = lesson.written().strip()
    question = "Only these endings are allowed. Which will be written?"
    until = "Press Play to see it." if steps.can_step else ""
    return answered(question, choices, right, SAID, until=until)


def _text(steps: ConstrainedSteps) -> None:
    """Writes the text so far, to be read."""
    text, request = steps.generation.text, steps.request
    written = pieces(text.lm.tokenizer, text.ids)[text.n_prompt :]
    parts = ((piece.joined, "generated") for piece in written)
    open_end = (" …", "") if steps.can_step else ("", "")
    st.html(prose((request.prompt[-MAX_SHOWN:], ""), *parts, open_end))


def _show_rule(request: ConstraintRequest) -> None:
    if request.kind == "pattern":
        st.markdown("Allowed, as a regular expression:", width="content")
        st.code(request.constraint, language=None)


def _end(lesson: ConstraintLesson) -> None:
    """Says where no token is left and the rule is not kept; shows what is data as such."""
    steps, generation = lesson.stepper.steps, lesson.generation
    if steps.can_step:
        return
    result, length = generation.result(), plural(len(generation.steps), "token")
    if not result.is_complete:
        st.info(
            f"There is no room for more: after {length} the constraint is not met. Go back and "
            "take another token, or ask for a shorter text."
        )
    elif steps.request.kind == "schema":
        st.code(result.text.strip(), language="json")


def _details(lesson: ConstraintLesson, coming: MaskedDistribution | None) -> None:
    """Shows the whole distribution under the mask, and what it removed at each token."""
    if coming is not None:
        temperature = _temperature()
        show_chart(mask_figure(coming, temperature=temperature), "constraint_mask")
    elif lesson.stepper.steps.request.kind == "choices":
        _missed(lesson)
    if taken := lesson.generation.steps:
        removed = mass_figure(taken, coming.mass if coming else None)
        show_chart(removed, "constraint_mass")


def _missed(lesson: ConstraintLesson) -> None:
    """Names the choice that is likelier as a whole, where there is one."""
    probs = lesson.probs_of(choices_of(lesson.stepper.steps.request))
    best = max(probs, key=lambda choice: probs[choice])
    if best.strip() != lesson.generation.result().text.strip():
        st.markdown(
            f"The model gives {percent(probs[best])} to *{as_written(best.strip())}*, its "
            "likeliest choice, and never came to it: the mask looks one token ahead."
        )


class DeadEnds(Experiment[ConstraintLesson]):
    """One constraint by several decoding methods."""

    key, title = "constraint_methods", "Escaping a dead end"
    button = "Compare decoding methods"
    draws_when_done = True
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
