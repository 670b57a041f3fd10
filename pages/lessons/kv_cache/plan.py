"""The cache lesson's third part: what caches of models that are not loaded would take."""

from collections.abc import Callable

import streamlit as st

from model.kv_cache import cache_shape
from model.kv_cache.plan import plan_cache
from model.kv_cache.records import CachePlan
from model.weights.published_shapes import ModelShape, published_models
from model.weights.shapes import read_shape
from pages.frame.attempts import made_or_said
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, show_table
from pages.frame.question import opening
from pages.lessons.kv_cache.settings import SETTINGS
from viz.kv_cache.plan_chart import plan_figure, plan_table

GIGABYTE = 10**9


def show_plan() -> None:
    """Shows the calculator, and the code behind it."""
    st.header("Cache memory of larger models", anchor=False)
    opening(
        "Long contexts and many readers fill a memory with keys and values, so models are built "
        "to keep fewer. Nothing is loaded here: shapes are published, the rest is multiplication."
    )
    _plan()
    show_code(plan_cache, cache_shape, key="kv_code_3")


@st.fragment
def _plan() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="kv_plan_inputs"):
        n_tokens = SETTINGS.widget("context", width=190)
        n_batch = SETTINGS.widget("batch", width=190)
        memory = SETTINGS.widget("memory", width=150)
        cache_bits = SETTINGS.widget("cache_bits")
        weight_bits = SETTINGS.widget("weight_bits")

    def plan(model: ModelShape) -> CachePlan:
        return plan_cache(model, n_tokens, cache_bits, weight_bits, memory * GIGABYTE)

    plans = [*map(plan, published_models()), *_pasted(plan)]
    show_chart(plan_figure(plans, cache_bits), "kv_plan_chart")
    show_table(plan_table(plans, n_tokens, n_batch), "kv_plan")
    st.caption(
        "Derived. Sequences that fit: (memory − weights) ÷ bytes of one sequence, rounded down; "
        "what a pass needs besides, and the scales of a cache in 8 or 4 bits, are not counted."
    )


def _pasted(plan: Callable[[ModelShape], CachePlan]) -> list[CachePlan]:
    """Lets the reader add a model by its config; what is none says so and the others stay."""
    with st.expander("Add a model by its config.json", key="kv_plan_paste"):
        text = SETTINGS.widget("config", height=140)
        if not text.strip():
            st.caption("Nothing is downloaded: paste the text of the file from a model’s page.")
            return []
        planned = made_or_said(lambda: plan(read_shape(text)))
        return [] if planned is None else [planned]
