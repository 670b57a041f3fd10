"""The diffusion lesson's experiments: few passes against many, and three ways on one clock."""

from typing import Any

import streamlit as st

from model.diffusion.denoising import Diffusion
from model.diffusion.experiments import (
    race,
    sweep_passes,
    write_by_beams,
    write_by_loop,
    write_by_passes,
)
from model.diffusion.page_view import left_first
from model.diffusion.quality import clashes_of, find_names, judge_tokens, leave_one_out
from model.diffusion.records import CLASH, DecodingRun, Sweep
from model.job import Job
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import draw_when_opened, show_caption, show_chart, show_folded, show_table
from pages.frame.job_panel import measured_on
from pages.lessons.diffusion.fill import joined_ending
from pages.lessons.diffusion.settings import SETTINGS
from pages.lessons.diffusion.state import DiffusionLesson
from viz.diffusion.decoding_charts import runs_figure, sweep_figure, sweep_table, tokens_a_pass
from viz.diffusion.sheet import sheet_html
from viz.format import duration, nats, percent, plural

MEASURES = ("clashes", "logprob", "order", "seconds")
N_LIVE = 2  # of them that are drawn while the sweep goes on


class FewPassesOrMany(Experiment[DiffusionLesson]):
    """The sequence above and an empty one, filled in more and more passes."""

    key, title = "diffusion_sweep", "Quality against the number of passes"
    button, icon = "Start", TIMER
    seconds = 0.7  # figures are drawn at each look at the button
    recorded = Sweep
    claim = (
        "Tokens filled in the same pass cannot know of each other, so fewer passes mean more "
        "clashes. Start fills the sequence above, and an empty one, in 1, 2, 4, … passes, with "
        "the temperature and the order that are set there."
    )
    code = (sweep_passes, leave_one_out, judge_tokens, clashes_of, find_names, left_first)

    def _fields(self, is_running: bool) -> None:
        SETTINGS.widget("sweep_length", width=120, disabled=is_running)
        SETTINGS.widget("sweep_fills", width=120, disabled=is_running)

    def _start(self) -> Job[Sweep]:
        texts = SETTINGS["beginning"], joined_ending(SETTINGS["ending"])
        work = sweep_passes(
            *(self.lesson.lm, self.lesson.judge, SETTINGS["sweep_length"], *texts),
            n_seeds=SETTINGS["sweep_fills"],
            **_draws(self.lesson.page),
        )
        return Job(work, is_timed=True)

    def _draw(self, job: Job[Sweep]) -> None:
        sweep = job.result
        columns = st.columns(2, gap="large")
        for i, measure in enumerate(MEASURES[:N_LIVE] if job.is_running else MEASURES):
            with columns[i % 2]:
                show_chart(sweep_figure(sweep, measure), f"diffusion_sweep_{measure}")
        if job.is_running:
            return
        _show_sheets(sweep)
        draw_when_opened(
            "Every fill, with all that was measured",
            lambda: show_table(sweep_table(sweep), "diffusion_table"),
            key="diffusion_fills",
        )
        show_folded(
            "Clashes: tokens to which the model itself gives less than "
            f"{percent(CLASH)} once it knows all the others. It is no oracle, and the loop’s own "
            "text may have some as well. The judge is a causal model; its own text is judged by "
            "itself, which flatters it. Left first: over pairs filled in different passes; "
            "Kendall’s τ is twice it, less 1. Names: words with a capital inside a sentence, and "
            "whether the given text has them, too.",
            "diffusion_sweep_terms",
        )


def _draws(page: Diffusion) -> dict[str, Any]:
    """Returns how the page above is filled: its order and its temperature."""
    return {"order": page.order, "temperature": page.temperature}


def _show_sheets(sweep: Sweep) -> None:
    """Shows the fills of each kind in fewest and in most passes beside each other."""
    for place in dict.fromkeys(fill.name for fill in sweep.fills):
        # of each number of passes, the first seed's
        first = {fill.n_passes: fill for fill in reversed(sweep.fills) if fill.name == place}
        for column, n in zip(st.columns(2, gap="large"), (min(first), max(first)), strict=True):
            with column:
                st.markdown(f"**{plural(n, 'pass', 'es')}**, {place}")
                if sheet := first[n].sheet:
                    st.html(sheet_html(sheet))
                show_caption(f"Measured: {_measured(first[n])}.")


def _measured(run: DecodingRun) -> str:
    """Writes what was measured of a text."""
    clashes = run.clashes
    said = [
        f"{nats(clashes.logprob)} a token, by the judge",
        f"{percent(clashes.repeated)} of its pairs repeated",
        f"{plural(clashes.n_doubled, 'token')} doubled",
    ]
    if clashes.n_clashes is not None:
        share = percent(clashes.n_clashes / run.n_tokens)
        said.insert(0, f"{plural(clashes.n_clashes, 'clash', 'es')} ({share})")
    if clashes.agreement is not None:
        said.append(f"{percent(clashes.agreement)} of its names are those of the given text")
    elif clashes.n_names:
        said.append(plural(clashes.n_names, "name"))
    return ", ".join(said)


class ThreeWays(Experiment[DiffusionLesson]):
    """The loop, beam search and the masked model on one clock."""

    key, title = "diffusion_race", "Autoregression, beam search and diffusion"
    button, icon = "Start", TIMER
    recorded = tuple[DecodingRun, ...]
    claim = (
        "The loop needs a pass for every token, and beam search as many, over more rows; a "
        "masked model needs K, whatever the length. All three continue the beginning above by as "
        "many tokens; none may end before."
    )
    code = (write_by_loop, write_by_beams, write_by_passes)

    def _start(self) -> Job[tuple[DecodingRun, ...]]:
        page, prompt = self.lesson.page, SETTINGS["beginning"]
        draws = {"n_passes": len(page.plan), "seed": page.seed} | _draws(page)
        own = Diffusion(self.lesson.lm, page.length, prompt, **draws)
        return Job(race(self.lesson.judge, own, prompt), is_timed=True)

    def _draw(self, job: Job[tuple[DecodingRun, ...]]) -> None:
        runs = job.result
        show_chart(runs_figure(runs, measured_on(job, self.lesson.lm).where), "diffusion_runs")
        for column, run in zip(st.columns(3, gap="large"), runs, strict=False):
            with column:
                st.markdown(f"**{run.name}**")
                n_passes = plural(run.n_passes, "pass", "es")
                st.markdown(f"{n_passes}, {duration(run.seconds)}: {tokens_a_pass(run)} a pass")
                st.text(run.text.strip())
                st.caption(f"{_measured(run)}.")
