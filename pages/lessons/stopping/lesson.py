"""The lesson on stopping and streaming below its title: a text's end, and how it streams."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from model.job import Job
from model.loading import LanguageModel
from model.sampling import Settings
from model.stopping import StopStrings, Stream, read_strings
from model.stopping.experiments import moments, write_to_the_end
from model.stopping.records import EndCurve, Moment
from pages.frame.code_that_ran import show_code
from pages.frame.course import show_summary
from pages.frame.experiment import Experiment
from pages.frame.figures import show_chart
from pages.frame.job_panel import start_job
from pages.frame.layout import show_error
from pages.frame.lesson_state import SteppedLesson, lesson_state
from pages.frame.link import offer_link
from pages.frame.question import answered, opening
from pages.frame.stepper import Stepper, Steps, show_stepper
from pages.lessons.stopping.settings import EXAMPLES, FIRST, SETTINGS
from pages.lessons.stopping.small_cases import show_small_cases
from viz.stopping.end_chart import end_figure
from viz.stopping.end_picture import end_picture
from viz.stopping.stream_picture import moments_table, stream_picture
from viz.strip import element, prose

LESSON, ENDS = "stopping_lesson", "stopping_ends"
END_SAID, SAID = "stopping_end_said", "stopping_said"
STREAM = "What a client sees of it"
SCALE = "The same on a scale of tenfold steps"
PLAY_SECONDS = 0.8
BEGIN_SECONDS = 1.0  # of writing before the page shows
MASKS = ("temperature", "top_p", "repetition_penalty")
ASKED = ("prompt", "end_stop", "limit", "seed", *MASKS)  # what a text is written by
AFTER_A_STOP = "only after a full stop"
WHEN = ("at every step alike", AFTER_A_STOP, "more with every word")
NOW, LATER = "The letters STO at once", "Only what cannot become STOP"


@dataclass
class StreamSteps(Steps):
    """A text that arrives token by token."""

    moments: Sequence[Moment] = ()
    strings: tuple[str, ...] = ()
    n_shown: int = 0

    @property
    def can_step(self) -> bool:
        """Whether another token is to come."""
        return self.n_shown < len(self.moments)

    @property
    def can_go_back(self) -> bool:
        """Whether a token has come."""
        return self.n_shown > 0

    def step(self) -> None:
        """Lets the next token come."""
        self.n_shown += 1

    def back(self) -> None:
        """Takes the last token back."""
        self.n_shown -= 1


@dataclass
class StoppingLesson(SteppedLesson[StreamSteps]):
    """All that one reader has on the page."""

    small_cases: dict[str, Any] = field(default_factory=dict, kw_only=True)  # as they were opened
    asked: dict[str, Any] = field(default_factory=dict, kw_only=True)  # by which a text was written
    covered: Job[EndCurve] | None = field(default=None, kw_only=True)  # shown before an answer

    def read(self) -> None:
        """Takes the text and the stop strings of the page.

        Raises:
            ValueError: they cannot be used; one sentence.
        """
        stop = StopStrings(read_strings(SETTINGS["stop"]), keep=SETTINGS["keep"])
        found = moments(self.lm, SETTINGS["text"], stop)
        self.stepper = Stepper(StreamSteps(found, stop.strings), "stopping")


def show_stopping(waiting: DeltaGenerator) -> None:
    """Draws the page for this reader."""
    lesson = lesson_state(LESSON, waiting, _begin, settings=SETTINGS)
    TextEnd(lesson).show()
    st.header(STREAM, anchor=False)
    opening(
        "Tokens come whole, and text does not: a token may end in the middle of a character, or of "
        "a string that ends the text. Each Step is a token."
    )
    show_error(lesson.problem)
    show_stepper(lambda: lesson.stepper, lambda: _stream(lesson), PLAY_SECONDS)
    with st.expander("Another text, other stop strings", key="stopping_setup"):
        _controls(lesson)
    show_small_cases(lesson.lm, lesson.small_cases)
    show_code(
        write_to_the_end,
        Stream.after,
        StopStrings.find,
        StopStrings.n_begun,
        key="stopping_code",
    )
    offer_link(SETTINGS, lesson.lm, caption=f"On the tokens of {lesson.lm.shown}.")


def _begin(lm: LanguageModel, _old: StoppingLesson | None) -> StoppingLesson:
    lesson = StoppingLesson(lm, Stepper(StreamSteps(), "stopping"))
    lesson.read()
    start_job(lesson.jobs, ENDS, lambda: _job(lesson))
    if ENDS in lesson.jobs:
        lesson.jobs[ENDS].run_for(BEGIN_SECONDS)
    return lesson


def _controls(lesson: StoppingLesson) -> None:
    again = {"on_change": _read_again, "args": (lesson,)}
    left, right = st.columns(2, gap="medium")
    with left:
        SETTINGS.widget("example", on_change=_take_example, args=(lesson,))
        SETTINGS.widget("text", **again)
    with right:
        SETTINGS.widget("stop", height=76, **again)
        SETTINGS.widget("keep", **again)


def _take_example(lesson: StoppingLesson) -> None:
    text, stop = EXAMPLES[SETTINGS["example"]]
    SETTINGS.put(text=text, stop=stop)
    _read_again(lesson)


def _read_again(lesson: StoppingLesson) -> None:
    with lesson.attempt("The text before it stays below."):
        lesson.read()


def _stream(lesson: StoppingLesson) -> None:
    steps = lesson.stepper.steps
    is_first = (SETTINGS["text"], *steps.strings) == EXAMPLES[FIRST]
    waits = is_first and not answered(
        "The text has “STORIES”, the stop string is “STOP”. After STO, what may a client see?",
        (NOW, LATER),
        LATER,
        SAID,
    )
    lesson.stepper.show(waits=waits)
    st.html(stream_picture(steps.moments, steps.n_shown, steps.strings))
    with st.expander("At each token: what goes out, what is held", key="stopping_moments"):
        st.html(moments_table(steps.moments, steps.n_shown))


def _job(lesson: StoppingLesson) -> Job[EndCurve]:
    asked = {name: SETTINGS[name] for name in ASKED}
    if asked == lesson.asked:  # nothing was changed: another story, by another seed
        asked["seed"] = SETTINGS["seed"] + 1
        SETTINGS.put(seed=asked["seed"])
    settings = Settings(**{name: asked[name] for name in MASKS})
    strings, prompt = read_strings(asked["end_stop"]), asked["prompt"]
    work = write_to_the_end(lesson.lm, prompt, settings, strings, asked["limit"], asked["seed"])
    job = Job(work)
    lesson.asked = asked
    return job


class TextEnd(Experiment[StoppingLesson]):
    """A text that is written until something ends it, and its end token along the way."""

    key = ENDS
    button = "Write another"
    said = END_SAID
    has_progress = False  # the picture is it
    is_button_below = True

    def _begin(self) -> None:
        self.is_answered = answered(
            "The end is one of the tokens. When is it likely?", WHEN, AFTER_A_STOP, END_SAID
        )

    def _fields(self, _is_running: bool) -> None:
        with st.popover("Prompt and settings"):
            SETTINGS.widget("prompt", height=110)
            for name in ("limit", *MASKS, "seed"):
                SETTINGS.widget(name)
            SETTINGS.widget("end_stop", height=76)

    def _start(self) -> Job[EndCurve]:
        return _job(self.lesson)

    def _draw(self, job: Job[EndCurve]) -> None:
        curve, prompt = job.result, self.lesson.asked["prompt"]
        story = prose((prompt, ""), (curve.sent, "generated"), is_wide=True)
        st.html(element("div", story, class_="end-story"))
        if not self.is_answered:
            self.lesson.covered = job
        is_moving = self.is_answered and job is self.lesson.covered
        st.html(end_picture(curve, prompt, is_covered=not self.is_answered, is_moving=is_moving))
        show_summary("pages/stopping.py", STREAM, asked=END_SAID)
        if not self.is_answered:
            return
        scale = st.expander(SCALE, key="stopping_scale", type="compact", on_change="rerun")
        if scale.open:
            with scale:
                _show_scale(curve)


def _show_scale(curve: EndCurve) -> None:
    st.markdown(
        "A mask may exclude the end token and a penalty may move it, as any other. A **limit** "
        "knows nothing of the text. A **stop string** is a test on the text."
    )
    show_chart(end_figure(curve), "stopping_curve")
    if curve.n_prompt_ends:
        st.markdown(
            "The prompt begins with this model’s end token, so that a repetition penalty lowers "
            "its score from the first position on."
        )
