"""The serving lesson below its title: batches, chunks, and a cache in blocks."""

from __future__ import annotations

from functools import partial

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.batch import Batch
from model.fast.block_cache import BLOCK
from model.job import Job
from model.loading import LanguageModel
from model.serving.blocks import count_blocks, fullest_moment
from model.serving.over_server import serve_over_server
from model.serving.records import Comparison, ServerRun
from model.serving.scheduler import Scheduler
from pages.frame.code_that_ran import show_code
from pages.frame.figures import show_caption, show_charts
from pages.frame.job_panel import measured_on, show_job
from pages.frame.layout import as_written
from pages.frame.lesson_state import LessonState, lesson_state
from pages.frame.link import offer_link
from pages.frame.models import server_model
from pages.lessons.serving.runs import start_batches, start_chunks, start_memory, start_server
from pages.lessons.serving.settings import BY_RATE, SETTINGS
from viz.format import count
from viz.serving.lanes_chart import end_of, lanes_figure, runs_table, server_figure
from viz.serving.memory_chart import blocks_figure, reserved_figure

BATCHES, CHUNKS, MEMORY = "serving_batches", "serving_chunks", "serving_memory"
SERVER = "serving_server"


def show_serving_lesson(waiting: DeltaGenerator) -> None:
    """Draw the page for this reader."""
    lesson = lesson_state("serving_lesson", waiting, _begin, settings=SETTINGS)
    caption = f"On {lesson.lm.name}, {lesson.lm.where}. Greedy, every pass really run and timed."
    offer_link(SETTINGS, lesson.lm, caption=caption)
    show_batches(lesson)
    if server_model() is not None:
        show_server(lesson)
    show_chunks(lesson)
    show_memory(lesson)


def _begin(lm: LanguageModel, _old: LessonState | None) -> LessonState:
    return LessonState(lm)


def show_batches(lesson: LessonState) -> None:
    """Show requests in static batches and in a continuous one, then let the reader set them."""
    st.markdown(
        "A static batch holds every slot until its longest request is done; a continuous batch "
        "gives a free slot to the next request at once. Each lane is a request, named by its "
        "tokens in + out; it is stalled while the prompt of another is read."
    )
    show_job(
        lesson.jobs,
        BATCHES,
        "Serve",
        partial(start_batches, lesson.lm),
        lambda job: _show(lesson.lm, job, BATCHES),
        controls=_batch_controls,
        recorded=Comparison,
        icon=":material/timer:",
    )
    SETTINGS.widget("prompts", height=170)
    SETTINGS.widget("axis")
    show_code(
        Scheduler.step,
        Scheduler.arrive,
        Scheduler.admit,
        Scheduler.prefill,
        Scheduler.decode,
        Scheduler.evict,
        Batch.join,
        key="serving_code_1",
    )


def show_server(lesson: LessonState) -> None:
    """Show the same requests on the operator's server, and what it says of itself."""
    st.header("On the server", anchor=False)
    st.markdown(
        f"The same prompts, sent to {as_written(str(server_model()))}, which serves all of its "
        "readers. TTFT and ITL are a client’s: from request to token, the network included."
    )
    show_job(
        lesson.jobs,
        SERVER,
        "Send to the server",
        start_server,
        _show_server,
        icon=":material/timer:",
    )
    show_code(serve_over_server, key="serving_code_4")


def _show_server(job: Job[ServerRun]) -> None:
    found = job.result
    if not found.comparison.runs:
        return
    lanes = lanes_figure(found.comparison.runs[0], str(server_model()))
    charts = [(lanes, f"{SERVER}_lanes")]
    if found.moments:
        charts.append((server_figure(found), f"{SERVER}_figures"))
    show_charts(charts)
    _show_table(found.comparison, SERVER)


def _batch_controls(is_running: bool) -> None:
    SETTINGS.widget("arrivals", disabled=is_running)
    is_off = is_running or SETTINGS["arrivals"] != BY_RATE
    SETTINGS.widget("rate", disabled=is_off, width=180)
    SETTINGS.widget("slots", disabled=is_running, width=160)


def show_chunks(lesson: LessonState) -> None:
    """Show what a long prompt does to those who write, read whole and in chunks."""
    st.header("Chunked prefill", anchor=False)
    st.markdown(
        "While a long prompt is read in one pass, no other request gets a token; read in chunks, "
        "it lets them write between. They wait for a chunk instead of the whole prompt, and its "
        "own first token comes later."
    )

    show_job(
        lesson.jobs,
        CHUNKS,
        "Serve with the long prompt",
        partial(start_chunks, lesson.lm),
        lambda job: _show(lesson.lm, job, CHUNKS),
        controls=lambda is_running: SETTINGS.widget("chunk", disabled=is_running, width=220),
        recorded=Comparison,
        icon=":material/timer:",
    )
    SETTINGS.widget("long_prompt", height=110)
    st.caption(
        "A chunk and the decode step after it are two passes here; engines such as vLLM put both "
        "into one."
    )
    show_code(Scheduler.prefill, key="serving_code_2")


def show_memory(lesson: LessonState) -> None:
    """Show what the cache takes in blocks, and what happens when they run out."""
    st.header("A cache in blocks, and preemption", anchor=False)
    st.markdown(
        f"A paged cache hands out blocks of {BLOCK} positions as texts grow, so only the end of "
        "a request’s last block is wasted, and a common prefix is stored once. When no block is "
        "free, the newest request is put out of memory and read again later. Here all requests are "
        "there at once."
    )
    show_job(
        lesson.jobs,
        MEMORY,
        "Serve in this memory",
        partial(start_memory, lesson.lm),
        partial(_show_memory, lesson.lm),
        controls=lambda is_running: SETTINGS.widget("blocks", disabled=is_running, width=220),
        recorded=Comparison,
        icon=":material/timer:",
    )
    show_code(Scheduler.preempt, count_blocks, fullest_moment, key="serving_code_3")


def _show_memory(lm: LanguageModel, job: Job[Comparison]) -> None:
    _show(lm, job, MEMORY)
    runs = job.result.runs
    if runs:
        memory = fullest_moment(lm, runs[0])
        blocks, reserved = blocks_figure(memory), reserved_figure(memory)
        show_charts([(blocks, f"{MEMORY}_blocks"), (reserved, f"{MEMORY}_reserved")])


def _show(lm: LanguageModel, job: Job[Comparison], key: str) -> None:
    """Show the lanes of every run side by side, their numbers, and whether the tokens agree."""
    found, axis = job.result, SETTINGS["axis"]
    if not found.runs:
        return
    top = max(end_of(run, axis) for run in found.runs)
    charts = [lanes_figure(run, measured_on(job, lm).where, axis, top) for run in found.runs]
    show_charts([(chart, f"{key}_lanes_{n}") for n, chart in enumerate(charts)])
    _show_table(found, key)


def _show_table(found: Comparison, key: str) -> None:
    st.dataframe(runs_table(found), hide_index=True, key=f"{key}_table")
    if found.alone is not None:
        n_lanes = len(found.runs) * len(found.alone.requests)
        show_caption(
            f"Measured: {count(found.n_same)} of {count(n_lanes)} lanes have exactly the tokens "
            "that their request gets alone; promised in float32 only. TTFT counts from the "
            "arrival, ITL every gap between two tokens of a request."
        )
