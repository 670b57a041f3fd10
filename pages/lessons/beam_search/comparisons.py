"""The beam-search lesson's jobs: the exact best beside greedy and the beams; cost and quality."""

import streamlit as st

from model.beam_search.best_first import BestFirstSearch
from model.beam_search.costs import cost_of, distinct, measure_costs
from model.beam_search.experiments import compare_searches
from model.beam_search.records import DecodingCost, SearchComparison
from model.job import Job
from pages.frame.experiment import Experiment
from pages.frame.figures import show_caption, show_chart, show_table
from pages.frame.job_panel import measured_on
from pages.frame.question import lesson_asks, lesson_waits
from pages.lessons.beam_search.settings import SETTINGS
from pages.lessons.beam_search.state import PROMPTS, BeamLesson
from viz.beam_search.comparison import (
    costs_figure,
    costs_table,
    exact_words,
    likely_beside_drawn,
    searches_figure,
    searches_table,
)
from viz.format import plural, signed
from viz.labels import in_sentence
from viz.strip import prose

N_TOKENS = 60  # of each text whose cost is measured
FIRST_SEED = 17  # of the drawn ones: the last, which a lesson shows, goes somewhere


class ExactSearch(Experiment[BeamLesson]):
    """Greedy and the beams beside the likeliest text of all."""

    key, title = "beam_exact", "Greedy, beam search and the exact best"
    recorded = SearchComparison
    claim = (
        "Greedy decoding can start better and end worse. Best-first search goes on until no "
        "prefix is left that could still win, so it can prove which text is the likeliest."
    )
    code = (BestFirstSearch.step, BestFirstSearch._expand)

    def __init__(self, lesson: BeamLesson) -> None:
        """Takes as many beams as the tree above has."""
        super().__init__(lesson)
        self.n_beams = lesson.stepper.steps.request.beams
        self.button = f"Compare with {plural(self.n_beams, 'beam')}"

    def _fields(self, is_running: bool) -> None:
        SETTINGS.widget("exact_prompt", disabled=is_running)
        SETTINGS.widget("exact_tokens", width=120, disabled=is_running)
        SETTINGS.widget("exact_limit", width=190, disabled=is_running)

    def _start(self) -> Job[SearchComparison]:
        names = "exact_prompt", "exact_tokens", "exact_limit"
        prompt, n_tokens, limit = (SETTINGS[name] for name in names)
        work = compare_searches(self.lesson.lm, prompt, self.n_beams, n_tokens, limit)
        return Job(work, is_timed=True)

    def _draw(self, job: Job[SearchComparison]) -> None:
        comparison = job.result
        st.html(prose((comparison.prompt, ""), (" …", "")))
        show_chart(searches_figure(comparison), "beam_searches")
        show_table(searches_table(comparison), "beam_searches_table", {"sum log p": "%.3f"})
        if not job.is_running:
            (st.success if comparison.is_proved else st.info)(exact_words(comparison))
            st.caption(_parting(comparison))


def _parting(comparison: SearchComparison) -> str:
    """Says at which token greedy took the likelier token that led to the less likely text."""
    best, greedy = comparison.best, comparison.greedy
    if best.labels == greedy.labels:
        return "Greedy decoding found it too: try another prompt, or more tokens."
    pairs = zip(greedy.labels, best.labels, strict=False)
    i = next((i for i, (own, other) in enumerate(pairs) if own != other), 0)
    return (
        f"They differ from token {i + 1} on: greedy takes {in_sentence(greedy.labels[i])} with log "
        f"p {signed(greedy.logprobs[i])}, the best text {in_sentence(best.labels[i])} with "
        f"{signed(best.logprobs[i])}. No length penalty applies: all texts have one length, unless "
        "an end token comes first."
    )


class Costs(Experiment[BeamLesson]):
    """The same prompts by every method."""

    key, title = "beam_cost", "Cost and quality"
    button = f"Generate {N_TOKENS} tokens with each method"
    recorded = tuple[DecodingCost, ...]
    claim = (
        "In open-ended text beam search gains little and writes blander: the likeliest words "
        "are those that anybody would write, and what was said once becomes likelier."
    )
    code = (measure_costs, cost_of, distinct)

    def _fields(self, is_running: bool) -> None:
        SETTINGS.widget("cost_prompts", width=200, disabled=is_running)

    def _start(self) -> Job[tuple[DecodingCost, ...]]:
        lesson = self.lesson
        n_beams = max(2, lesson.stepper.steps.request.beams)
        prompts = PROMPTS[: SETTINGS["cost_prompts"]]
        return Job(measure_costs(lesson.lm, prompts, n_beams, N_TOKENS, FIRST_SEED), is_timed=True)

    def _draw(self, job: Job[tuple[DecodingCost, ...]]) -> None:
        costs, machine = job.result, measured_on(job, self.lesson.lm)
        if lesson_asks():  # how the likeliest text reads
            n_prompts = SETTINGS["cost_prompts"]
            prompt, waits = PROMPTS[n_prompts - 1], lesson_waits()
            st.html(likely_beside_drawn(prompt, costs, is_covered=waits))
            show_caption("Marked: two words that stood beside each other before.")
            return
        show_chart(costs_figure(costs), "beam_costs")
        formats = {"seconds": "%.2f"} | {f"distinct {n}": "percent" for n in (1, 2, 3)}
        show_table(costs_table(costs), "beam_costs_table", formats)
        st.caption(
            f"{machine.model}, {machine.where}: all methods have the same prompts, the same kind "
            "of pass and the same limit on length. Beam search’s text is its best by sum log p "
            "(a = 0). Distinct n: different n-grams as a fraction of all, mean over texts."
        )
