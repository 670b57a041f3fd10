"""The claim of the constrained-decoding lesson, on the shipped model, as the page sets it up."""

from __future__ import annotations

import pytest

from model.constraints.experiments import compare_methods
from model.constraints.records import MethodResult
from model.job import finish
from model.loading import LanguageModel
from model.sampling import Settings
from pages.lessons.constraints.state import EXAMPLES, FIRST, begin
from viz.constraints.mask_chart import DEAD_END_MASS


@pytest.fixture(scope="module")
def methods(storyteller: LanguageModel) -> dict[str, MethodResult]:
    generation = begin(storyteller, EXAMPLES[FIRST]).steps.generation
    results = finish(compare_methods(generation.text, generation.constraint, 10))
    return {method.name: method for method in results}


def test_c18_argmax_runs_into_a_dead_end(storyteller: LanguageModel) -> None:
    steps = begin(storyteller, EXAMPLES[FIRST]).steps
    while steps.can_step:
        steps.step()
    masses = [step.mass for step in steps.generation.steps]
    assert masses[0] > DEAD_END_MASS  # the first token looks harmless
    assert min(masses) < DEAD_END_MASS
    assert steps.generation.is_complete


def test_c18_at_a_low_temperature_some_texts_escape_and_most_still_agree(
    methods: dict[str, MethodResult],
) -> None:
    cold = [methods[f"T = {temperature:g}"] for temperature in (0.1, 0.2, 0.3)]
    assert max(method.escape_rate for method in cold) > 0.1
    assert max(method.logprob for method in cold) > methods["argmax"].logprob + 1
    # with two answers, chance alone would agree in half of the pairs
    assert methods["T = 0.1"].agreement > 0.6


def test_c18_looking_ahead_escapes(methods: dict[str, MethodResult]) -> None:
    assert methods["4 beams"].escape_rate == 1
    assert methods["4 beams"].logprob > methods["argmax"].logprob + 10
    assert methods["4 beams"].most_common != methods["argmax"].most_common


def test_c18_the_mass_removed_is_what_the_mask_forbids(storyteller: LanguageModel) -> None:
    generation = begin(storyteller, EXAMPLES[FIRST]).steps.generation
    seen = generation.look(Settings())
    step = generation.step(Settings(temperature=0))
    assert step.mass == pytest.approx(seen.mass)
    forbidden = [token for token in seen.tokens if not token.is_allowed]
    assert forbidden
    assert all(token.masked_prob == 0 for token in forbidden)
    assert sum(token.prob for token in forbidden) <= 1 - seen.mass + 1e-9
