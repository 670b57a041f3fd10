"""The claims of the speculative lesson, on the shipped pair, by the functions of the page."""

from __future__ import annotations

import pytest

from model.loading import LanguageModel, load_model
from model.speculative.decoding import Speculation, decode_baseline
from model.speculative.drafting import ForcedDraft, ModelDraft, PromptLookup, new_reader
from model.speculative.proof import LAW_SETTINGS, PROMPTS, LawTest, compare_greedy
from model.speculative.timing import (
    ADAPTIVE,
    SpeedTest,
    predict_speed_up,
    report_draft,
    textbook_round,
    tokens_per_round,
)
from model.tokenizing import encode
from pages.lessons.speculative.speed import PROMPTS as SPEED_PROMPTS
from viz.speculative.charts import round_figure, speed_figure


@pytest.fixture(scope="module")
def scribbler() -> LanguageModel:
    return load_model("scribbler", device="cpu", dtype="float32")


def test_c31_greedy_text_is_identical_on_a_hundred_prompts(
    storyteller: LanguageModel, scribbler: LanguageModel
) -> None:
    assert len(set(PROMPTS)) == 100
    found = [
        compare_greedy(storyteller, ModelDraft(scribbler, 4096), prompt, 8, 4) for prompt in PROMPTS
    ]
    assert [one.prompt for one in found if one.first_difference is not None] == []
    assert sum(one.n_tokens for one in found) > 1.3 * sum(one.n_rounds for one in found)


def test_c31_sampled_pairs_follow_the_target_over_ten_thousand_draws(
    storyteller: LanguageModel, scribbler: LanguageModel
) -> None:
    law = LawTest(storyteller, scribbler, encode(storyteller, "The cat sat on the"), LAW_SETTINGS)
    while not law.is_done:
        law.advance()
    test, expected = law.test()
    assert sum(expected.values()) == pytest.approx(1)
    assert test.n_degrees >= 10
    assert test.p_value > 0.001
    # a draft that had its way would be found out: its own guesses follow another law
    assert 0 < law.n_accepted < law.n_tested


def test_c32_all_accepted_gives_a_bonus_and_none_accepted_gives_one_token(
    storyteller: LanguageModel, scribbler: LanguageModel
) -> None:
    ids = encode(storyteller, SPEED_PROMPTS[0])
    truth = decode_baseline(new_reader(storyteller), ids, n_tokens=15)[0]
    for is_right, n_rounds in ((True, 3), (False, 15)):
        drafter = ForcedDraft(ModelDraft(scribbler, 4096), truth, is_right=is_right)
        text = Speculation(new_reader(storyteller), drafter, ids, max_new_tokens=15)
        while text.finished is None:
            text.round(4)
        assert text.ids == truth
        assert len(text.starts) == n_rounds


def test_c32_the_parts_are_measured_and_the_prediction_is_made_of_them(
    storyteller: LanguageModel, scribbler: LanguageModel
) -> None:
    test = SpeedTest(
        storyteller,
        lambda: ModelDraft(scribbler, 4096),
        [encode(storyteller, SPEED_PROMPTS[0])],
        n_tokens=24,
        n_runs=1,
        lengths=(2, 4, ADAPTIVE),
    )
    while test.advance():
        pass
    parts, speeds = test.parts(), test.speeds()
    assert all(one.is_same and one.n_tokens == 24 for one in speeds)
    assert 0.3 < parts.overall < 1
    n_tokens = tokens_per_round(parts.acceptance[:2])
    seconds = 2 * parts.draft_seconds + parts.verify_seconds[3] + parts.overhead_seconds
    assert speeds[0].predicted == pytest.approx(n_tokens * parts.decode_seconds / seconds)
    assert predict_speed_up(parts, 4) == speeds[1].predicted
    assert speeds[0].textbook is not None
    best, worst = test.extremes() or (0.0, 0.0)
    assert best > worst
    chart = speed_figure(speeds, (best, worst), 4, "cpu")
    assert "the measured parts predict" in chart.caption


def test_c32_agreement_comes_from_distillation(
    storyteller: LanguageModel, scribbler: LanguageModel
) -> None:
    prompts = [encode(storyteller, prompt) for prompt in SPEED_PROMPTS]
    plain = load_model("scribbler_plain", device="cpu", dtype="float32")
    assert plain.n_parameters == scribbler.n_parameters
    rates = {}
    for lm in (scribbler, plain):
        *_, report = report_draft(
            storyteller, lambda lm=lm: ModelDraft(lm, 4096), lm.name, prompts, 48, 6
        )
        rates[lm.name] = report.overall
    assert rates["scribbler"] > rates["scribbler_plain"]


def test_c32_prompt_lookup_is_believed_where_the_text_repeats_itself(
    storyteller: LanguageModel,
) -> None:
    ids = encode(storyteller, "Tim had a red ball. Tim had a red ball. Tim had a red")
    *_, report = report_draft(storyteller, lambda: PromptLookup(4096), "lookup", [ids], 24, 6)
    assert report.n_tokens > report.n_rounds


def test_c32_the_textbook_preset_says_70_ms_and_5_tokens_and_that_it_is_illustrative() -> None:
    chart = round_figure(textbook_round(), "nowhere")
    assert chart.caption.startswith("Illustrative")
    assert "make 70.0\u202fms a round" in chart.caption
    assert "it gives 5 tokens" in chart.caption
