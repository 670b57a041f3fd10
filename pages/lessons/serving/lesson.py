"""The serving lesson below its title: batches, chunks, and a cache in blocks."""

from collections.abc import Sequence
from contextlib import nullcontext
from functools import partial
from pathlib import Path

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.batch import Batch
from model.job import Job
from model.kv_cache.block_cache import BLOCK
from model.recorded import recorded_job
from model.serving.blocks import count_blocks, fullest_moment
from model.serving.experiments import compare_policies
from model.serving.over_server import serve_over_server
from model.serving.records import Comparison, Policy, Request, ServerRun, ServingRun
from model.serving.scheduler import Scheduler
from pages.frame.code_that_ran import show_code
from pages.frame.component import component
from pages.frame.course import show_summary
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import (
    draw_when_opened,
    recorded_on,
    show_caption,
    show_chart,
    show_charts,
    show_table,
)
from pages.frame.job_panel import measured_on
from pages.frame.layout import as_written
from pages.frame.lesson_state import LessonState, lesson_state
from pages.frame.link import offer_link
from pages.frame.models import shared_model
from pages.frame.offers import default_model, server_model
from pages.frame.question import answered, was_answered
from pages.frame.race import AGAIN, pace
from pages.frame.second_run import draw_in_second_run
from pages.lessons.serving.requests import (
    all_at_once,
    asked_requests,
    n_asked,
    with_long_prompt,
)
from pages.lessons.serving.settings import BY_RATE, MAX_REQUESTS, SETTINGS
from viz.format import count, plural
from viz.serving.lanes_chart import (
    SECONDS,
    end_of,
    gaps_between,
    lanes_figure,
    run_words,
    runs_table,
    server_figure,
    still_share,
)
from viz.serving.memory_chart import blocks_figure, reserved_figure

ROOM_FOR_ALL = MAX_REQUESTS + 1  # slots: the long request is one more
SAID = "serving_said"
POLICIES = {"static batches": False, "continuous batching": True}  # whether it is continuous
ALL, SOME, NONE = SOONER = "everyone", "only some", "nobody"
QUESTION = "If a free slot goes to the next request at once, who has the whole text sooner?"
FILL_SECONDS = 6.0  # for which the lanes are watched
_fill = component("serving_fill", Path(__file__).with_name("fill.js"), AGAIN)


def show_serving_lesson(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(
        "serving_lesson", waiting, lambda lm, _old: LessonState(lm), settings=SETTINGS
    )
    batches = Batches(lesson)
    batches.show()
    draw_in_second_run(lambda: _show_laboratory(lesson, batches))


def _show_laboratory(lesson: LessonState, batches: "Batches") -> None:
    batches.show_setup()
    caption = f"On {lesson.lm.shown}, {lesson.lm.where}. Greedy, every pass really run and timed."
    offer_link(SETTINGS, lesson.lm, caption=caption)
    if server_model() is not None:
        OnTheServer(lesson).show()
    Chunks(lesson).show()
    MemoryInBlocks(lesson).show()


class Policies(Experiment[LessonState]):
    """The same requests under two policies."""

    icon, recorded = TIMER, Comparison

    def _serve(self, requests: list[Request], *policies: Policy) -> Job[Comparison]:
        return Job(compare_policies(self.lesson.lm, requests, policies), is_timed=True)

    def _draw(self, job: Job[Comparison]) -> None:
        """Draws the lanes of all runs, which fill as one watches, and their numbers in a fold."""
        found = job.result
        if not found.runs:
            return
        self._draw_lanes(job, found.runs)
        self._show_numbers(job)

    def _show_numbers(self, job: Job[Comparison]) -> None:
        table = partial(_show_table, job.result, self.key)
        draw_when_opened("Every number", table, key=f"{self.key}_numbers")

    def _below_lanes(self) -> None:
        """Draws what stands directly below the lanes."""

    def _draw_lanes(
        self, job: Job[Comparison], runs: Sequence[ServingRun], n_covered: int = 0, n_still: int = 0
    ) -> None:
        """Draws the runs below each other; the last may be covered, the first may stand still."""
        where = measured_on(job, self.lesson.lm).where
        axis, compares = SETTINGS["axis"], n_still > 0
        chart = lanes_figure(runs, where, axis, n_covered=n_covered, compares=compares)
        with st.container(key=f"{self.key}_lanes_box"):
            show_chart(chart, f"{self.key}_lanes", below=self._below_lanes)
        if not (job.is_running or n_covered):
            _let_fill(self.key, runs, n_still)


def _let_fill(key: str, runs: Sequence[ServingRun], n_still: int) -> None:
    """Lets the lanes fill in the browser, by the clock by which they were measured."""
    axis = SETTINGS["axis"]
    end = max(end_of(run, axis) for run in runs)
    told = f"{axis} {end} {len(runs)}"  # other lanes, which are watched from their start
    data = {
        "key": key,
        "box": f"{key}_lanes_box",
        "run": told,
        "milliseconds": FILL_SECONDS * 1_000,
        "still": still_share(runs, n_still, compares=n_still > 0),
    }
    _fill(key=f"{key}_fill", data=data, height="content")
    if axis == SECONDS:
        st.caption(pace(FILL_SECONDS / end))


def who_is_sooner(before: ServingRun, after: ServingRun) -> str:
    """Says whose last token comes earlier in the second run than in the first."""
    gaps = gaps_between(before, after)
    n_sooner = sum(gap < 0 for gap in gaps)
    return ALL if n_sooner == len(gaps) else SOME if n_sooner else NONE


class Batches(Policies):
    """Requests in static batches and in a continuous one, which the reader sets."""

    key, button = "serving_batches", "Serve"
    is_button_below = True
    shown_code = (
        *(Scheduler.step, Scheduler.arrive, Scheduler.admit, Scheduler.prefill, Scheduler.decode),
        *(Scheduler.evict, Batch.join),
    )

    def __init__(self, lesson: LessonState) -> None:
        """Says how many requests there are, and for how many there is room."""
        super().__init__(lesson)
        self.claim = (
            f"Readers send {plural(n_asked(), 'request')}, a lane each, to a model that has room "
            f"for {SETTINGS['slots']} at a time."
        )

    def _measured(self) -> tuple[ServingRun, ServingRun] | None:
        """Returns both runs once both have ended, else those of the recording."""
        job = self.lesson.jobs.get(self.key)
        if job is None or not job.is_done:
            job = recorded_job(self.key, Comparison)
        if job is None:
            return None
        static, continuous = job.result.runs
        return static, continuous

    def _begin(self) -> None:
        """Asks who gains by another policy: its lanes are drawn once that is answered."""
        if (runs := self._measured()) is not None:
            answered(QUESTION, SOONER, who_is_sooner(*runs), SAID, run=self.key)

    def _start(self) -> Job[Comparison]:
        n_slots = SETTINGS["slots"]
        policies = [Policy(name, n_slots, is_continuous=is_on) for name, is_on in POLICIES.items()]
        return self._serve(asked_requests(self.lesson.lm), *policies)

    def _draw(self, job: Job[Comparison]) -> None:
        """Draws the static batches, and the continuous ones once their gain was asked for."""
        if runs := job.result.runs:
            self._draw_lanes(job, runs, 0 if was_answered(SAID) else len(runs) - 1, n_still=1)

    def _below_lanes(self) -> None:
        if self._measured() is not None:
            show_summary("pages/serving.py", Chunks.title, MemoryInBlocks.title, asked=SAID)

    def show_setup(self) -> None:
        """Shows the numbers, other settings and the code, below what is to be remembered."""
        job = self.found()
        if job is not None and job.result.runs and was_answered(SAID):
            later = run_words(job.result.runs[-1])[1]
            st.markdown(
                "A **static batch** holds every slot until its longest request is done. A "
                "**continuous batch** gives a free slot to the next request at once"
                + (f": what is written meanwhile {later}." if later.startswith("stops") else ".")
            )
            with recorded_on(job.recorded_on) if job.recorded_on else nullcontext():
                self._show_numbers(job)
        show_code(*self.shown_code, key=f"{self.key}_code")
        with st.expander("Other requests, another axis", key="serving_setup"):
            with st.container(horizontal=True, vertical_alignment="bottom"):
                SETTINGS.widget("arrivals")
                SETTINGS.widget("rate", disabled=SETTINGS["arrivals"] != BY_RATE, width=180)
                SETTINGS.widget("slots", width=160)
            SETTINGS.widget("prompts", height=170)
            SETTINGS.widget("axis")


class OnTheServer(Experiment[LessonState]):
    """The same requests on the operator's server, and what it says of itself."""

    key, title = "serving_server", "On the server"
    button, icon = "Send to the server", TIMER
    code = (serve_over_server,)

    def __init__(self, lesson: LessonState) -> None:
        """Names the server."""
        super().__init__(lesson)
        self.claim = (
            f"The same prompts, sent to {as_written(str(server_model()))}, which serves all of its "
            "readers. TTFT and ITL are a client’s: from request to token, the network included."
        )

    def _start(self) -> Job[ServerRun]:
        lm = shared_model(default_model())
        return Job(serve_over_server(lm, asked_requests(lm)), is_idle=True)

    def _draw(self, job: Job[ServerRun]) -> None:
        found = job.result
        if not found.comparison.runs:
            return
        runs = found.comparison.runs
        top = max([runs[0].passes[-1].ended, *(moment.seconds for moment in found.moments)])
        charts = [(lanes_figure(runs, str(server_model()), top=top), f"{self.key}_lanes")]
        if found.moments:
            charts.append((server_figure(found, top), f"{self.key}_figures"))
        show_charts(charts)
        _show_table(found.comparison, self.key)


class Chunks(Policies):
    """What a long prompt does to those who write, read whole and in chunks."""

    key, title = "serving_chunks", "Chunked prefill"
    button = "Serve with the long prompt"
    claim = (
        "While a long prompt is read in one pass, no other request gets a token; read in chunks, "
        "it lets them write between. They wait for a chunk instead of the whole prompt, whose "
        "own first token comes later if it takes several chunks."
    )
    code = (Scheduler.prefill,)

    def _fields(self, is_running: bool) -> None:
        SETTINGS.widget("chunk", disabled=is_running, width=220)

    def _start(self) -> Job[Comparison]:
        chunk = SETTINGS["chunk"]
        whole = Policy("whole prompts", ROOM_FOR_ALL)
        in_chunks = Policy(f"chunks of {chunk} tokens", ROOM_FOR_ALL, chunk=chunk)
        return self._serve(with_long_prompt(self.lesson.lm), whole, in_chunks)

    def _end(self) -> None:
        SETTINGS.widget("long_prompt", height=110)
        st.caption(
            "A chunk and the decode step after it are two passes here; engines such as vLLM put "
            "both into one."
        )


class MemoryInBlocks(Policies):
    """What the cache takes in blocks, and what happens when they run out."""

    key, title = "serving_memory", "A cache in blocks, and preemption"
    button = "Serve in this memory"
    claim = (
        f"A paged cache hands out blocks of {BLOCK} positions as texts grow, so only the end of "
        "a request’s last block is wasted, and a common prefix is stored once. When no block is "
        "free, the newest request is evicted and read again later. Here all requests arrive at "
        "once."
    )
    code = (Scheduler.preempt, count_blocks, fullest_moment)

    def _fields(self, is_running: bool) -> None:
        SETTINGS.widget("blocks", disabled=is_running, width=220)

    def _start(self) -> Job[Comparison]:
        n_blocks = SETTINGS["blocks"]
        name = f"{n_blocks} blocks, prefix shared"
        limited = Policy(name, ROOM_FOR_ALL, n_blocks=n_blocks, shares_prefix=True)
        enough = Policy("enough memory", ROOM_FOR_ALL)
        return self._serve(all_at_once(self.lesson.lm), enough, limited)

    def _draw(self, job: Job[Comparison]) -> None:
        super()._draw(job)
        if runs := job.result.runs:
            memory = fullest_moment(self.lesson.lm, runs[0])
            blocks, reserved = blocks_figure(memory), reserved_figure(memory)
            show_charts([(blocks, f"{self.key}_blocks"), (reserved, f"{self.key}_reserved")])


def _show_table(found: Comparison, key: str) -> None:
    show_table(runs_table(found), f"{key}_table")
    if found.alone is not None:
        n_lanes = len(found.runs) * len(found.alone.requests)
        show_caption(
            f"Measured: {count(found.n_same)} of {count(n_lanes)} lanes have exactly the tokens "
            "that their request gets alone: rounding may part two tokens that are nearly as "
            "likely, in 16 bits more often. TTFT counts from the arrival, ITL "
            f"{_which_gaps(found)}."
        )


def _which_gaps(found: Comparison) -> str:
    """Says between which tokens the latency is: of a server's a client may know few."""
    if not found.runs[0].policy.is_remote:
        return "every gap between two tokens of a request"
    runs = [run for run in (*found.runs, found.alone) if run is not None]
    n_known, n_all = sum(len(run.gaps) for run in runs), sum(run.n_gaps for run in runs)
    return (
        f"{count(n_known)} of {count(n_all)} gaps between two tokens of a request: when tokens "
        "came that this client read in one go, it does not know"
    )
