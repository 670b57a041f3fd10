"""Any architecture without its weights: a shape, what it takes, and then the page measures it."""

import threading

import streamlit as st

from model.prefill_decode.random_weights import make_shape
from model.records import ShapePlan
from model.weights.published_shapes import ModelShape, published_models, published_shape
from model.weights.shapes import plan_shape, read_shape, typed_shape
from pages.frame.attempts import made_or_said
from pages.frame.code_that_ran import show_code
from pages.frame.gc_tuning import free_when_gone, freeze_heap
from pages.frame.layout import show_error
from pages.frame.offers import is_restricted, listed_models
from pages.lessons.prefill_decode.settings import PASTED, SETTINGS, SHAPE_FIELDS, TYPED
from pages.lessons.prefill_decode.state import PhaseLesson
from viz.format import digits, size

_WITH_CACHE = 1.2  # of the weights: what a cache and a pass need besides
_making = threading.Lock()  # one shape is made at a time: each takes memory that others count on


def show_shapes(lesson: PhaseLesson) -> None:
    """Lets the reader measure a shape in place of the model."""
    is_shape = lesson.lm is not lesson.home
    with st.expander(
        "Measure another architecture: its shape, with random weights", expanded=False
    ):
        st.markdown(
            "Time depends on how many numbers a model has and not on which. **A shape shows what "
            "a large model’s phases cost, with nothing downloaded**; what it writes means nothing."
        )
        if listed_models() and is_restricted():
            st.info("This server offers its listed models only, so no other shape is made here.")
            return
        st.fragment(_choose)(lesson, lesson.lm.name)
        show_code(plan_shape, make_shape, key="phase_code_8")
    if is_shape:
        with st.container(horizontal=True, vertical_alignment="center", key="phase_shape_now"):
            st.caption("Its weights are random: the times are real, the words are not.")
            st.button(
                f"Back to {lesson.home.name}", key="phase_home", on_click=_go_home, args=(lesson,)
            )


def _choose(lesson: PhaseLesson, drawn: str) -> None:
    if lesson.lm.name != drawn:
        st.rerun()  # another model is measured now: all of the page is of it
    with st.container(horizontal=True, vertical_alignment="bottom", key="phase_shape_inputs"):
        shape = SETTINGS.widget("shape", width=220)
        SETTINGS.widget("dtype", width=150)
        if shape == TYPED:
            for field in SHAPE_FIELDS:
                SETTINGS.widget(field.name, width=130)
    if shape == PASTED and not SETTINGS.widget("config", height=160).strip():
        st.caption("Paste a model’s config.json to see what it would take.")
        return
    plan = made_or_said(lambda: plan_shape(_shape(), SETTINGS["dtype"]))
    if plan is None:
        return
    free = size(plan.free_bytes)
    st.caption(
        f"Derived: {digits(plan.n_parameters / 1e6)} million parameters take "
        f"{size(plan.weight_bytes)}, one sequence’s cache {size(plan.cache_bytes)}, a pass about "
        f"{size(plan.pass_bytes)}: {size(plan.total_bytes)} together, and {free} is free."
    )
    if not plan.fits:
        show_error(
            f"{plan.name} does not fit here: {size(plan.total_bytes)} of {free}. Choose a smaller "
            f"shape or 16-bit numbers{_or_go_home(lesson)}.{_what_fits(plan)}"
        )
    st.button(
        "Make it and measure it",
        key="phase_make",
        disabled=not plan.fits or lesson.is_measuring,
        on_click=_make,
        args=(lesson,),
    )
    show_error(lesson.problem)


def _what_fits(plan: ShapePlan) -> str:
    """Names the largest of the listed shapes for which there is room in these numbers."""
    each = _WITH_CACHE * plan.weight_bytes / plan.n_parameters
    fits = [m for m in published_models() if each * m.n_parameters <= plan.free_bytes]
    largest = max(fits, key=lambda model: model.n_parameters, default=None)
    return "" if largest is None else f" Of those listed, {largest.name} would fit."


def _or_go_home(lesson: PhaseLesson) -> str:
    """Names the memory that a shape in use would give back."""
    is_shape = lesson.lm is not lesson.home
    return f", or go back to {lesson.home.name} first, which frees the shape in use" * is_shape


def _shape() -> ModelShape:
    """Returns the shape that the widgets describe."""
    kind = SETTINGS["shape"]
    if kind == PASTED:
        return read_shape(SETTINGS["config"])
    if kind == TYPED:
        return typed_shape(*(SETTINGS[field.name] for field in SHAPE_FIELDS))
    return published_shape(kind)


def _make(lesson: PhaseLesson) -> None:
    """Makes the shape; where that fails, says why and keeps the model in use."""
    with lesson.attempt():
        with _making:
            lm = make_shape(_shape(), SETTINGS["dtype"])
        lesson.measure(lm)
        freeze_heap()
        free_when_gone(lm)


def _go_home(lesson: PhaseLesson) -> None:
    lesson.measure(lesson.home)
    freeze_heap()  # what the shape took is free from here on
