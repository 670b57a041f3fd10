"""The claims of the beam-search lesson, on the shipped model, by the functions that it shows."""

from __future__ import annotations

import math

import pytest

from model.beam_search import BeamSearch
from model.beam_search.costs import measure_costs
from model.beam_search.experiments import compare_searches
from model.generation import Generation
from model.job import finish
from model.loading import LanguageModel
from pages.lessons.beam_search.state import PROMPT, PROMPTS, SearchRequest, begin
from tests.charts.drawn_charts import checked
from viz.beam_search.tree import tree_figure

N_BEAMS, N_TOKENS = 4, 5
SHIPPED_PROMPTS = (*PROMPTS, "Once upon a time", "Ben and his mother went to")


def gain(lm: LanguageModel, prompt: str) -> float:
    """By how many nats the proved best of five tokens beats greedy's text."""
    comparison = finish(compare_searches(lm, prompt, N_BEAMS, N_TOKENS))
    assert comparison.is_proved
    best, greedy = comparison.best.total, comparison.greedy.total
    assert best >= max(greedy, comparison.beam.total) - 1e-3
    return best - greedy


def test_c20_greedy_is_beaten_on_the_example_that_the_search_over_the_prompts_found(
    storyteller: LanguageModel,
) -> None:
    by_prompt = {prompt: gain(storyteller, prompt) for prompt in SHIPPED_PROMPTS}
    assert max(by_prompt, key=lambda prompt: by_prompt[prompt]) == PROMPT
    assert math.exp(by_prompt[PROMPT]) > 2
    # and it is not so everywhere: where the model is sure, greedy is the best
    assert min(by_prompt.values()) == pytest.approx(0, abs=1e-3)


def test_c20_the_beam_finds_what_greedy_misses_by_a_less_likely_first_token(
    storyteller: LanguageModel,
) -> None:
    comparison = finish(compare_searches(storyteller, PROMPT, N_BEAMS, N_TOKENS, limit=100))
    assert comparison.beam.total > comparison.greedy.total + math.log(2)
    assert comparison.beam.logprobs[0] < comparison.greedy.logprobs[0]


def test_c20_the_tree_shows_what_was_pruned_and_when(storyteller: LanguageModel) -> None:
    steps = begin(storyteller, SearchRequest(), 6).steps
    search = steps.search
    assert steps.greedy_pruned_at() is not None
    chart = tree_figure(search.nodes, search.steps, search.n_beams, 10, "…", None)
    hovers = " ".join(chip.hovertext or "" for chip in checked(chart).layout.annotations)
    assert f"pruned at token {search.steps[-1].depth}" in hovers
    assert "dropped at token" in hovers
    for step in search.steps:
        worst_kept = min(search.nodes[i].total for i in step.beams)
        pruned = [search.nodes[i] for i in step.node_ids if search.nodes[i].fate == "pruned"]
        ends = search.end_ids
        assert all(node.total <= worst_kept for node in pruned if node.token_id not in ends)


def test_c20_more_beams_do_not_guarantee_but_here_never_lose(storyteller: LanguageModel) -> None:
    start = Generation(storyteller, PROMPT)
    ends: frozenset[int] = frozenset()
    totals = [BeamSearch(start, n, 0.0, 5, ends).run()[0].total for n in (1, 2, 4, 8)]
    assert totals[0] < totals[-1]
    assert max(totals) == pytest.approx(totals[-1], abs=1e-3)


def test_c21_a_beam_gains_little_a_token_and_repeats_more_than_sampling(
    storyteller: LanguageModel,
) -> None:
    greedy, beam, sampled, _ = finish(measure_costs(storyteller, PROMPTS[2:4], N_BEAMS, 40))
    # the gain is real, and small beside what sampling gives away
    assert 0 < beam.logprob - greedy.logprob < 0.5
    assert beam.logprob - greedy.logprob < beam.logprob - sampled.logprob
    assert beam.distinct[2] < sampled.distinct[2]
    assert beam.distinct[3] < sampled.distinct[3]
    assert beam.repeated > sampled.repeated
