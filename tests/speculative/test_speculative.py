"""Speculative decoding by hand: acceptance, residual, rounds, drafts, formulas."""

from __future__ import annotations

import copy
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from transformers import PreTrainedTokenizerFast

from model.loading import LanguageModel, load_model
from model.sampling import Settings
from model.speculative.decoding import (
    Speculation,
    accept_prob,
    decode_baseline,
    draw_from,
    overlap,
    residual,
)
from model.speculative.drafting import (
    ForcedDraft,
    ModelDraft,
    PromptLookup,
    check_pair,
    differing_ids,
    fit,
    look_up,
    new_reader,
    one_hot,
)
from model.speculative.proof import compare_greedy
from model.speculative.records import Parts
from model.speculative.round_view import describe_round
from model.speculative.timing import (
    ADAPTIVE,
    SpeedTest,
    fill,
    predict_speed_up,
    report_draft,
    textbook_round,
    textbook_speed_up,
    tokens_per_round,
)
from tests.tiny_models import CROPPABLE, bare_model, save, tiny, tokenizer

PROMPT = [5, 6, 7, 8, 9, 10]
WARM = Settings(temperature=0.8, top_p=0.9)


def speculation(
    target: LanguageModel,
    draft: LanguageModel,
    settings: Settings = Settings(temperature=0),  # noqa: B008  frozen
    n_tokens: int = 20,
    seed: int = 0,
) -> Speculation:
    drafter = ModelDraft(draft, target.vocab_size)
    return Speculation(new_reader(target), drafter, PROMPT, settings, seed, n_tokens)


def write(text: Speculation, n_draft: int, *, adaptive: bool = False) -> list[int]:
    while text.finished is None:
        text.round(n_draft, adaptive=adaptive)
    return text.ids


# Acceptance and the residual


def test_a_guess_stays_with_the_ratio_of_target_to_draft_and_at_most_1() -> None:
    assert accept_prob(0.2, 0.8) == pytest.approx(0.25)
    assert accept_prob(0.8, 0.2) == 1
    assert accept_prob(0.0, 0.5) == 0
    assert accept_prob(0.0, 0.0) == 1


def test_the_residual_is_what_the_draft_left_of_the_target() -> None:
    target, draft = np.array([0.5, 0.3, 0.2, 0.0]), np.array([0.2, 0.6, 0.1, 0.1])
    before = target.copy()
    assert residual(target, draft) == pytest.approx([0.75, 0, 0.25, 0])
    assert (target == before).all()
    assert overlap(target, draft) == pytest.approx(0.6)
    # what is accepted and what is drawn after a rejection make up the target, token by token
    accepted = draft * [accept_prob(t, d) for t, d in zip(target, draft, strict=True)]
    assert accepted + (1 - accepted.sum()) * residual(target, draft) == pytest.approx(target)


def test_a_draft_that_equals_the_target_leaves_no_residual_and_is_never_rejected() -> None:
    probs = np.array([0.5, 0.5])
    assert residual(probs, probs) == pytest.approx(probs)
    assert overlap(probs, probs) == 1


def test_the_coin_falls_on_the_bar_laid_best_first() -> None:
    probs = np.array([0.2, 0.5, 0.0, 0.3])
    assert [draw_from(probs, coin) for coin in (0.0, 0.49, 0.5, 0.79, 0.8, 0.999)] == [
        *(1, 1, 3, 3, 0, 0)
    ]


# Rounds


@pytest.mark.parametrize("architecture", CROPPABLE)
@pytest.mark.parametrize("n_draft", [1, 4])
def test_greedy_text_is_that_of_plain_decoding(architecture: str, n_draft: int) -> None:
    target, draft = tiny(architecture), tiny("llama", seed=1)
    plain = decode_baseline(new_reader(target), PROMPT, n_tokens=20)[0]
    assert write(speculation(target, draft), n_draft) == plain
    # a draft that is the target itself is always believed
    twin = speculation(target, target)
    assert write(twin, n_draft) == plain
    assert len(twin.starts) == -(-(len(plain) - len(PROMPT)) // (n_draft + 1))


def test_both_caches_hold_all_but_the_last_token_after_a_round() -> None:
    text = speculation(tiny("llama"), tiny("llama", seed=1), WARM)
    while text.finished is None:
        outcome = text.round(4)
        (before, read, kept), (_, draft_read, draft_kept) = outcome.reads
        n_guesses = len(outcome.draft.ids)
        assert before == outcome.n_text - 1
        assert read == outcome.n_text + n_guesses
        assert kept == outcome.n_text + outcome.n_accepted == len(text.ids) - 1
        assert draft_kept == min(draft_read, kept)
        assert len(outcome.token_ids) == outcome.n_accepted + 1


def test_a_crop_leaves_the_cache_of_a_fresh_reading() -> None:
    text = speculation(tiny("llama"), tiny("llama", seed=1), WARM)
    for _ in range(4):
        text.round(4)
    cropped = text.target.read([text.ids[-1:]])[0]
    fresh = new_reader(text.target.lm).read([text.ids])[0]
    assert cropped == pytest.approx(fresh, abs=1e-4)


def test_back_takes_a_round_back_and_the_same_coins_fall_again() -> None:
    text = speculation(tiny("llama"), tiny("llama", seed=1), WARM)
    text.round(3)
    first = list(text.ids)
    gained = text.round(3).token_ids
    text.back()
    assert text.ids == first
    assert text.round(3).token_ids == gained
    for _ in range(5):
        text.back()
    assert text.ids == PROMPT


def test_another_seed_writes_another_text() -> None:
    texts = {
        tuple(write(speculation(tiny("llama"), tiny("llama", seed=1), WARM, seed=seed), 3))
        for seed in range(3)
    }
    assert len(texts) == 3


def test_an_end_token_among_the_guesses_ends_the_text_as_in_plain_decoding() -> None:
    target = tiny("llama")
    plain = decode_baseline(new_reader(target), PROMPT, n_tokens=20)[0]
    end_id = plain[len(PROMPT) + 2]
    ends = frozenset({end_id})
    ending = replace(target, end_ids=ends)
    wanted = decode_baseline(new_reader(ending), PROMPT, n_tokens=20)[0]
    text = speculation(ending, ending)
    assert write(text, 8) == wanted
    assert text.finished == "eos"
    assert text.ids[-1] == end_id
    assert text.target.n_read <= len(text.ids)
    with pytest.raises(ValueError, match="finished"):
        text.round(2)


def test_no_guess_goes_past_the_length() -> None:
    for n_tokens in (1, 2, 3, 7):
        text = speculation(tiny("llama"), tiny("llama"), n_tokens=n_tokens)
        assert len(write(text, 4)) == len(PROMPT) + n_tokens
        assert text.finished == "length"


def test_a_prompt_that_fills_a_context_is_refused_with_the_remedy() -> None:
    with pytest.raises(ValueError, match="5 more than the 96"):
        Speculation(new_reader(tiny("llama")), PromptLookup(290), [5] * 100)
    with pytest.raises(ValueError, match="write a word"):
        Speculation(new_reader(tiny("llama")), PromptLookup(290), [])


@pytest.mark.parametrize("architecture", ["mamba", "openai_gpt", "qwen3_next"])
def test_a_model_that_cannot_take_tokens_back_is_refused(architecture: str) -> None:
    with pytest.raises(ValueError, match="cannot be cropped"):
        new_reader(tiny(architecture))


# Drafts


def test_prompt_lookup_copies_what_followed_the_same_words() -> None:
    assert look_up([1, 2, 3, 4, 5, 1, 2, 3], 3) == (4, 5, 1)
    assert look_up([1, 2, 9, 2, 7, 2], 2) == (7, 2), "the last occurrence"
    assert look_up([7, 8, 1, 2, 3, 8, 1, 9, 2, 3, 8, 1], 1) == (9,), "the longest end first"
    assert look_up([1, 2, 3], 4) == ()
    assert look_up([1, 1], 0) == ()


@pytest.mark.parametrize("settings", [Settings(temperature=0), WARM])
def test_prompt_lookup_needs_no_model_and_changes_no_greedy_text(settings: Settings) -> None:
    target = tiny("llama")
    prompt = [5, 6, 7, 5, 6]
    text = Speculation(
        new_reader(target), PromptLookup(target.vocab_size), prompt, settings, max_new_tokens=20
    )
    first = text.round(4)
    assert first.draft.ids == (7, 5, 6)
    assert first.draft.n_steps == 0
    assert len(first.reads) == 1
    write(text, 4)
    if settings.is_greedy:
        assert text.ids == decode_baseline(new_reader(target), prompt, n_tokens=20)[0]


def test_an_adaptive_draft_stops_when_it_no_longer_believes_itself(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    target, draft = tiny("llama"), tiny("llama", seed=1)
    monkeypatch.setattr("model.speculative.drafting.LEAST_BELIEF", 0.0)
    assert len(speculation(target, draft).round(8, adaptive=True).draft.ids) == 8
    monkeypatch.setattr("model.speculative.drafting.LEAST_BELIEF", 1.1)
    assert len(speculation(target, draft).round(8, adaptive=True).draft.ids) == 1


def test_a_forced_draft_is_the_best_or_the_worst_case() -> None:
    target, draft = tiny("llama"), tiny("llama", seed=1)
    truth = decode_baseline(new_reader(target), PROMPT, n_tokens=20)[0]
    for is_right, n_rounds in ((True, 4), (False, 20)):
        drafter = ForcedDraft(ModelDraft(draft, 290), truth, is_right=is_right)
        text = Speculation(new_reader(target), drafter, PROMPT, max_new_tokens=20)
        assert write(text, 4) == truth
        assert len(text.starts) == n_rounds


def test_logits_of_another_width_are_cut_or_filled_up() -> None:
    row = np.array([1.0, 2.0, 3.0], dtype=np.float32)
    assert fit(row, 2).tolist() == [1, 2]
    assert fit(row, 4).tolist() == [1, 2, 3, -np.inf]
    assert fit(row, 3) is row
    assert one_hot(1, 3).tolist() == [0, 1, 0]


def test_a_draft_with_another_tokenizer_is_refused_by_the_ids_that_differ(tmp_path: Path) -> None:
    words = copy.deepcopy(tokenizer())
    assert isinstance(words, PreTrainedTokenizerFast)
    words.add_tokens(["zebra", "quagga"])
    folder = save(tmp_path / "other", bare_model("llama"), words)
    other = load_model(str(folder), device="cpu")
    target = tiny("llama")
    n_known = len(target.tokenizer)
    assert differing_ids(target, other) == [n_known, n_known + 1]
    with pytest.raises(ValueError, match=rf"ids {n_known}, {n_known + 1} differ .*'zebra' there"):
        check_pair(target, other)
    check_pair(target, tiny("gpt2"))


# What a round looks like


def test_a_described_round_says_what_happened() -> None:
    text = speculation(tiny("llama"), tiny("llama", seed=1), WARM)
    seen = set()
    while text.finished is None:
        outcome = text.round(3)
        one = describe_round(text, outcome, 1)
        verdicts = [proposal.verdict for proposal in one.proposals]
        seen |= set(verdicts)
        assert verdicts[: one.n_accepted] == ["accepted"] * one.n_accepted
        assert one.n_accepted == outcome.n_accepted
        for proposal in one.proposals:
            if proposal.verdict != "not tested":
                stays = proposal.coin < proposal.accept_prob
                assert stays == (proposal.verdict == "accepted")
        assert one.drawn is not None
        assert (one.drawn.source == "bonus") == (one.n_accepted == len(one.proposals))
        assert one.drawn.token_id == outcome.token_ids[-1]
        assert one.drawn.prob > 0
        for bars, rest in zip(one.bars, one.rest, strict=True):
            assert sum(bar.target_prob for bar in bars) + rest[0] == pytest.approx(1)
        assert one.caches[0].n_kept == len(text.ids) - 1
    assert seen >= {"rejected", "not tested"}


# Formulas


def test_tokens_of_a_round_by_hand() -> None:
    assert tokens_per_round([]) == 1
    assert tokens_per_round([0.5, 0.4]) == pytest.approx(1 + 0.5 + 0.2)
    assert tokens_per_round([1, 1, 1]) == 4
    assert tokens_per_round([0.8] * 4) == pytest.approx((1 - 0.8**5) / (1 - 0.8))


def test_the_textbooks_example() -> None:
    cost = textbook_round()
    assert not cost.is_measured
    a_round = cost.n_draft * cost.draft_seconds + cost.verify_seconds
    assert a_round == pytest.approx(0.070)
    assert (cost.n_draft + 1) * cost.target_seconds == pytest.approx(0.250)
    assert textbook_speed_up(1, 4, 0.1) == pytest.approx(0.250 / 0.070)
    assert textbook_speed_up(0, 4, 0.1) == pytest.approx(50 / 70)


def test_the_prediction_adds_up_the_measured_parts() -> None:
    parts = Parts(
        decode_seconds=0.010,
        verify_seconds={1: 0.010, 2: 0.012, 3: 0.014},
        draft_seconds=0.001,
        overhead_seconds=0.002,
        n_tested=(100, 60),
        n_accepted=(60, 30),
    )
    assert parts.acceptance == (0.6, 0.5)
    assert parts.overall == pytest.approx(90 / 160)
    assert predict_speed_up(parts, 1) == pytest.approx(1.6 * 0.010 / 0.015)
    assert predict_speed_up(parts, 2) == pytest.approx(1.9 * 0.010 / 0.018)


def test_widths_that_were_not_timed_lie_between_those_that_were() -> None:
    filled = fill({1: 1.0, 3: 2.0, 5: 4.0})
    assert [filled[width] for width in (1, 2, 3, 4, 5, 9)] == [1, 1.5, 2, 3, 4, 4]


def test_a_speed_test_compares_the_same_texts() -> None:
    target, draft = tiny("llama"), tiny("llama", seed=1)
    test = SpeedTest(
        target,
        lambda: ModelDraft(draft, 290),
        [PROMPT, PROMPT[:3]],
        n_tokens=10,
        n_runs=2,
        lengths=(1, 3, ADAPTIVE),
        extremes_at=3,
    )
    n_written = 0
    while test.advance():
        n_written += 1
    assert test.is_done
    assert n_written == test.n_texts == (1 + 4) * (1 + 5), "plain, three lengths, right, wrong"
    assert test.n_runs_done == 2
    one, three, adaptive = test.speeds()
    assert (one.n_draft, three.n_draft, adaptive.n_draft) == (1, 3, None)
    assert all(speed.is_same and speed.n_tokens == 40 for speed in (one, three, adaptive))
    assert all(speed.measured > 0 for speed in (one, three, adaptive))
    assert adaptive.predicted is None
    parts = test.parts()
    assert parts.n_tested[0] > 0
    assert three.predicted == pytest.approx(predict_speed_up(parts, 3))
    extremes = test.extremes()
    assert extremes is not None
    assert test.cost(3).verify_seconds == parts.verify_seconds[4]


def test_a_report_counts_what_was_looked_at() -> None:
    target = tiny("llama")
    *_, report = report_draft(target, lambda: ModelDraft(target, 290), "itself", [PROMPT], 10, 4)
    assert report.overall == 1
    assert (report.n_rounds, report.n_tokens) == (2, 10)
    assert report.n_tested == (2, 2, 2, 2)


def test_a_comparison_says_where_two_texts_part() -> None:
    target = tiny("llama")
    same = compare_greedy(target, ModelDraft(tiny("llama", seed=1), 290), "the hero", 12, 3)
    assert (same.first_difference, same.n_tokens) == (None, 12)
