"""The claim of the constraint lesson, on the shipped model, as the page sets it up."""

from __future__ import annotations

import pytest

from model.constraints.records import WayOut
from model.loading import LanguageModel
from model.sampling import Settings
from pages.lessons.constraints.state import EXAMPLES, FIRST, begin, start_ways
from viz.constraints.mask_chart import CORNER, mass_figure


@pytest.fixture(scope="module")
def ways(storyteller: LanguageModel) -> dict[str, WayOut]:
    run = start_ways(begin(storyteller, EXAMPLES[FIRST]))
    while run.is_running:
        run.slice(1.0)
    return {way.name: way for way in run.ways()}


def test_c18_argmax_walks_into_a_corner_with_almost_no_probability(
    storyteller: LanguageModel,
) -> None:
    now = begin(storyteller, EXAMPLES[FIRST])
    while now.can_step:
        now.step(0.0)
    steps = now.writing.steps
    assert steps[0].mass > CORNER  # the first turn looks harmless
    assert min(step.mass for step in steps) < CORNER
    assert now.writing.is_complete
    assert "In a corner at token" in mass_figure(steps).caption


def test_c18_a_little_temperature_gets_some_texts_out_and_most_still_agree(
    ways: dict[str, WayOut],
) -> None:
    little = [ways[f"T = {temperature:g}"] for temperature in (0.1, 0.2, 0.3)]
    assert max(way.escaped for way in little) > 0.1
    assert max(way.logprob for way in little) > ways["argmax"].logprob + 1
    # with two answers, chance alone would agree in half of the pairs
    assert ways["T = 0.1"].agreement > 0.6


def test_c18_looking_ahead_gets_out_by_far(ways: dict[str, WayOut]) -> None:
    assert ways["4 beams"].escaped == 1
    assert ways["4 beams"].logprob > ways["argmax"].logprob + 10
    assert ways["4 beams"].best != ways["argmax"].best


def test_c18_the_mass_thrown_away_is_what_the_mask_forbids(storyteller: LanguageModel) -> None:
    now = begin(storyteller, EXAMPLES[FIRST])
    seen = now.writing.look(Settings())
    step = now.writing.step(Settings(temperature=0))
    assert step.mass == pytest.approx(seen.mass)
    forbidden = [token for token in seen.tokens if not token.is_allowed]
    assert forbidden
    assert all(token.masked_prob == 0 for token in forbidden)
    assert sum(token.prob for token in forbidden) <= 1 - seen.mass + 1e-9
