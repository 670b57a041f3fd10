"""What tokens cost on a machine that is paid by the hour."""

from statistics import median

import streamlit as st

from model.job import Job
from model.prefill_decode.cost import (
    energy_meter,
    listed_ratio,
    measure_energy,
    price_request,
    price_tokens,
    saved_by_budget,
)
from model.prefill_decode.records import Energy, Prices
from pages.frame.attempts import made_or_said
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart
from pages.frame.job_panel import JobPanel, is_running
from pages.frame.question import opening
from pages.lessons.prefill_decode.recorded import recording_beside
from pages.lessons.prefill_decode.settings import SETTINGS
from pages.lessons.prefill_decode.state import PhaseLesson
from viz.chart import as_recorded
from viz.format import digits, percent, plural
from viz.prefill_decode.cost_chart import price_figure, request_figure
from viz.prefill_decode.phase_charts import typical

THOUSAND = 1000
ENERGY = "phase_energy"


def show_cost(lesson: PhaseLesson) -> None:
    """Shows the calculator, fed by what was measured above."""
    st.header("Cost per token", anchor=False)
    opening(
        "An hour costs the same whatever runs in it, so a token costs the time for which it "
        "holds the machine, and those that share a step share its price. The times are those of "
        "both phases and of the batches above; the price is yours."
    )
    st.fragment(_cost)(lesson)
    show_code(price_tokens, price_request, saved_by_budget, key="phase_code_6")
    _energy(lesson)


def _cost(lesson: PhaseLesson) -> None:
    if is_running(lesson.jobs, "phase_batches"):
        st.info("The steps are being measured: the prices return when that ends.")
        return
    run, batches = lesson.phases, lesson.found("phase_batches")
    recording = recording_beside(is_measured=run is not None)
    if run is None:
        if recording is None:
            st.info("Prices need the times of both phases: press Start on “Prefill and decode”.")
            return
        run, batches = recording.phases, recording.batches
    steps = {p.n_batch: p.seconds.median for p in batches.points} if batches else {}
    # at batch 1 the first run says more: it has a gap for each of a thousand tokens
    steps = {**steps, 1: median(typical(run.long_out).gaps)}
    price, n_in, n_out, n_batch = _inputs(sorted(steps))
    reading = run.readings[-1]
    seconds_in = reading.seconds.median / reading.n_tokens
    prices = made_or_said(lambda: price_tokens(price, seconds_in, steps[n_batch], n_batch))
    if prices is None:
        return
    note = (
        f"Measured on {run.machine.where}, {run.machine.model}: reading {reading.n_tokens} tokens, "
        "and the median gap or the median step of the batch."
    )
    left, right = st.columns(2, gap="large")
    with left:
        chart = price_figure(prices, note)
        show_chart(chart if lesson.phases else as_recorded(chart, run.machine), "phase_prices")
        _listed(prices)
    with right:
        _budget(prices, n_in, n_out)


def _inputs(sizes: list[int]) -> tuple[float, int, int, int]:
    """Asks for the price and the request."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="phase_cost_inputs"):
        price = SETTINGS.widget("price", width=220)
        n_in = SETTINGS.widget("n_in", width=150)
        n_out = SETTINGS.widget("n_out", width=150)
        n_batch = SETTINGS.widget("n_batch", options=sizes, width=270)
    return price, n_in, n_out, n_batch


def _listed(prices: Prices) -> None:
    """Lets the reader hold a price list's ratio against the measured one."""
    with st.container(horizontal=True, vertical_alignment="bottom", key="phase_listed"):
        price_in = SETTINGS.widget("listed_in", placeholder="type it", width=200)
        price_out = SETTINGS.widget("listed_out", placeholder="type it", width=200)
    if price_in is None or price_out is None:
        return
    ratio = made_or_said(lambda: listed_ratio(price_in, price_out))
    if ratio is None:
        return
    st.markdown(
        f"The list asks **{digits(ratio, 2)}** times as much for an output token; this machine "
        f"takes **{digits(prices.ratio, 2)}** times as long."
    )


def _budget(prices: Prices, n_in: int, n_out: int) -> None:
    budget = SETTINGS.widget("budget", high=n_out) if n_out > 1 else n_out
    rows = []
    for name, n_written in (
        (f"{plural(n_out, 'token')} out", n_out),
        (f"at most {budget}", budget),
    ):
        read, written = price_request(prices, n_in, n_written)
        rows.append((name, THOUSAND * read, THOUSAND * written))
    saved = percent(saved_by_budget(prices, n_in, n_out, budget))
    words = (
        f"a limit of {plural(budget, 'output token')} saves {saved} of a request with "
        f"{plural(n_in, 'token')} in."
    )
    show_chart(request_figure(rows, words), "phase_request")


def _energy(lesson: PhaseLesson) -> None:
    """Offers joules per token where a GPU counts them, by the engine that was timed and priced."""
    run = lesson.phases
    if run is None or is_running(lesson.jobs, "phase_phases"):
        return
    meter = energy_meter(lesson.lm.device)
    if meter is None:
        st.caption("Energy is not measured here: only an NVIDIA GPU counts it, through NVML.")
        return
    JobPanel(
        lesson.jobs,
        ENERGY,
        "Measure the energy",
        lambda: lesson.start(measure_energy(lesson.lm, run.engine, meter)),
        _joules,
        icon=":material/timer:",
    ).show()
    show_code(measure_energy, key="phase_code_9")


def _joules(job: Job[Energy]) -> None:
    energy = job.result
    st.caption(
        f"Measured by NVML, by {energy.engine}: {digits(energy.joules_in)} J a token read, "
        f"{digits(energy.joules_out)} J a token written, {digits(energy.ratio, 2)} to 1; both "
        "include what an idle GPU uses."
    )
