"""The second part: one text with the cache and without it, measured here."""

from __future__ import annotations

from itertools import accumulate

import streamlit as st

from model.flops import count_flops, growth_exponent, predict_flops
from model.job import Job
from model.kv_cache.experiments import race, read_all, read_newest
from model.kv_cache.records import Race
from model.loading import LanguageModel
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_chart, show_metrics, theme_now
from pages.frame.job_panel import show_job
from pages.lessons.kv_cache.settings import LENGTHS, SETTINGS
from pages.lessons.kv_cache.state import CacheLesson
from viz.format import count, digits, percent, plural
from viz.kv_cache.race_charts import checks_table, per_step_figure, so_far_figure, work_figure


def show_race(lesson: CacheLesson) -> None:
    """Offer the race, and show it while it runs and when it is over."""
    st.header("With and without the cache", anchor=False)
    st.markdown(
        "**Without the cache every step reads the whole text again: the work of n tokens grows "
        "like n², with the cache about like n.** Both sides read the same ids."
    )
    show_job(
        lesson.jobs,
        "kv_race",
        "Start",
        lambda: _start(lesson),
        lambda job: _show(lesson.lm, job),
        controls=lambda is_disabled: _length(lesson.lm, is_disabled),
        icon=":material/timer:",
    )
    show_code(
        race,
        read_newest,
        read_all,
        predict_flops,
        count_flops,
        growth_exponent,
        key="kv_code_2",
    )


def _length(lm: LanguageModel, is_disabled: bool) -> None:
    limit = lm.context_length or LENGTHS[-1]
    lengths = [length for length in LENGTHS if length <= limit] or [limit]
    SETTINGS.widget("length", options=lengths, disabled=is_disabled, width=120)


def _start(lesson: CacheLesson) -> Job[Race]:
    ids, n_tokens = lesson.text.generation.ids, SETTINGS["length"]
    job = Job(race(lesson.lm, ids, n_tokens), is_timed=True)
    lesson.stepper.is_playing = False  # it would be timed as well
    return job


def _show(lm: LanguageModel, job: Job[Race]) -> None:
    found, theme = job.found, theme_now()
    if found is None or not found.steps:
        return
    left, right = st.columns(2, gap="large")
    with left:
        show_chart(per_step_figure(found.steps, lm.where, theme), "kv_per_step")
    with right:
        show_chart(so_far_figure(found.steps, lm.where, theme), "kv_so_far")
    if not job.is_running:
        show_chart(work_figure(found.steps, theme), "kv_work")
    if found.checks:
        _findings(found)


def _findings(found: Race) -> None:
    """Show what the two sides agree on, how both grow, and whether the formula is right."""
    steps = found.steps
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
    if found.gap is not None:
        gap = found.gap
        for name, largest, reach in (
            ("keys", gap.keys, gap.keys_scale),
            ("values", gap.values, gap.values_scale),
        ):
            note = f"cached against one fresh pass; entries reach {digits(reach)}"
            cells.append((f"largest gap of {name}", f"{largest:.1e}", note))
    cells.append(("exponents, without and with", *_exponents(found)))
    show_metrics(cells, "kv_findings")
    _check_words(found)


def _exponents(found: Race) -> tuple[str, str]:
    """Fit how seconds and FLOPs grow with the length; as they come."""
    steps = found.steps
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


def _check_words(found: Race) -> None:
    wrong = [check for check in found.checks if check.counted != check.predicted]
    n_checks = plural(len(found.checks), "pass", "es")
    verdict = "counter and formula agree to the last operation"
    if wrong:
        far = max(abs(c.counted.total / c.predicted.total - 1) for c in wrong)
        verdict = (
            f"the formula, which knows dense layers, is off by up to {percent(far)} on this model"
        )
    st.caption(
        f"Torch’s counter over {n_checks} against the formula: {verdict}. Each time is a median "
        f"of {plural(found.n_runs, 'run')}, both sides warmed up, the device synchronised, the "
        "model’s own pass on either side; attention is counted full, not its causal half."
    )
    with st.expander("Torch’s counter beside the formula", key="kv_checks"):
        st.dataframe(checks_table(found.checks), hide_index=True, key="kv_checks_table")
