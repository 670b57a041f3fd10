"""What Python measures on the lab's masks: how alike they are, and whether draws follow one."""

from collections.abc import Collection
from dataclasses import replace

import numpy as np
import streamlit as st

from model.chi_square import chi_square
from model.draw import count_draws, rank_order
from model.records import Stage
from model.sampling.experiments import divergence, jaccard, kept_at
from model.settings import SETTINGS as ALL_SETTINGS
from pages.frame.figures import draw_when_opened, show_chart, show_charts
from pages.frame.question import answered, lesson_asks, lesson_waits
from pages.lessons.sampling.settings import SETTINGS, title
from pages.lessons.sampling.state import SLIDERS, Lab
from viz.bars import draws_figure
from viz.format import UNUSUAL, chance, count, digits, plural
from viz.sampling.charts import divergence_figure, overlap_figure, temperature_figure

N_DRAWS, N_IN_SCENE = 10_000, 1_000
TEMPERATURES = (0.5, 0.7, 1.0, 1.5, 2.0, 3.0)
STILL = ("None", "One", "Two", "Three", "More than three")  # of the masks
BY_LOGITS = {  # why a mask keeps the same tokens at every temperature, whatever the logits are
    "top_k": "Top-k counts ranks.",
    "top_n_sigma": "Top-n-sigma measures the logits by their own spread, which a temperature "
    "divides by the same number.",
}
MIN_K = "Min-k looks for the steepest fall of the logits, which stays where it is"  # and its floor


def show_overlap(state: Lab) -> None:
    """Compares every pair of the masks shown, at the values of their sliders."""
    shown = state.controls.shown
    stages, names = [state.alone(name) for name in shown], list(map(title, shown))
    overlaps = np.array([[jaccard(a, b) for b in stages] for a in stages])
    divergences = np.array([[divergence(a, b) for b in stages] for a in stages])
    overlap, apart = overlap_figure(names, overlaps), divergence_figure(names, divergences)
    charts = [(overlap, "overlap"), (apart, "divergence")]
    draw_when_opened("How alike are the masks?", lambda: show_charts(charts), key="lab_alike")


def show_temperatures(state: Lab) -> None:
    """Asks which masks stand still when the temperature moves, then shows what each keeps."""
    st.header("Which masks stand still when the temperature rises?", anchor=False)
    st.markdown("The temperature comes first, then one mask. From T = 0.5 to T = 3:")
    values = {name: getattr(state.controls, name) for name in SLIDERS if name != "temperature"}
    values = {name: value for name, value in values.items() if value != ALL_SETTINGS[name].neutral}
    kept = kept_at(state.given.logits, values, TEMPERATURES)
    still = [name for name, sets in kept.items() if all((one == sets[0]).all() for one in sets)]
    right = STILL[min(len(still), len(STILL) - 1)]
    if not answered("How many of them keep the same tokens?", STILL, right, "lab_still"):
        return
    counts = np.array([[one.sum() for one in sets] for sets in kept.values()])
    show_chart(temperature_figure([title(name) for name in kept], TEMPERATURES, counts), "still")
    st.markdown(
        f"**The same tokens at every temperature: {', '.join(map(title, still)) or 'none'}.** "
        f"{why_still(tuple(kept), still)}"
    )


def why_still(names: Collection[str], still: Collection[str]) -> str:
    """Says why some masks keep the same tokens at every temperature and others do not.

    Args:
        names: the masks that were tried.
        still: those of them that kept the same tokens.
    """
    reasons = [why for name, why in BY_LOGITS.items() if name in names]
    if "min_k" in names:
        floor = (
            "; it keeps so many at least, and the floor does not count here."
            if "min_k" in still
            else "; but it keeps at least its setting over their range, and heat makes that small."
        )
        reasons.append(MIN_K + floor)
    by_probability = [name for name in names if name not in BY_LOGITS and name != "min_k"]
    moved, unmoved = (
        [title(name) for name in by_probability if (name in still) == is_still]
        for is_still in (False, True)
    )
    if moved:
        reasons.append(f"Compare probabilities, which a temperature moves: {', '.join(moved)}.")
    if unmoved:
        reasons.append(f"So do these, which happen to keep the same here: {', '.join(unmoved)}.")
    return " ".join(reasons)


def show_draws(state: Lab) -> None:
    """Draws from one of the masks, or from a pipeline, and tests the counts."""
    st.header("Do the draws follow the distribution?", anchor=False)
    is_guided, waits = lesson_asks(), lesson_waits()
    n_draws = N_IN_SCENE if is_guided else N_DRAWS
    with st.container(horizontal=True, vertical_alignment="bottom"):
        # a scene speaks of one bar
        source = SETTINGS["draw_from"] if is_guided else SETTINGS.widget("draw_from", width=320)
        st.button(
            f"Draw {count(n_draws)} tokens again",
            key="draw_again",
            on_click=_draw_again,
            args=(state,),
            help="Each press takes the pointers of the next seed.",
            disabled=waits,
        )
    stage = _stage(state, source)
    drawn = count_draws(stage, n_draws, state.n_draws)
    order = rank_order(stage.scores)
    labels = [state.given.label(int(i), state.lm) for i in order[:24]]
    of_all = drawn[order], stage.probs[order]
    chart = draws_figure(labels, *of_all, is_covered=waits, in_scene=is_guided)
    if is_guided:  # what it shows, a scene says
        show_chart(replace(chart, caption=""), "draws")
        return
    show_chart(replace(chart, caption=f"{chart.caption} Seed {state.n_draws}."), "draws")
    test = chi_square(drawn, stage.probs)
    if test.n_degrees == 0:
        st.markdown("One token is left, so there is nothing to test: every pointer falls on it.")
        return
    verdict = "As chance would have it" if test.p_value > UNUSUAL else "Unusual, draw again"
    n_far = f"about {round(100 * test.p_value)}" if test.p_value >= 0.005 else "fewer than one"
    pooled = f" {plural(test.n_pooled, 'rare token')} share one bin." if test.n_pooled > 1 else ""
    st.markdown(
        f"**{verdict}**: of a hundred fair runs, {n_far} would stray as far "
        f"(χ² = {digits(test.statistic)} with {plural(test.n_degrees, 'degree')} of freedom, "
        f"**p {chance(test.p_value, UNUSUAL)}**).{pooled}"
    )


def _draw_again(state: Lab) -> None:
    state.n_draws += 1


def _stage(state: Lab, source: str) -> Stage:
    kind, _, name = source.partition(":")
    return state.alone(name) if kind == "alone" else state.pipeline(name)
