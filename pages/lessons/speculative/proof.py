"""The speculative lesson's last part: that the text, or its distribution, stays the same."""

import math
from dataclasses import replace

import streamlit as st

from model.job import Job
from model.speculative.proof import (
    FEW_PAIRS,
    GENEROUS,
    N_COMPARED,
    PROMPTS,
    DistributionTest,
    check_greedy,
    compare_distribution,
    lean,
    pair_probs,
)
from model.speculative.records import GreedyCheck
from model.tokenizing import encode
from pages.frame.experiment import Experiment
from pages.frame.figures import show_caption, show_chart
from pages.frame.offers import DEFAULT_PROMPT
from pages.lessons.speculative.state import SpeculativeLesson
from viz.bars import MAX_TOKENS, draws_figure
from viz.format import UNUSUAL, chance, count, digits, percent, plural

TITLE = "The same text, the same distribution"
N_TOKENS, N_DRAFT = 32, 4
N_DRAWS = 10_000
SAMPLED_PROMPT = DEFAULT_PROMPT


def show_proof(lesson: SpeculativeLesson) -> None:
    """Offers both proofs."""
    st.header(TITLE, anchor=False)
    st.markdown(
        "With a draft greedy text stays the same, but for rounding. A sampled text may be another "
        "one for the same seed; what stays is the distribution that it is drawn from."
    )
    SameText(lesson).show()
    SameDistribution(lesson).show()


class SameText(Experiment[SpeculativeLesson]):
    """A hundred prompts continued with a draft and without."""

    key, title, is_part = "spec_greedy", f"Greedy: {len(PROMPTS)} prompts", True
    button = f"Continue {len(PROMPTS)} prompts both ways"
    recorded = tuple[GreedyCheck, ...]
    claim = (
        "Greedy text is the same, token for token, unless rounding decides between two tokens. Ten "
        "openings, each with ten heroes: most are strangers to the other pages, so that the texts "
        "differ."
    )
    code = (check_greedy,)

    def _start(self) -> Job[tuple[GreedyCheck, ...]]:
        make_drafter = self.lesson.pair.make_drafter
        return Job(check_greedy(self.lesson.lm, make_drafter, PROMPTS, N_TOKENS, N_DRAFT))

    def _draw(self, job: Job[tuple[GreedyCheck, ...]]) -> None:
        _show_checks(job.result)


def _show_checks(checks: tuple[GreedyCheck, ...]) -> None:
    wrong = [one for one in checks if one.first_difference is not None]
    n_tokens, n_rounds = sum(one.n_tokens for one in checks), sum(one.n_rounds for one in checks)
    st.markdown(
        f"**{count(len(checks) - len(wrong))} of {plural(len(checks), 'text')} are identical** to "
        f"plain decoding, token for token: {plural(n_tokens, 'token')} in "
        f"{plural(n_rounds, 'pass', 'es')} of the target, drafted by {checks[0].draft}."
    )
    if wrong:
        first = wrong[0]
        st.caption(
            f"“{first.prompt}” differs from token {(first.first_difference or 0) + 1} on. "
            "Where two tokens are nearly as likely, rounding decides: rare in float32, and not in "
            "16 bits."
        )
    show_caption("Measured. The last of them:")
    st.text(checks[-1].text)


class SameDistribution(Experiment[SpeculativeLesson]):
    """Ten thousand draws of a pair of tokens against the target's own probability of each."""

    key, title, is_part = "spec_sampled", f"Sampled: {count(N_DRAWS)} draws", True
    button = f"Draw {count(N_DRAWS)} times"
    recorded = DistributionTest
    claim = "Sampled text follows the target’s distribution, whatever the draft proposes."
    code = (compare_distribution, pair_probs)

    def _start(self) -> Job[DistributionTest]:
        ids = encode(self.lesson.lm, SAMPLED_PROMPT)
        drafter = self.lesson.pair.make_drafter()
        return Job(compare_distribution(self.lesson.lm, drafter, ids, n_draws=N_DRAWS))

    def _draw(self, job: Job[DistributionTest]) -> None:
        _show_draws(job.result)


def _leaning(test: DistributionTest) -> str:
    """Says how far the draws lean to the draft, beside a fault of acceptance; empty if unknown."""
    towards, error = lean([test])
    if math.isnan(towards):
        return ""
    return (
        f" Were proposals accepted {digits(GENEROUS)} times as often as they should be, the "
        f"draws would lean to the draft by 1; they do by {'−' * (towards < 0)}"
        f"{digits(abs(towards), 2)} ± {digits(1.96 * error, 2)}."
    )


def _show_draws(test: DistributionTest) -> None:
    n_draws, chi_square = int(test.counts.sum()), test.chi_square
    n_shown = min(MAX_TOKENS, len(test.labels))
    chart = draws_figure(test.labels, test.counts, test.probs)
    caption = (
        "Measured: how often each pair of tokens came, filled; derived: the target’s own "
        f"probability of it times {count(n_draws)}, outlined. "
        f"The {plural(n_shown, 'likeliest pair')} of {count(len(test.labels))}."
    )
    show_chart(replace(chart, title="Pairs of tokens", caption=caption), "spec_pairs")
    verdict = "as chance would have it" if chi_square.p_value > UNUSUAL else "unusual"
    pooled = f"{plural(chi_square.n_pooled, 'rare pair')} share one bin"
    if chi_square.n_pooled < 2:
        pooled = "no pair is so rare that it has to share one"
    st.markdown(
        f"**χ² = {digits(chi_square.statistic)}** with {plural(chi_square.n_degrees, 'degree')} of "
        f"freedom, **p {chance(chi_square.p_value, UNUSUAL)}**: {verdict}. {count(n_draws)} times "
        f"the first two tokens after “{SAMPLED_PROMPT}”, by rounds of "
        f"{plural(N_COMPARED, 'draft token')} of which "
        f"{percent(test.n_accepted / max(1, test.n_tested))} were accepted. A bin expects five or "
        f"more: {pooled}.{_leaning(test)}"
    )
    st.caption(
        f"Both models at temperature {FEW_PAIRS.temperature}, top-k {FEW_PAIRS.top_k}, top-p "
        f"{FEW_PAIRS.top_p}. A pass over the same tokens gives the same numbers, so each is run "
        "once and remembered; every pointer is drawn anew."
    )
