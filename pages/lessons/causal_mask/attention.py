"""The mask over the text, and the attention of every layer and head under it or without it."""

from typing import Any

import streamlit as st

from model.causal_mask.attention import read_attention
from model.causal_mask.records import AttentionMaps
from model.passes import twin_of
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart
from pages.frame.question import opening
from pages.lessons.causal_mask.settings import SETTINGS
from pages.lessons.causal_mask.state import MAX_MAPPED, MaskLesson, MeasuredText, Unmeasured
from viz.causal_mask.attention_map import attention_figure, heads_figure

ALL_HEADS = 0  # in the list of heads, which are counted from 1


def show_attention(lesson: MaskLesson) -> None:
    """Shows the attention weights."""
    st.header("Attention weights", anchor=False)
    opening(
        "Each row is a position: the darker a cell, the more it takes from the token of that "
        "column. To the right of itself it sees nothing."
    )
    st.fragment(_attention)(lesson)
    show_code(read_attention, twin_of, key="mask_code_1")


def _attention(lesson: MaskLesson) -> None:
    masked = lesson.text.maps(is_masked=True)
    if isinstance(masked, Unmeasured):
        st.info(masked.words)
        return
    _begin(lesson.text, masked)
    _take_press(masked)
    controls = st.container(horizontal=True, vertical_alignment="bottom", key="mask_controls")
    with controls:
        is_masked = SETTINGS.widget("mask") != "off"
        layer, head = _choose_head(masked)
    maps = masked if is_masked else lesson.text.maps(is_masked=False)
    if isinstance(maps, Unmeasured):
        st.info(maps.words)
        maps = masked
    left, right = st.columns([6, 5], gap="medium")
    with left:
        show_chart(attention_figure(maps, layer, head), "mask_map")
    with right:
        chart = heads_figure(maps, layer, head)
        show_chart(chart, "mask_heads", on_select="rerun", selection_mode="points")
    if lesson.text.is_cut:
        why = "later ones change nothing" if is_masked else "read by themselves"
        st.caption(f"The maps show the first {MAX_MAPPED} tokens: {why}.")


def _choose_head(maps: AttentionMaps) -> tuple[int, int | None]:
    """Lets the reader choose a layer and a head; returns their indices in the maps."""
    n_layers, n_heads = maps.weights.shape[:2]
    layer = SETTINGS.widget(
        "layer", options=range(n_layers), format_func=lambda i: str(maps.layers[i]), width=110
    )
    head = SETTINGS.widget(
        "head",
        options=range(n_heads + 1),
        format_func=lambda i: "mean of all" if i == ALL_HEADS else str(i),
        width=150,
    )
    return layer, None if head == ALL_HEADS else head - 1


def _begin(reading: MeasuredText, maps: AttentionMaps) -> None:
    """Shows the head that looks hardest first, once for each model, if no link asks for one."""
    name = f"{reading.lm.shown} {maps.weights.shape[:2]}"
    begun = st.session_state.get("mask_begun")
    if begun != name:
        layer, head = maps.sharpest
        if begun is not None or SETTINGS["layer"] is SETTINGS["head"] is None:
            SETTINGS.put(layer=layer, head=head + 1)
        st.session_state["mask_begun"] = name


def _take_press(maps: AttentionMaps) -> None:
    """Shows that small map large which was pressed, once for every press."""
    event: Any = st.session_state.get("mask_heads")
    points = event["selection"]["points"] if event else []
    pressed = tuple(points[0]["customdata"]) if points else None
    if pressed == st.session_state.get("mask_pressed"):
        return
    st.session_state["mask_pressed"] = pressed
    if pressed is not None and maps.weights.shape[0] > pressed[0] >= 0:
        SETTINGS.put(layer=int(pressed[0]), head=int(pressed[1]) + 1)
