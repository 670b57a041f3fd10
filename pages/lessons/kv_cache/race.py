"""The cache lesson's second part: one text with the cache and without it, measured here."""

from __future__ import annotations

from itertools import accumulate

import streamlit as st

from model.flops import count_flops, growth_exponent, predict_flops
from model.kv_cache.experiments import Race, read_all, read_newest
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, show_metrics, theme_now
from pages.frame.running import in_slices, start_or_stop
from pages.lessons.kv_cache.state import CacheLesson, RaceRun
from viz.format import count, digits, percent, plural
from viz.kv_cache.race_charts import checks_table, per_step_figure, so_far_figure, work_figure

LENGTHS = (32, 64, 128, 256, 512)
SLICE_SECONDS = 0.35  # of measuring between two looks at the buttons


def show_race(lesson: CacheLesson) -> None:
    """Offer the race, and show it while it runs and when it is over."""
    st.header("With and without the cache", anchor=False)
    st.markdown(
        "**Without the cache every step reads the whole text again: the work of n tokens grows "
        "like n², with the cache about like n.** The same ids are forced on both sides."
    )
    in_slices(lambda: lesson.race, lambda: _race(lesson), SLICE_SECONDS)
    show_code(
        Race.advance,
        read_newest,
        read_all,
        predict_flops,
        count_flops,
        growth_exponent,
        key="kv_code_2",
    )


def _race(lesson: CacheLesson) -> None:
    run = lesson.race
    _controls(lesson)
    if lesson.race_notice:
        st.error(lesson.race_notice)
    if run is None:
        return
    if run.notice:
        st.error(run.notice)
    _progress(run)
    _figures(lesson, run)
    if run.is_over:
        _findings(run)


def _controls(lesson: CacheLesson) -> None:
    is_running = lesson.is_racing
    limit = lesson.lm.context_length or LENGTHS[-1]
    with st.container(horizontal=True, vertical_alignment="bottom", key="kv_race_buttons"):
        st.selectbox(
            "Tokens",
            [length for length in LENGTHS if length <= limit] or [limit],
            index=min(2, sum(length <= limit for length in LENGTHS[1:])),
            key="kv_length",
            disabled=is_running,
            width=120,
            persist_state="session",
        )
        start_or_stop(
            is_running=is_running,
            title="Start",
            key="kv",
            start=lambda: _start(lesson),
            stop=lambda: _stop(lesson),
            icon=":material/timer:",
        )


def _start(lesson: CacheLesson) -> None:
    lesson.walk.is_playing = False  # it would be timed as well
    try:
        race = Race(lesson.lm, lesson.walk.generation.ids, st.session_state["kv_length"])
    except ValueError as error:
        lesson.race_notice = str(error)
    else:
        lesson.race, lesson.race_notice = RaceRun(race), None


def _stop(lesson: CacheLesson) -> None:
    if lesson.race is not None:
        lesson.race.end()


def _progress(run: RaceRun) -> None:
    race = run.work
    n_done = len(race.steps)
    if run.is_running:
        waiting = "; waiting for another reader’s measurement" if run.is_waiting else ""
        said = f"{count(n_done)} of {count(race.n_tokens)} tokens{waiting}"
        st.progress(n_done / race.n_tokens, said)
    elif n_done < race.n_tokens:
        st.caption(f"Stopped after {count(n_done)} of {plural(race.n_tokens, 'token')}.")


def _figures(lesson: CacheLesson, run: RaceRun) -> None:
    lm, steps, theme = lesson.lm, run.work.steps, theme_now()
    where = lm.where
    left, right = st.columns(2, gap="large")
    with left:
        show_chart(per_step_figure(steps, where, theme), "kv_per_step")
    with right:
        show_chart(so_far_figure(steps, where, theme), "kv_so_far")
    if not run.is_running:
        show_chart(work_figure(steps, theme), "kv_work")


def _findings(run: RaceRun) -> None:
    """Show what the two sides agree on, how both grow, and whether the formula is right."""
    steps = run.work.steps
    n_same = sum(step.same_best for step in steps)
    scale = max(step.logit_scale for step in steps)
    cells = [
        (
            "largest gap of logits",
            f"{max(step.logit_gap for step in steps):.1e}",
            f"beside logits up to {digits(scale)}: rounding, and shown rather than assumed to be 0",
        ),
        (
            "same best token",
            f"{count(n_same)} of {count(len(steps))}",
            f"{percent(n_same / len(steps))} of the steps; promised in float32 only",
        ),
    ]
    if run.gap is not None:
        gap = run.gap
        for name, largest, reach in (
            ("keys", gap.keys, gap.keys_scale),
            ("values", gap.values, gap.values_scale),
        ):
            note = f"cached against one fresh pass; entries reach {digits(reach)}"
            cells.append((f"largest gap of {name}", f"{largest:.1e}", note))
    cells.append(("exponents, without and with", *_exponents(run)))
    show_metrics(cells, "kv_findings")
    _check_words(run)


def _exponents(run: RaceRun) -> tuple[str, str]:
    """Fit how seconds and FLOPs grow with the length; as they come."""
    steps = run.work.steps
    lengths = [step.n_tokens for step in steps]
    columns = [
        [float(step.recomputed_flops.total) for step in steps],
        [float(step.cached_flops.total) for step in steps],
        [step.recomputed_seconds for step in steps],
        [step.cached_seconds for step in steps],
    ]
    fitted = [growth_exponent(lengths, list(accumulate(column))) for column in columns]
    words = ["too few" if one is None else f"{one:.2f}" for one in fitted]
    return (
        f"{words[0]}, {words[1]}",
        f"of FLOPs so far; of seconds so far {words[2]} and {words[3]}: fixed costs of a pass "
        "flatten a short text’s. Fitted from an eighth of the length on.",
    )


def _check_words(run: RaceRun) -> None:
    wrong = [check for check in run.checks if check.counted != check.predicted]
    n_checks = plural(len(run.checks), "pass", "es")
    verdict = "counter and formula agree to the last operation"
    if wrong:
        far = max(abs(c.counted.total / c.predicted.total - 1) for c in wrong)
        verdict = (
            f"the formula, which knows dense layers, is off by up to {percent(far)} on this model"
        )
    st.caption(
        f"Torch’s counter over {n_checks} against the formula: {verdict}. Each time is a median "
        f"of {plural(run.work.n_runs, 'run')}, both sides warmed up, the device synchronised, the "
        "model’s own pass on either side; attention is counted full, not its causal half."
    )
    with st.expander("Torch’s counter beside the formula", key="kv_checks"):
        st.dataframe(checks_table(run.checks), hide_index=True, key="kv_checks_table")
