"""The second part: the same answer, streamed token by token and sent as a whole."""

from __future__ import annotations

import streamlit as st
from markupsafe import Markup

from model.fast.engines import BY_HAND, PLAIN, engine_names, make_engine
from model.job import Job
from model.passes import check_room
from model.prefill_decode.experiments import answer, by_the_coin, stream
from model.prefill_decode.records import Request
from model.sampling import Settings
from model.timing import describe
from model.tokenizing import encode, text_of
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import show_chart
from pages.lessons.prefill_decode.settings import SETTINGS
from pages.lessons.prefill_decode.state import PhaseLesson, Replay
from viz.format import digits, duration
from viz.palette import colour
from viz.prefill_decode.latency_charts import stream_figure
from viz.strip import element, paragraph, row

N_OUT = 60  # tokens
REPLAY_SECONDS = 8.0  # that a class can follow
LOOK_SECONDS = 0.15
MAX_SECONDS = 20.0  # of writing at one press
SAMPLING = Settings(temperature=0.8, top_p=0.9)


class Streaming(Experiment[PhaseLesson]):
    """An answer, written once at full speed and shown in both ways afterwards."""

    key, title = "phase_stream", "Streaming"
    button, icon = "Write", TIMER
    recorded = Request
    claim = (
        "Each token can be sent as soon as it is chosen, so a reader waits for the first token "
        "and not for the last. Both sides show the same answer, at the measured pace slowed down "
        "for the eye."
    )
    code = (stream, by_the_coin, answer)

    def _fields(self, is_running: bool) -> None:
        SETTINGS.widget("prompt", width=420, disabled=is_running)

    def _start(self) -> Job[Request]:
        lm = self.lesson.lm
        prompt = encode(lm, SETTINGS["prompt"])
        check_room(lm, len(prompt) + N_OUT, "shorten the prompt")
        # nothing is captured or compiled for one short answer
        name = BY_HAND if BY_HAND in engine_names(lm) else PLAIN
        engine = make_engine(lm, name, len(prompt) + N_OUT)
        choose = by_the_coin(SAMPLING, 0, len(prompt))
        job = self.lesson.start(answer(lm, engine, prompt, choose, N_OUT, MAX_SECONDS))
        self.lesson.replay = None
        return job

    def _draw(self, job: Job[Request]) -> None:
        """Begin to show what was written, once it is; of a job that was stopped, what it has."""
        lesson, request = self.lesson, job.result
        if job.recorded_on is not None:
            show_chart(stream_figure(request, job.recorded_on.where), "phase_streamed")
        elif not job.is_running and lesson.replay is None:
            ids, tokenizer = request.token_ids, lesson.lm.tokenizer
            texts = [text_of(tokenizer, ids[: n + 1]) for n in range(request.n_out)]
            slower = max(1.0, REPLAY_SECONDS / request.seconds)
            lesson.replay = Replay(request, tuple(texts), slower)

    def _end(self) -> None:
        replay = self.lesson.replay
        is_playing = replay is not None and not replay.is_over
        every = LOOK_SECONDS if is_playing else None
        st.fragment(_show_replay, run_every=every)(self.lesson, is_playing)


def _show_replay(lesson: PhaseLesson, has_clock: bool) -> None:
    replay = lesson.replay
    is_playing = replay is not None and not replay.is_over
    if is_playing != has_clock:
        st.rerun()
    if replay is None:
        return
    st.html(_boxes(replay))
    st.caption(
        f"Shown {digits(replay.slower, 2)} times slower than measured: it took "
        f"{duration(replay.request.seconds)}."
    )
    if not is_playing:
        where = describe(lesson.lm).where
        show_chart(stream_figure(replay.request, where), "phase_streamed")


def _boxes(replay: Replay) -> Markup:
    """Write both sides."""
    n_shown, n_out = replay.n_shown, replay.request.n_out
    streamed = replay.pieces[n_shown - 1] if n_shown else ""
    whole = replay.pieces[-1] if replay.is_over else ""
    return row(
        _box(f"streamed: {n_shown} of {n_out} tokens in hand", streamed),
        _box(f"the whole: {n_out if whole else 0} of {n_out} tokens in hand", whole),
        gap="1rem",
    )


def _box(title: str, text: str) -> Markup:
    muted = f"color:{colour('muted')}"
    ground = colour("generated-tint") if text else "transparent"
    return element(
        "div",
        element("div", title, style=f"{muted};font-size:.85rem"),
        paragraph(text or element("span", "waiting…", style=muted), style="font-size:1.1rem"),
        style=f"flex:1 1 18rem;border:1.5px solid {colour('generated')};border-radius:8px;"
        f"padding:.7rem .9rem;min-height:8.5rem;background:{ground}",
    )
