"""How alike the masks are: the tokens that they share, the surprise of one for another."""

from __future__ import annotations

import numpy as np
import streamlit as st

from model.sampling.experiments import divergence, jaccard
from pages.frame.figures import show_chart, theme_now
from pages.lessons.sampling.state import Lab
from viz.sampling.charts import divergence_figure, overlap_figure

TITLES = {
    "greedy": "Greedy",
    "temperature": "Temperature",
    "top_k": "Top-k",
    "top_p": "Top-p",
    "min_p": "Min-p",
    "typical_p": "Typical",
    "epsilon": "Epsilon",
    "eta": "Eta",
    "top_n_sigma": "Top-nσ",
}


def show_overlap(state: Lab) -> None:
    """Compare every pair of masks at the values of their sliders."""
    stages = list(state.alone().values())
    overlaps = np.array([[jaccard(a, b) for b in stages] for a in stages])
    divergences = np.array([[divergence(a, b) for b in stages] for a in stages])
    names = list(TITLES.values())
    theme = theme_now()
    st.subheader("How alike are they?", anchor=False)
    left, right = st.columns(2, gap="medium")
    for place, key, chart in (
        (left, "overlap", overlap_figure(names, overlaps, theme)),
        (right, "divergence", divergence_figure(names, divergences, theme)),
    ):
        with place:
            show_chart(chart, key)
