"""Mirostat, the mask that remembers: what it makes of the surprise of a text."""

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
from viz.sampling.charts import table_html
from viz.sampling.surprise import called, limit_figure, mean_figure

GUESSES = ("Both", "Only 1 bit", "Only 5 bits")


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
        if not texts[0].surprises:
            return
        question = "Which of the two does the text reach?"
        if not answered(question, GUESSES, GUESSES[1], "lab_aim"):  # what it has to aim from
            show_chart(mean_figure(texts[:1]), "aim_free")
            return
        show_charts([(mean_figure(texts), "aim_mean"), (limit_figure(texts), "aim_limit")])
        machine = measured_on(job, self.lesson.lm)
        st.markdown(
            "**A mask can only take surprise away.** The text comes to a target below the model’s "
            "own surprise, and to none above, however wide the limit opens: only a temperature "
            "above 1 adds some."
        )
        rows: Table = [{"mask": called(text), "text after the prompt": text.text} for text in texts]
        st.html(table_html(rows, height=300))
        show_caption(f"Measured on {machine.model}, {machine.where}: the same pointers for all.")
