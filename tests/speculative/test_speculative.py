"""Speculative decoding by hand: acceptance, residual, rounds, drafts, formulas."""

from __future__ import annotations

import copy
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from transformers import PreTrainedTokenizerFast

from model.job import Job, finish
from model.loading import LanguageModel, load_model
from model.sampling import Settings
from model.speculative import timing
from model.speculative.decoding import (
    Speculation,
    accept_prob,
    decode_baseline,
    decode_with_draft,
    overlap,
    residual,
)
from model.speculative.drafting import (
    ForcedDraft,
    ModelDraft,
    PromptLookup,
    check_pair,
    fit,
    look_up,
    new_reader,
    one_hot,
)
from model.speculative.proof import check_greedy
from model.speculative.records import Acceptance, Parts, RoundCost
from model.speculative.round_view import describe_round
from tests.jobs import run_until
from tests.tiny_models import CROPPABLE, bare_model, save, tiny, tokenizer

PROMPT = [5, 6, 7, 8, 9, 10]
WARM = Settings(temperature=0.8, top_p=0.9)


def speculation(
    target: LanguageModel,
    draft: LanguageModel,
    settings: Settings = Settings(temperature=0),  # noqa: B008  frozen
    n_tokens: int = 20,
) -> Speculation:
    drafter = ModelDraft(draft, target.vocab_size)
    return Speculation(new_reader(target), drafter, PROMPT, settings, max_new_tokens=n_tokens)


def write(text: Speculation, n_draft: int) -> list[int]:
    while text.finished is None:
        text.round(n_draft)
    return text.ids


# Acceptance and the residual


def test_acceptance_and_the_residual_by_hand() -> None:
    target, draft = np.array([0.5, 0.3, 0.2, 0.0]), np.array([0.2, 0.6, 0.1, 0.1])
    before = target.copy()
    pairs = zip(target, draft, strict=True)
    assert [accept_prob(t, d) for t, d in pairs] == pytest.approx([1, 0.5, 1, 0])
    assert accept_prob(0.0, 0.0) == 1
    assert residual(target, draft) == pytest.approx([0.75, 0, 0.25, 0])
    assert (target == before).all()
    assert overlap(target, draft) == pytest.approx(0.6)
    # a draft that equals the target leaves nothing, and is never rejected
    assert residual(target, target) == pytest.approx(target)


# Rounds


@pytest.mark.parametrize(
    ("architecture", "n_draft"), [("llama", 1), *((name, 4) for name in CROPPABLE)]
)
def test_greedy_text_is_that_of_plain_decoding(architecture: str, n_draft: int) -> None:
    target, draft = tiny(architecture), tiny("llama", seed=1)
    plain = decode_baseline(new_reader(target), PROMPT, n_tokens=20)[0]
    assert write(speculation(target, draft), n_draft) == plain
    # a draft that is the target itself is always accepted
    twin = speculation(target, target)
    assert write(twin, n_draft) == plain
    assert len(twin.starts) == -(-(len(plain) - len(PROMPT)) // (n_draft + 1))


def test_an_end_token_among_the_proposals_ends_the_text_as_in_plain_decoding() -> None:
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


def test_no_proposal_goes_past_the_length() -> None:
    for n_tokens in (1, 2, 3, 7):
        text = speculation(tiny("llama"), tiny("llama"), n_tokens=n_tokens)
        assert len(write(text, 4)) == len(PROMPT) + n_tokens
        assert text.finished == "length"


def test_a_text_or_a_model_that_will_not_do_is_refused_with_the_remedy() -> None:
    with pytest.raises(ValueError, match="5 more than the 96"):
        Speculation(new_reader(tiny("llama")), PromptLookup(290), [5] * 100)
    for architecture in ("mamba", "openai_gpt", "qwen3_next"):
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
    target, prompt = tiny("llama"), [5, 6, 7, 5, 6]
    text = Speculation(new_reader(target), PromptLookup(290), prompt, settings, max_new_tokens=20)
    first = text.round(4)
    assert (first.draft.ids, first.draft.n_steps, len(first.reads)) == ((7, 5, 6), 0, 1)
    write(text, 4)
    if settings.is_greedy:
        assert text.ids == decode_baseline(new_reader(target), prompt, n_tokens=20)[0]


@pytest.mark.parametrize(("confidence", "n_drafted"), [(0.0, 8), (1.1, 1)])
def test_an_adaptive_draft_stops_when_it_is_no_longer_confident(
    confidence: float, n_drafted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("model.speculative.drafting.MIN_CONFIDENCE", confidence)
    text = speculation(tiny("llama"), tiny("llama", seed=1))
    assert len(text.round(8, adaptive=True).draft.ids) == n_drafted


@pytest.mark.parametrize(("is_right", "n_rounds"), [(True, 4), (False, 20)])
def test_a_forced_draft_is_the_best_or_the_worst_case(is_right: bool, n_rounds: int) -> None:
    target, draft = tiny("llama"), tiny("llama", seed=1)
    truth = decode_baseline(new_reader(target), PROMPT, n_tokens=20)[0]
    drafter = ForcedDraft(ModelDraft(draft, 290), truth, is_right=is_right)
    text, rounds = decode_with_draft(target, drafter, PROMPT, 4, 20)
    assert (text, len(rounds)) == (truth, n_rounds)


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
    with pytest.raises(ValueError, match=rf"ids {n_known}, {n_known + 1} differ .*'zebra' there"):
        check_pair(target, other)
    check_pair(target, tiny("gpt2"))


# What a round looks like


def test_a_described_round_says_what_happened() -> None:
    text = speculation(tiny("llama"), tiny("llama", seed=1), WARM)
    seen = set()
    while text.finished is None:
        outcome = text.round(3)
        one = describe_round(text, outcome)
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
        assert one.drawn.prob > 0
        for bars in one.bars:
            assert sum(bar.probs[0] for bar in bars) == pytest.approx(1)
        assert one.caches[0].n_kept == len(text.ids) - 1
    assert seen >= {"rejected", "not tested"}


# Formulas


def test_tokens_of_a_round_and_the_textbooks_example_by_hand() -> None:
    assert timing.tokens_per_round([]) == 1
    assert timing.tokens_per_round([0.5, 0.4]) == pytest.approx(1 + 0.5 + 0.2)
    assert timing.tokens_per_round([1, 1, 1]) == 4
    assert timing.tokens_per_round([0.8] * 4) == pytest.approx((1 - 0.8**5) / (1 - 0.8))
    assert timing.textbook_speed_up(1, 4, 0.1) == pytest.approx(
        0.250 / timing.TEXTBOOK_ROUND.seconds
    )


def test_the_prediction_adds_up_the_measured_parts() -> None:
    parts = Parts(
        decode_seconds=0.010,
        verify_seconds={1: 0.010, 2: 0.012, 3: 0.014},
        draft_seconds=0.001,
        overhead_seconds=0.002,
        acceptance=Acceptance(n_tested=(100, 60), n_accepted=(60, 30)),
    )
    assert parts.acceptance.by_place == (0.6, 0.5)
    assert parts.acceptance.rate == pytest.approx(90 / 160)
    assert timing.predict_speed_up(parts, 1) == pytest.approx(1.6 * 0.010 / 0.015)
    assert timing.predict_speed_up(parts, 2) == pytest.approx(1.9 * 0.010 / 0.018)
    assert timing.round_cost(parts, 2) == RoundCost(2, 0.001, 0.014, 0.010, 0.002, 1.9)


def test_widths_that_were_not_timed_lie_between_those_that_were() -> None:
    filled = timing.fill({1: 1.0, 3: 2.0, 5: 4.0})
    assert [filled[width] for width in (1, 2, 3, 4, 5, 9)] == [1, 1.5, 2, 3, 4, 4]


def test_every_draft_length_writes_the_same_texts_in_turn() -> None:
    target, draft = tiny("llama"), tiny("llama", seed=1)
    prompts, lengths = [PROMPT, PROMPT[:3]], (1, 3, timing.ADAPTIVE)
    job = Job(timing.measure_speed(target, lambda: ModelDraft(draft, 290), prompts, 10, 2, lengths))
    n_ways = 1 + len(lengths) + 2  # plain, three lengths, right, wrong
    assert job.progress.n_total == (1 + 4) * n_ways
    run_until(job, 2 * n_ways - 1)
    assert job.progress.look is None
    run_until(job, 2 * n_ways)
    assert job.progress.look is not None, "once a prompt has been written in every way"
    run_until(job, 5 * n_ways)
    report = job.found
    assert report is not None
    assert [speed.n_draft for speed in report.speeds] == [1, 3, None]
    assert all(speed.is_same and speed.n_tokens == 40 for speed in report.speeds)
    assert all(speed.measured > 0 for speed in report.speeds)
    predicted = [timing.predict_speed_up(report.parts, n_draft) for n_draft in (1, 3)]
    assert [speed.predicted for speed in report.speeds] == [*predicted, None]
    assert report.extremes is not None


def test_a_report_counts_what_was_tested() -> None:
    target = tiny("llama")
    makers = [lambda: ModelDraft(target, 290), lambda: PromptLookup(290)]
    itself, lookup = finish(timing.compare_drafts(target, makers, [PROMPT], 10, 4))
    assert itself.acceptance.rate == 1
    assert (itself.n_rounds, itself.n_tokens) == (2, 10)
    assert itself.acceptance.n_tested == (2, 2, 2, 2)
    assert lookup.name == "prompt lookup"


def test_a_check_says_where_two_texts_part(monkeypatch: pytest.MonkeyPatch) -> None:
    make_drafter = partial(ModelDraft, tiny("llama", seed=1), 290)

    def check() -> tuple[int | None, int]:
        (one,) = finish(check_greedy(tiny("llama"), make_drafter, ["the hero"], 12, 3))
        return one.first_difference, one.n_tokens

    assert check() == (None, 12)
    monkeypatch.setattr(
        "model.speculative.proof.decode_baseline",
        lambda *args: (decode_baseline(*args)[0][:-2], 0.0),
    )
    assert check() == (10, 12)
