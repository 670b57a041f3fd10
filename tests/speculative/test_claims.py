"""The claims of the speculative lesson, on the shipped pair, by the functions of the page."""

from __future__ import annotations

from functools import partial

import pytest

from model.job import finish
from model.loading import LanguageModel, load_model
from model.speculative.drafting import ModelDraft, PromptLookup
from model.speculative.proof import PROMPTS, check_greedy, compare_distribution
from model.speculative.timing import TEXTBOOK_ROUND, compare_drafts, measure_speed
from model.tokenizing import encode
from pages.lessons.speculative.speed import PROMPTS as SPEED_PROMPTS
from viz.speculative.charts import round_figure


@pytest.fixture(scope="module")
def scribbler() -> LanguageModel:
    return load_model("scribbler", device="cpu", dtype="float32")


def test_c31_greedy_text_is_identical_after_every_opening_and_every_hero(
    storyteller: LanguageModel, scribbler: LanguageModel
) -> None:
    assert len(set(PROMPTS)) == 100
    make_drafter = partial(ModelDraft, scribbler, 4096)
    checks = finish(check_greedy(storyteller, make_drafter, PROMPTS[::9], 8, 4))
    assert [one.prompt for one in checks if one.first_difference is not None] == []
    assert sum(one.n_tokens for one in checks) > 1.3 * sum(one.n_rounds for one in checks)


def test_c31_sampled_pairs_follow_the_target_over_a_thousand_draws(
    storyteller: LanguageModel, scribbler: LanguageModel
) -> None:
    ids = encode(storyteller, "The cat sat on the")
    draft = ModelDraft(scribbler, 4096)
    test = finish(compare_distribution(storyteller, draft, ids, n_draws=1_000))
    assert test.counts.sum() == 1_000
    assert test.probs.sum() == pytest.approx(1)
    assert test.chi_square.n_degrees >= 10
    assert test.chi_square.p_value > 0.001
    # a draft that had its way would be found out: its own tokens follow another distribution
    assert 0 < test.n_accepted < test.n_tested


def test_c32_the_best_case_is_faster_than_the_worst_and_the_texts_are_the_same(
    storyteller: LanguageModel, scribbler: LanguageModel
) -> None:
    make_drafter = partial(ModelDraft, scribbler, 4096)
    prompts = [encode(storyteller, SPEED_PROMPTS[0])]
    report = finish(measure_speed(storyteller, make_drafter, prompts, 24, n_runs=1, lengths=(4,)))
    assert all(one.is_same and one.n_tokens == 24 for one in report.speeds)
    assert 0.3 < report.parts.acceptance.rate < 1
    best, worst = report.extremes or (0.0, 0.0)
    assert best > worst


def test_c32_agreement_comes_from_distillation(
    storyteller: LanguageModel, scribbler: LanguageModel
) -> None:
    prompts = [encode(storyteller, prompt) for prompt in SPEED_PROMPTS]
    plain = load_model("scribbler_plain", device="cpu", dtype="float32")
    assert plain.n_parameters == scribbler.n_parameters
    makers = [partial(ModelDraft, lm, 4096) for lm in (scribbler, plain)]
    distilled, untaught = finish(compare_drafts(storyteller, makers, prompts, 48, 6))
    assert distilled.acceptance.rate > untaught.acceptance.rate


def test_c32_prompt_lookup_is_accepted_where_the_text_repeats_itself(
    storyteller: LanguageModel,
) -> None:
    ids = encode(storyteller, "Tim had a red ball. Tim had a red ball. Tim had a red")
    (report,) = finish(compare_drafts(storyteller, [partial(PromptLookup, 4096)], [ids], 24, 6))
    assert report.n_tokens > report.n_rounds


def test_c32_the_textbooks_round_takes_70_ms_for_5_tokens_and_is_illustrative() -> None:
    caption = round_figure(TEXTBOOK_ROUND, "nowhere").caption
    assert caption.startswith("Illustrative")
    assert "70.0\u202fms" in caption
    assert "5 tokens" in caption
