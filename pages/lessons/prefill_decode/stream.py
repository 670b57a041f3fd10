"""The second part: the same answer, streamed token by token and sent as a whole."""

from model.fast.engines import MANUAL, PLAIN, engine_names, make_engine
from model.job import Job
from model.passes import TOO_LONG_A_PROMPT, check_context
from model.prefill_decode.experiments import answer, by_the_pointer, stream
from model.prefill_decode.records import RequestTiming
from model.sampling import Settings
from model.tokenizing import encode, text_of
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import show_chart
from pages.frame.job_panel import measured_on
from pages.frame.question import lesson_asks, lesson_waits
from pages.frame.race import Lane, show_race
from pages.lessons.prefill_decode.settings import SETTINGS
from pages.lessons.prefill_decode.state import PhaseLesson
from viz.prefill_decode.latency_charts import stream_figure

N_OUT = 60  # tokens
MAX_SECONDS = 20.0  # of writing at one press
SAMPLING = Settings(temperature=0.8, top_p=0.9)


class Streaming(Experiment[PhaseLesson]):
    """An answer, written once at full speed and shown in both ways afterwards."""

    key, title = "phase_stream", "Streaming"
    button, icon = "Write", TIMER
    recorded = RequestTiming
    draws_when_done = True
    claim = (
        "Each token can be sent as soon as it is chosen. Both lanes get the same answer, at the "
        "same pace. **Which one would you rather wait for?**"
    )
    code = (stream, by_the_pointer, answer)

    def _fields(self, is_running: bool) -> None:
        SETTINGS.widget("prompt", width=420, disabled=is_running)

    def _start(self) -> Job[RequestTiming]:
        lm = self.lesson.lm
        prompt = encode(lm, SETTINGS["prompt"])
        check_context(lm, len(prompt) + N_OUT, TOO_LONG_A_PROMPT)
        # nothing is captured or compiled for one short answer
        name = MANUAL if MANUAL in engine_names(lm) else PLAIN
        engine = make_engine(lm, name, len(prompt) + N_OUT)
        choose = by_the_pointer(SAMPLING, 0, len(prompt))
        return self.lesson.start(answer(lm, engine, prompt, choose, N_OUT, MAX_SECONDS))

    def _draw(self, job: Job[RequestTiming]) -> None:
        """Lets what was written come again, both ways; of a job that was stopped what it has."""
        request = job.result
        if not request.token_ids:
            return
        machine, lm = measured_on(job, self.lesson.lm), self.lesson.lm
        texts: tuple[str, ...] = ()
        if machine.model == lm.name:  # else its tokens are another vocabulary's
            ids = request.token_ids
            texts = tuple(text_of(lm.tokenizer, ids[:n]).lstrip() for n in range(len(ids) + 1))
        lanes = lanes_of(request, texts)
        show_race(lanes, "phase_stream", waits=lesson_waits(), by_tokens=True)
        if not lesson_asks():  # its scene says the rest
            show_chart(stream_figure(request, machine.where), "phase_streamed")


def lanes_of(request: RequestTiming, texts: tuple[str, ...]) -> tuple[Lane, Lane]:
    """Returns the same answer streamed, and as a whole at its end."""
    parts = (request.first_seconds, "prompt"), (request.seconds, "generated")
    at_the_end = (request.seconds,) * request.n_out
    return (
        Lane("Streamed", parts, request.arrivals, texts),
        Lane("Sent as a whole", parts, at_the_end, texts),
    )
