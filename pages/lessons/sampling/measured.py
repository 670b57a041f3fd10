"""What Python measures on the lab's masks: how alike they are, and whether draws follow one."""

from dataclasses import replace

import numpy as np
import streamlit as st

from model.chi_square import chi_square
from model.draw import count_draws, rank_order
from model.records import Stage
from model.sampling.experiments import divergence, jaccard, kept_at
from model.settings import SETTINGS as ALL_SETTINGS
from pages.frame.figures import show_chart, show_charts
from pages.frame.question import answered
from pages.lessons.sampling.settings import SETTINGS, title
from pages.lessons.sampling.state import SLIDERS, Lab
from viz.bars import draws_figure
from viz.format import count, digits, plural
from viz.sampling.charts import divergence_figure, overlap_figure, temperature_figure

N_DRAWS = 10_000
TEMPERATURES = (0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
STILL = ("None", "Top-k alone", "Those that count ranks or measure logits", "All but top-p")


def show_overlap(state: Lab) -> None:
    """Compares every pair of the masks shown, at the values of their sliders."""
    shown = state.controls.shown
    stages, names = [state.alone(name) for name in shown], list(map(title, shown))
    overlaps = np.array([[jaccard(a, b) for b in stages] for a in stages])
    divergences = np.array([[divergence(a, b) for b in stages] for a in stages])
    overlap, apart = overlap_figure(names, overlaps), divergence_figure(names, divergences)
    with st.expander("How alike are the masks?", key="lab_alike"):
        show_charts([(overlap, "overlap"), (apart, "divergence")])


def show_temperatures(state: Lab) -> None:
    """Asks which masks stand still when the temperature moves, then shows what each keeps."""
    st.header("Which masks stand still when the temperature rises?", anchor=False)
    st.markdown("The temperature comes first, then one mask. From T = 0.5 to T = 3:")
    values = {name: getattr(state.controls, name) for name in SLIDERS if name != "temperature"}
    values = {name: value for name, value in values.items() if value != ALL_SETTINGS[name].neutral}
    kept = kept_at(state.given.logits, values, TEMPERATURES)
    still = [name for name, sets in kept.items() if all((one == sets[0]).all() for one in sets)]
    right = STILL[0] if not still else STILL[1] if still == ["top_k"] else STILL[2]
    if not answered("Which keep the same tokens?", STILL, right, "lab_still"):
        return
    counts = np.array([[one.sum() for one in sets] for sets in kept.values()])
    show_chart(temperature_figure([title(name) for name in kept], TEMPERATURES, counts), "still")
    st.markdown(
        f"**The same tokens at every temperature: {', '.join(map(title, still)) or 'none'}.** "
        "Top-k counts ranks; Top-n-sigma and Min-k measure the logits by their own spread. "
        "Dividing all logits by one number changes neither. The others compare probabilities, "
        "which a temperature moves. P-less alone has no knob."
    )


def show_draws(state: Lab) -> None:
    """Draws from one of the masks, or from a pipeline, and tests the counts."""
    st.header("Do the draws follow the distribution?", anchor=False)
    with st.container(horizontal=True, vertical_alignment="bottom"):
        source = SETTINGS.widget("draw_from", width=320)
        st.button(
            f"Draw {count(N_DRAWS)} tokens again",
            key="draw_again",
            on_click=_draw_again,
            args=(state,),
            help="Each press takes the pointers of the next seed.",
        )
    stage = _stage(state, source)
    drawn = count_draws(stage, N_DRAWS, state.n_draws)
    order = rank_order(stage.scores)
    labels = [state.given.label(int(i), state.lm) for i in order[:24]]
    chart = draws_figure(labels, drawn[order], stage.probs[order])
    show_chart(replace(chart, caption=f"{chart.caption} Seed {state.n_draws}."), "draws")
    test = chi_square(drawn, stage.probs)
    if test.n_degrees == 0:
        st.markdown("One token is left, so there is nothing to test: every pointer falls on it.")
        return
    verdict = "as chance would have it" if test.p_value > 0.01 else "unusual: draw again"
    pooled = f" {plural(test.n_pooled, 'rare token')} share one bin." if test.n_pooled > 1 else ""
    st.markdown(
        f"**χ² = {digits(test.statistic)}** with {plural(test.n_degrees, 'degree')} of freedom, "
        f"**p = {digits(test.p_value, 2)}**: {verdict}. Of a hundred fair runs, about "
        f"{round(100 * test.p_value)} would stray as far.{pooled}"
    )


def _draw_again(state: Lab) -> None:
    state.n_draws += 1


def _stage(state: Lab, source: str) -> Stage:
    kind, _, name = source.partition(":")
    return state.alone(name) if kind == "alone" else state.pipeline(name)
