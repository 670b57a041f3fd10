"""The cache lesson's third part: what caches of models that are not loaded would take."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from model.kv_cache import cache_shape
from model.kv_cache.plan import BITS, plan_cache
from model.kv_cache.records import CachePlan
from model.weights.published_shapes import PublishedModel, published_models
from model.weights.random_weights import counted_shape, read_shape
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, theme_now
from viz.kv_cache.plan_chart import plan_figure, plan_table

LONGEST_CONTEXT = 10_000_000
GIGABYTE = 10**9


def show_plan() -> None:
    """Show the calculator, and the code behind it."""
    st.header("What larger models keep", anchor=False)
    st.markdown(
        "**Long contexts and many readers fill a memory with keys and values, so models are built "
        "to keep fewer.** Nothing is loaded here: shapes are published, the rest is multiplication."
    )
    _plan()
    show_code(plan_cache, cache_shape, key="kv_code_3")


@st.fragment
def _plan() -> None:
    with st.container(horizontal=True, vertical_alignment="bottom", key="kv_plan_inputs"):
        n_tokens = st.number_input(
            "Tokens in a sequence",
            min_value=1,
            max_value=LONGEST_CONTEXT,
            value=8192,
            key="kv_context",
            width=190,
            persist_state="session",
        )
        n_batch = st.number_input(
            "Sequences in a batch",
            min_value=1,
            max_value=100_000,
            value=16,
            key="kv_batch",
            width=190,
            persist_state="session",
        )
        memory = st.number_input(
            "Memory, GB",
            min_value=0.1,
            max_value=100_000.0,
            value=80.0,
            key="kv_memory",
            width=150,
            persist_state="session",
        )
        cache_bits = _bits("Bits of the cache", "kv_cache_bits")
        weight_bits = _bits("Bits of the weights", "kv_weight_bits")

    def plan(model: PublishedModel) -> CachePlan:
        return plan_cache(model, int(n_tokens), cache_bits, weight_bits, memory * GIGABYTE)

    plans = [*map(plan, published_models()), *_pasted(plan)]
    show_chart(plan_figure(plans, cache_bits, theme_now()), "kv_plan_chart")
    st.dataframe(plan_table(plans, int(n_tokens), int(n_batch)), hide_index=True, key="kv_plan")
    st.caption(
        "Derived. Sequences that fit: (memory − weights) ÷ bytes of one sequence, rounded down; "
        "what a pass needs besides, and the scales of a cache in 8 or 4 bits, are not counted."
    )


def _pasted(plan: Callable[[PublishedModel], CachePlan]) -> list[CachePlan]:
    """Let the reader add a model by its config; what is none says so and the others stay."""
    with st.expander("Add a model by its config.json", key="kv_plan_paste"):
        text = st.text_area(
            "config.json", key="kv_config", height=140, max_chars=100_000, persist_state="session"
        )
        if not text.strip():
            st.caption("Nothing is downloaded: paste the text of the file from a model’s page.")
            return []
        try:
            return [plan(counted_shape(read_shape(text)))]
        except ValueError as error:
            st.error(str(error))
            return []


def _bits(name: str, key: str) -> int:
    chosen = st.segmented_control(
        name, BITS, default=BITS[0], key=key, required=True, persist_state="session"
    )
    return int(chosen or BITS[0])
