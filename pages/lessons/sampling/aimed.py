"""Mirostat, the mask that remembers: what it makes of the surprise of a text."""

from collections.abc import Sequence
from statistics import fmean as mean

import streamlit as st

from model.job import Job
from model.sampling.records import AimedText
from model.sampling.surprise import write_aimed
from pages.frame.experiment import Experiment
from pages.frame.figures import show_caption, show_chart, show_charts
from pages.frame.job_panel import measured_on
from pages.frame.question import answered
from pages.lessons.sampling.settings import SETTINGS
from pages.lessons.sampling.state import Lab
from viz.chart import Table
from viz.format import digits
from viz.sampling.charts import table_html
from viz.sampling.surprise import called, limit_figure, mean_figure

GUESSES = ("Both", "Only 1 bit", "Only 5 bits", "Neither")
NEAR = 0.5  # bits between a target and a mean that reaches it: ten tokens move the limit by less


def reached(texts: Sequence[AimedText]) -> str:
    """Returns which of the two targets the texts come near, as one of GUESSES."""
    low, high = (abs(mean(text.surprises) - text.target) <= NEAR for text in texts[1:])
    return GUESSES[{(True, True): 0, (True, False): 1, (False, True): 2}.get((low, high), 3)]


class AimedTexts(Experiment[Lab]):
    """One prompt continued without a mask and under two targets."""

    key, title = "aim", "Mirostat: a mask that remembers"
    button = "Write all three"
    recorded = tuple[AimedText, ...]
    claim = (
        "Every mask above looks at one distribution. Mirostat also remembers: after a token with "
        "more surprise than its target it cuts more, after one with less it cuts less. Here it "
        "aims at a mean of 1 bit, then of 5."
    )

    def _fields(self, _is_running: bool) -> None:
        SETTINGS.widget("aim_prompt")

    def _start(self) -> Job[tuple[AimedText, ...]]:
        return Job(write_aimed(self.lesson.lm, SETTINGS["aim_prompt"]))

    def _draw(self, job: Job[tuple[AimedText, ...]]) -> None:
        texts = job.result
        if not all(text.surprises for text in texts):
            return
        question = "Which of the two does the text reach?"
        right = reached(texts)
        if not answered(question, GUESSES, right, "lab_aim"):  # what it has to aim from
            show_chart(mean_figure(texts[:1]), "aim_free")
            return
        show_charts([(mean_figure(texts), "aim_mean"), (limit_figure(texts), "aim_limit")])
        machine = measured_on(job, self.lesson.lm)
        st.markdown(
            f"**Of 1 bit and 5 bits this text reaches: {right.removeprefix('Only ').lower()}.** "
            f"Without a mask it has {digits(mean(texts[0].surprises))} bits a token. Mirostat cuts "
            "the least likely tokens, which can only take surprise away: a target above the "
            "model’s own is out of reach, however wide the limit opens. A temperature above 1 adds "
            "some, and so can XTC, which cuts the likeliest."
        )
        rows: Table = [{"mask": called(text), "text after the prompt": text.text} for text in texts]
        st.html(table_html(rows, height=300))
        show_caption(f"Measured on {machine.model}, {machine.where}: the same pointers for all.")
