"""What Python measures on the lab's masks: how alike they are, and whether draws follow one."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from model.chi_square import chi_square
from model.draw import rank_order
from model.records import Stage
from model.sampling.experiments import count_draws, divergence, jaccard
from pages.frame.figures import show_chart, show_charts
from pages.lessons.sampling.settings import SETTINGS, title
from pages.lessons.sampling.state import Lab
from viz.draws_chart import draws_figure
from viz.format import count, digits, plural
from viz.sampling.charts import divergence_figure, overlap_figure

N_DRAWS = 10_000


def show_overlap(state: Lab) -> None:
    """Compare every pair of the masks shown, at the values of their sliders."""
    shown = state.controls.shown
    stages, names = [state.alone(name) for name in shown], list(map(title, shown))
    overlaps = np.array([[jaccard(a, b) for b in stages] for a in stages])
    divergences = np.array([[divergence(a, b) for b in stages] for a in stages])
    st.header("How alike are they?", anchor=False)
    overlap = overlap_figure(names, overlaps)
    show_charts([(overlap, "overlap"), (divergence_figure(names, divergences), "divergence")])


def show_draws(state: Lab) -> None:
    """Draw from one of the masks, or from a pipeline, and test the counts."""
    st.header("Does the coin follow the distribution?", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = SETTINGS.widget("draw_from", width=320)
        st.button(
            f"Draw {count(N_DRAWS)} tokens again",
            key="draw_again",
            on_click=_draw_again,
            args=(state,),
            help="Each press takes the coins of the next seed.",
        )
    stage = _stage(state, source)
    drawn = count_draws(stage, N_DRAWS, state.n_draws)
    order = rank_order(stage.scores)
    labels = [state.given.label(int(i), state.lm) for i in order[:24]]
    chart = draws_figure(labels, drawn[order], stage.probs[order])
    show_chart(replace(chart, caption=f"{chart.caption} Seed {state.n_draws}."), "draws")
    test = chi_square(drawn, stage.probs)
    if test.n_degrees == 0:
        st.markdown("One token is left, so there is nothing to test: every coin falls on it.")
        return
    verdict = "as chance would have it" if test.p_value > 0.01 else "unusual: draw again"
    pooled = f" {plural(test.n_pooled, 'rare token')} share one bin." if test.n_pooled > 1 else ""
    st.markdown(
        f"**χ² = {digits(test.statistic)}** with {plural(test.n_degrees, 'degree')} of freedom, "
        f"**p = {digits(test.p_value, 2)}**: {verdict}. Of a hundred honest runs, about "
        f"{round(100 * test.p_value)} stray at least so far.{pooled}"
    )


def _draw_again(state: Lab) -> None:
    state.n_draws += 1


def _stage(state: Lab, source: str) -> Stage:
    kind, _, name = source.partition(":")
    return state.alone(name) if kind == "alone" else state.pipeline(name)
