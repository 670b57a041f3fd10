"""What the cache saves, measured here at every step of a text."""

from itertools import accumulate

import streamlit as st

from model.flops import count_flops, growth_exponent, predict_flops, predict_text
from model.job import Job
from model.kv_cache.experiments import race, read_all, read_newest
from model.kv_cache.over_server import N_BEST, race_over_server
from model.kv_cache.records import Race
from model.loading import LanguageModel
from model.tokenizing import encode
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import draw_when_opened, show_chart, show_charts, show_metrics, show_table
from pages.frame.models import shared_model
from pages.frame.offers import default_model, server_model
from pages.lessons.kv_cache.settings import LENGTHS, SETTINGS
from pages.lessons.kv_cache.state import CacheLesson
from viz.format import count, digits, percent, plural
from viz.kv_cache.bytes_chart import formula
from viz.kv_cache.race_charts import (
    checks_table,
    per_step_figure,
    so_far_figure,
    work_figure,
)


class WithAndWithoutCache(Experiment[CacheLesson]):
    """Both sides write the same text, step for step."""

    key, title = "kv_race", "With and without the cache"
    button, icon = "Start", TIMER
    claim = (
        "Without the cache every step reads the whole text again: the work of n tokens grows "
        "like n², with the cache about like n. Both sides read the same ids."
    )
    code = (race, read_newest, read_all, predict_flops, count_flops, growth_exponent)

    def _fields(self, is_running: bool) -> None:
        limit = self.lesson.lm.context_length or LENGTHS[-1]
        lengths = [length for length in LENGTHS if length <= limit] or [limit]
        SETTINGS.widget("length", options=lengths, disabled=is_running, width=120)

    def _start(self) -> Job[Race]:
        ids, n_tokens = self.lesson.text.generation.ids, SETTINGS["length"]
        return Job(race(self.lesson.lm, ids, n_tokens), is_timed=True)

    def _draw(self, job: Job[Race]) -> None:
        found = job.result
        if not found.steps:
            return
        per_step = per_step_figure(found.steps, self.lesson.lm.where)
        so_far = so_far_figure(found.steps, self.lesson.lm.where)
        show_charts([(per_step, "kv_per_step"), (so_far, "kv_sums")])
        if not job.is_running:
            _show_work(self.lesson.lm, len(found.steps))
        if found.checks:
            _findings(self.lesson.lm, found)

    def _idle(self) -> None:
        _show_work(self.lesson.lm, SETTINGS["length"])


class OverServer(Experiment[CacheLesson]):
    """The same over the operator's server, by requests."""

    key, title = "kv_server", "With and without the server’s prefix cache"
    button, icon = "Ask both ways", TIMER
    claim = (
        "To a server each step is a request with the whole text. With its prefix cache it reads "
        "what is new, from the last whole block on; a request with a salt of its own shares "
        "nothing and is read from the start."
    )
    code = (race_over_server,)

    def _start(self) -> Job[Race]:
        lm = shared_model(default_model())
        ids = encode(lm, self.lesson.text.generation.text)
        return Job(race_over_server(lm, ids, SETTINGS["length"]), is_idle=True)

    def _draw(self, job: Job[Race]) -> None:
        steps = job.result.steps
        if not steps:
            return
        where = str(server_model())
        show_charts(
            [
                (per_step_figure(steps, where), "kv_server_per_step"),
                (so_far_figure(steps, where), "kv_server_sums"),
            ]
        )
        n_same = sum(step.same_best for step in steps)
        gap = max(step.logit_gap for step in steps)
        st.caption(
            f"Seconds from request to answer. Best token the same at {count(n_same)} of "
            f"{count(len(steps))} lengths; largest gap of the best {N_BEST} log-probabilities "
            f"{gap:.1e}. Bytes of the server’s cache are derived from the config: "
            f"{formula(shared_model(default_model()).cache_shape)}."
        )


def _show_work(lm: LanguageModel, n_tokens: int) -> None:
    """Shows the arithmetic of both sides, for which nothing has to run."""
    show_chart(work_figure(*predict_text(lm, n_tokens)), "kv_work")


def _findings(lm: LanguageModel, found: Race) -> None:
    """Shows what the two sides agree on, how both grow, and whether the formula is right."""
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
            f"{percent(n_same / len(steps))} of the steps; rounding may part nearly equal ones",
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
    cells.append(("exponents, without and with", *_exponents(lm, found)))
    show_metrics(cells, "kv_findings")
    _check_words(found)


def _exponents(lm: LanguageModel, found: Race) -> tuple[str, str]:
    """Fit how seconds and FLOPs grow with the length; as they come."""
    steps = found.steps
    lengths = [step.n_tokens for step in steps]
    columns = [
        *([float(flops.total) for flops in side] for side in predict_text(lm, len(steps))),
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
    draw_when_opened(
        "Torch’s counter beside the formula",
        lambda: show_table(checks_table(found.checks), "kv_checks_table"),
        key="kv_checks",
    )
