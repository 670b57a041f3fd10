"""The speculative lesson's second part: the arithmetic, the clock, and drafts beside each other."""

import streamlit as st

from model.job import Job
from model.speculative.proof import PROMPTS as HUNDRED_PROMPTS
from model.speculative.records import DraftReport, SpeedReport
from model.speculative.timing import (
    TEXTBOOK_ROUND,
    compare_drafts,
    measure_speed,
    predict_speed_up,
    round_cost,
    textbook_speed_up,
    tokens_per_round,
)
from model.tokenizing import encode
from pages.frame.experiment import TIMER, Experiment
from pages.frame.figures import show_chart, show_folded, show_metrics, show_table
from pages.frame.job_panel import measured_on
from pages.frame.models import shared_model
from pages.frame.story import BIRD
from pages.lessons.speculative.settings import DRAFTS, LOOKUP, RACES, SETTINGS
from pages.lessons.speculative.state import ModelPair, SpeculativeLesson
from viz.chart import Table
from viz.format import count, digits, duration, percent, plural
from viz.speculative.charts import acceptance_figure, round_figure, speed_figure

N_TOKENS, N_RUNS = 48, 3  # written after each prompt, so many times
N_COMPARED_DRAFT = 6  # tokens in a round where drafts are compared
PROMPTS = (
    RACES[1],
    f"{BIRD} The king and Max went to the park. They saw",
    "The frog opened the door and",
)
CONDITIONS = (
    "tokens are those of plain greedy decoding: rounding may part two that are nearly as likely, "
    "in 16 bits more often. Both sides read with the same passes and stop at the same tokens. "
    "Reading the prompt is not counted. Of each part the mean over a text counts, and of all texts "
    "the median. Prediction: the tokens per round by the measured acceptance at each place, over "
    "the draft steps, one verification and what lies between. The textbook formula takes a "
    "verification for one decode step and one acceptance rate for all places."
)
COMPARED_PROMPTS = (*PROMPTS, *HUNDRED_PROMPTS[4::11])  # agreement varies much from text to text


class SpeedUp(Experiment[SpeculativeLesson]):
    """Rounds of every length against plain decoding."""

    key, title = "spec_speed", "Speed-up"
    button, icon = "Measure", TIMER
    recorded = SpeedReport
    claim = (
        "A round pays off where the draft is cheap and often accepted. With too few draft tokens "
        "the target runs too often; all that stand behind the first rejected one are wasted. Both "
        "sides decode greedily."
    )
    code = (measure_speed, tokens_per_round, predict_speed_up, textbook_speed_up)

    def _start(self) -> Job[SpeedReport]:
        prompts = [encode(self.lesson.lm, prompt) for prompt in PROMPTS]
        make_drafter = self.lesson.pair.make_drafter
        work = measure_speed(self.lesson.lm, make_drafter, prompts, N_TOKENS, N_RUNS)
        return Job(work, is_timed=True)

    def _draw(self, job: Job[SpeedReport]) -> None:
        report, machine = job.result, measured_on(job, self.lesson.lm)
        where = f"{machine.where}, {machine.model} with {report.draft}"
        show_chart(speed_figure(report, where), "spec_speeds")
        show_metrics(_numbers(report), "spec_numbers")
        is_same = all(one.is_same for one in report.speeds)
        n_tokens = count(sum(one.n_tokens for one in report.speeds))
        show_folded(f"{'All' if is_same else 'Not all'} {n_tokens} {CONDITIONS}", "spec_conditions")

    def _end(self) -> None:
        """Draws a round as time: as it was measured, or the textbook’s example."""
        cost, job = TEXTBOOK_ROUND, self.lesson.jobs.get(self.key)
        if job is None or job.found is None:
            st.markdown("The textbook’s example; press Measure for the numbers of this machine.")
        elif SETTINGS.widget("preset", label_visibility="collapsed") == "measured":
            cost = round_cost(job.found.parts, SETTINGS["guesses"])
        show_chart(round_figure(cost, self.lesson.lm.where), "spec_round")


def _numbers(report: SpeedReport) -> list[tuple[str, str, str]]:
    """Writes what was measured of the best length, and of a round's parts."""
    parts, best = report.parts, max(report.speeds, key=lambda one: one.measured)
    length = "adaptive" if best.n_draft is None else f"{best.n_draft} a round"
    runs = f"medians of {plural(report.n_runs, 'run')}" if report.n_runs else "unfinished"
    drafted = f"{digits(best.mean_drafted, 2)} of them drafted; a text’s last round may be short"
    draft, verification, step = parts.draft_seconds, parts.verify_seconds[5], parts.decode_seconds
    return [
        ("measured speed-up", f"{best.measured:.2f}", f"at its best, {length}; {runs}"),
        (
            "draft tokens accepted",
            percent(parts.acceptance.rate),
            f"of {count(sum(parts.acceptance.n_tested))} that were tested",
        ),
        ("tokens per target pass", f"{best.tokens_per_round:.2f}", drafted),
        ("a draft step", duration(draft), f"{draft / step:.2f} of a plain step of the target"),
        (
            "a verification of 5",
            duration(verification),
            f"{verification / step:.2f} of a plain step ({duration(step)})",
        ),
    ]


class Drafts(Experiment[SpeculativeLesson]):
    """The drafts that go with this target."""

    key, title = "spec_drafts", "Acceptance and distillation"
    button = "Compare drafts"
    recorded = tuple[DraftReport, ...]
    claim = (
        "A draft that agrees more with its target is accepted more. Two of these read the same "
        "text, as often: scribbler_taught learned the target’s distributions, scribbler_plain the "
        "next token alone. The scribbler was taught far longer. Prompt lookup has no model: it is "
        "accepted where the text repeats itself. Agreement varies from text to text, so "
        f"{len(COMPARED_PROMPTS)} are continued."
    )
    code = (compare_drafts,)

    def _start(self) -> Job[tuple[DraftReport, ...]]:
        lm, pair = self.lesson.lm, self.lesson.pair
        pairs = {pair.draft_name: pair}
        for name in DRAFTS:
            try:
                draft = None if name == LOOKUP else shared_model(name)
                pairs.setdefault(name, ModelPair(lm, draft))
            except ValueError:
                continue  # another tokenizer: the page has said so where it was chosen
        prompts = [encode(lm, prompt) for prompt in COMPARED_PROMPTS]
        makers = [pair.make_drafter for pair in pairs.values()]
        return Job(compare_drafts(lm, makers, prompts, N_TOKENS, N_COMPARED_DRAFT))

    def _draw(self, job: Job[tuple[DraftReport, ...]]) -> None:
        reports = job.result
        show_chart(acceptance_figure(reports), "spec_acceptance")
        rows: Table = [
            {
                "draft": one.name,
                "tokens per target pass": f"{one.n_tokens / one.n_rounds:.2f}",
                "tokens written": one.n_tokens,
            }
            for one in reports
        ]
        show_table(rows, "spec_reports")
