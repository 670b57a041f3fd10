"""What follows from a bad token: slips in a hundred texts, and what going back to it costs."""

import numpy as np
import streamlit as st

from model.generation import Generation
from model.job import Job
from model.snowball.error_compounding import compounding, fork_many
from model.snowball.records import Estimate, Forks, RewindStrategy
from model.snowball.rewind_strategies import compare_rewinds
from pages.frame.experiment import Experiment
from pages.frame.figures import show_chart, show_charts, show_folded
from pages.lessons.snowball.fork import chosen_slip
from pages.lessons.snowball.settings import SETTINGS
from pages.lessons.snowball.state import SnowballLesson, provenance, unsent_note
from viz.format import nats, plural
from viz.snowball.fork_chart import (
    cost_figure,
    parting_figure,
    strategies_table,
    survival_figure,
    verdict,
    work_figure,
)

N_TOKENS = 40  # after the forced one
N_FORKS = 100
FORKS = "snowball_forks"
WAITS = (1, 4, 16)  # and to the end


class ErrorCompounding(Experiment[SnowballLesson]):
    """A hundred texts, each with the same slip."""

    key, title = FORKS, "Error compounding"
    button = f"Fork {N_FORKS} texts"
    recorded = Forks
    claim = (
        "If each token is wrong with probability e, and an error is never mended, then (1 − e)ⁿ "
        "of the texts are still right after n tokens. The argument assumes that errors are "
        f"independent and permanent. Here {N_FORKS} texts, each with its own seed, get the same "
        "wrong token."
    )
    code = (fork_many, compounding)

    def _fields(self, _is_running: bool) -> None:
        ranks = [rank for rank in (2, 5, 20, 100, 1000) if rank < self.lesson.lm.vocab_size]
        SETTINGS.widget("rank", options=ranks, width=170)
        SETTINGS.widget("threshold", width=190)

    def _start(self) -> Job[Forks]:
        return Job(
            fork_many(
                self.lesson.lm,
                self.lesson.text.prompt_ids,
                self.lesson.settings,
                n_before=(SETTINGS["place"] or 1) - 1,
                rank=SETTINGS["rank"],
                n_tokens=N_TOKENS,
                n_forks=N_FORKS,
            )
        )

    def _draw(self, job: Job[Forks]) -> None:
        forks = job.result
        slips = compounding(forks, SETTINGS["threshold"])
        if not job.is_running:
            st.markdown(verdict(slips))
        show_charts(
            [
                (parting_figure(forks), "snowball_parting"),
                (cost_figure(forks), "snowball_cost"),
                (survival_figure(slips), "snowball_survival"),
            ]
        )
        st.caption(
            f"{provenance(job, self.lesson.lm)} {plural(forks.n_texts, 'text')} after the prompt "
            f"of “Error propagation”, forked after {plural(forks.n_before, 'token')}, temperature "
            f"{forks.temperature:g}. A slip is a token that the model itself finds unlikely; no "
            f"human judges the texts.{unsent_note(job, self.lesson.lm)}"
        )


class RewindStrategies(Experiment[SnowballLesson]):
    """What going back from the fork above costs."""

    key, title = "snowball_rewind", "Rewind strategies"
    button = "Compare rewind strategies"
    recorded = tuple[RewindStrategy, ...]
    claim = (
        "Going back to the bad token costs only what came after it: everything before it is "
        "kept, cache and all. The sooner the error is noticed, the less is discarded. The bad "
        "token is the one that is chosen above."
    )
    code = (compare_rewinds, Generation.rewind)

    def _start(self) -> Job[tuple[RewindStrategy, ...]]:
        lesson = self.lesson
        place, bad_id = lesson.slip or chosen_slip(lesson)
        n_tokens = len(lesson.text.steps) - place
        waits = [*(wait for wait in WAITS if wait < n_tokens), n_tokens]
        start = lesson.start_at(place)
        work = compare_rewinds(start, bad_id, lesson.settings, n_tokens, waits)
        return Job(work, is_timed=True)

    def _draw(self, job: Job[tuple[RewindStrategy, ...]]) -> None:
        show_chart(work_figure(job.result), "snowball_work")
        st.dataframe(
            strategies_table(job.result),
            hide_index=True,
            key="snowball_ways",
            column_config={
                "strategy": st.column_config.TextColumn(width=150),
                "text from there on": st.column_config.TextColumn(width=600),
            },
        )
        show_folded(
            f"{provenance(job, self.lesson.lm)} Surprise and distinct pairs are measured on what "
            "follows the bad token. The pointer of a position is fixed, so drawing again gives the "
            "original text. Low surprise is no proof of quality: a dull text has little of it. "
            f"{self._forks_say()}",
            "snowball_ways_terms",
        )

    def _forks_say(self) -> str:
        """Says what the hundred forks show of quality, once they are there."""
        job = self.lesson.jobs.get(FORKS)
        forks: Forks | None = job.found if job else None
        if forks is None:
            return "One text says little about quality: the laboratory’s hundred forks say more."
        gap = Estimate.of(np.nanmean(forks.original, axis=1) - np.nanmean(forks.forced, axis=1))
        return (
            f"Over {gap.n} forks, leaving the bad token in changes the surprise of what follows by "
            f"{nats(gap.mean)} ± {gap.half_width:.2f} a token (95 %)."
        )
