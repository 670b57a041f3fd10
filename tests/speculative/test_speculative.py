"""Speculative decoding: its texts, its drafts, its rounds, what its parts predict."""

import copy
import math
import time
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import pairwise, product
from types import SimpleNamespace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from transformers import PreTrainedTokenizerFast

from benchmarks.violations import generous
from model.chi_square import chi_square
from model.job import finish
from model.loading import LanguageModel, load_model
from model.masks import log_softmax
from model.passes import Logits
from model.recorded import recorded_job
from model.sampling import Settings
from model.speculative.decoding import (
    GREEDY,
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
    new_batch,
)
from model.speculative.proof import (
    GENEROUS,
    DistributionTest,
    MemoizedSpeculation,
    check_greedy,
    compare_distribution,
    faulty_law,
    lean,
)
from model.speculative.round_view import describe_round
from model.tokenizing import encode
from pages.lessons.speculative.proof import SAMPLED_PROMPT
from tests.speculative.pairs import N_TOKENS, PROMPT, WARM, WIDTH, draft, speculation
from tests.tiny_models import bare_model, generated, loaded, tiny, tokenizer


def write(text: Speculation, n_draft: int) -> list[int]:
    while text.finished is None:
        text.round(n_draft)
    return text.ids


# Greedy text


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("architecture", "n_draft"), [("llama", 1), ("gpt2", 4), ("gemma3", 4), ("deepseek", 4)]
)
def test_greedy_text_is_that_of_transformers(architecture: str, n_draft: int) -> None:
    target = tiny(architecture)
    wanted = generated(target, PROMPT, N_TOKENS, target.end_ids)
    assert decode_baseline(new_batch(target), PROMPT, N_TOKENS)[0] == wanted
    assert write(speculation(target, draft()), n_draft) == wanted
    # a draft that is the target itself is always accepted
    twin = speculation(target, ModelDraft(target, WIDTH))
    assert write(twin, n_draft) == wanted
    assert len(twin.starts) == -(-(len(wanted) - len(PROMPT)) // (n_draft + 1))


@pytest.mark.oracle
@pytest.mark.parametrize("prompt", ["The cat sat on the", "Once upon a time there was"])
def test_the_shipped_pair_writes_what_assisted_generation_writes(
    storyteller: LanguageModel, prompt: str
) -> None:
    scribbler, ids = load_model("scribbler", device="cpu"), encode(storyteller, prompt)
    drafter = ModelDraft(scribbler, storyteller.vocab_size)
    wanted = generated(storyteller, ids, 32, storyteller.end_ids, assistant_model=scribbler.model)
    assert decode_with_draft(storyteller, drafter, ids, 4, 32)[0] == wanted
    drafter = ModelDraft(scribbler, storyteller.vocab_size)
    text, rounds = decode_with_draft(storyteller, drafter, ids, 8, 32, adaptive=True)
    assert text == wanted
    assert max(len(one.draft.ids) for one in rounds) > 1
    assert min(len(one.draft.ids) for one in rounds[:-1]) < 8


def test_an_end_token_among_the_proposals_ends_the_text() -> None:
    target = tiny("llama")
    end_id = generated(target, PROMPT, 3)[-1]
    ending = replace(target, end_ids=frozenset({end_id}))
    text = speculation(ending, ModelDraft(ending, WIDTH))
    assert write(text, 8) == generated(target, PROMPT, N_TOKENS, {end_id})
    assert (text.finished, text.ids[-1]) == ("eos", end_id)
    text.back()
    outcome = text.round(8)
    assert outcome.n_tested == outcome.n_accepted < len(outcome.draft.ids)
    verdicts = [one.verdict for one in describe_round(text, outcome).proposals]
    assert set(verdicts[outcome.n_accepted :]) == {"not tested"}, "behind the end all is dropped"


def test_a_text_or_a_model_that_will_not_do_is_refused_with_the_remedy() -> None:
    with pytest.raises(ValueError, match="5 more than the 96"):
        speculation(tiny("llama"), PromptLookup(WIDTH), prompt=[5] * 100)
    for architecture in ("mamba", "openai_gpt", "qwen3_next"):
        with pytest.raises(ValueError, match="cannot be cropped"):
            new_batch(tiny(architecture))


def test_a_check_says_where_two_texts_part(monkeypatch: pytest.MonkeyPatch) -> None:
    def check() -> tuple[int | None, int]:
        (one,) = finish(check_greedy(tiny("llama"), draft, ["the hero"], 12, 3))
        return one.first_difference, one.n_tokens

    assert check() == (None, 12)
    cut = partial(decode_baseline, n_tokens=10)
    monkeypatch.setattr("model.speculative.proof.decode_baseline", lambda lm, ids, _: cut(lm, ids))
    assert check() == (10, 12)


# Drafts


def test_prompt_lookup_copies_what_followed_the_same_words() -> None:
    assert look_up([1, 2, 3, 4, 5, 1, 2, 3], 3) == (4, 5, 1)
    assert look_up([1, 2, 9, 2, 7, 2], 2) == (7, 2), "the last occurrence"
    assert look_up([7, 8, 1, 2, 3, 8, 1, 9, 2, 3, 8, 1], 1) == (9,), "the longest end first"
    assert look_up([1, 2, 3, 4, 9, 2, 3, 4, 8, 1, 2, 3, 4], 1) == (8,), "of three tokens at most"
    assert look_up([1, 2, 3], 4) == ()
    assert look_up([1, 1], 0) == ()


@pytest.mark.parametrize("settings", [GREEDY, WARM])
def test_prompt_lookup_needs_no_model_and_changes_no_greedy_text(settings: Settings) -> None:
    target, prompt = tiny("llama"), [5, 6, 7, 5, 6]
    text = speculation(target, PromptLookup(WIDTH), settings, prompt)
    first = text.round(4)
    assert (first.draft.ids, first.draft.n_steps, len(first.reads)) == ((7, 5, 6), 0, 1)
    assert first.draft.seconds == 0, "no pass of a draft"
    assert [probs.sum() for probs in first.draft.probs] == [1, 1, 1]
    write(text, 4)
    if settings.is_greedy:
        assert text.ids == generated(target, prompt, N_TOKENS, target.end_ids)


@pytest.mark.parametrize(("confidence", "n_drafted"), [(0.0, 8), (1.1, 1)])
def test_an_adaptive_draft_stops_when_it_is_no_longer_confident(
    confidence: float, n_drafted: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("model.speculative.drafting.MIN_CONFIDENCE", confidence)
    outcome = speculation(tiny("llama"), draft()).round(8, adaptive=True)
    assert len(outcome.draft.ids) == n_drafted


def test_an_adaptive_draft_goes_on_while_its_confidence_is_not_below_the_bound(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The confidence after n tokens is the product of what the draft gives to each one's best."""

    def n_drafted(bound: float) -> int:
        monkeypatch.setattr("model.speculative.drafting.MIN_CONFIDENCE", bound)
        began = time.monotonic()
        outcome = speculation(tiny("llama"), draft(), WARM).round(8, adaptive=True)
        assert 0 < outcome.draft.seconds < time.monotonic() - began
        return len(outcome.draft.ids)

    monkeypatch.setattr("model.speculative.drafting.MIN_CONFIDENCE", 0.0)
    proposed, lm = (
        speculation(tiny("llama"), draft(), WARM).round(4, adaptive=True).draft.ids,
        draft(),
    )
    logits = lm.batch.read([[*PROMPT, *proposed[:-1]]], n_logits=len(proposed))[0][0]
    best = np.exp(log_softmax(logits).max(axis=-1)).cumprod()
    assert [n_drafted(bound * 1.001) for bound in best] == [1, 2, 3, 4]
    assert n_drafted(best[1] * 0.999) == 3


@pytest.mark.parametrize(("is_right", "n_rounds"), [(True, 4), (False, 20)])
def test_a_forced_draft_is_the_best_or_the_worst_case(is_right: bool, n_rounds: int) -> None:
    truth = generated(tiny("llama"), PROMPT, 20)
    drafter = ForcedDraft(draft(), truth, is_right=is_right)
    text, rounds = decode_with_draft(tiny("llama"), drafter, PROMPT, 4, 20)
    assert (text, len(rounds)) == (truth, n_rounds)


def test_logits_of_another_width_are_cut_or_filled_up() -> None:
    row = np.array([1.0, 2.0, 3.0], dtype=np.float32)
    assert [fit(row, n).tolist() for n in (2, 3)] == [[1, 2], [1, 2, 3]]
    assert fit(row, 4).tolist() == [1, 2, 3, -np.inf]


def test_a_draft_with_another_tokenizer_is_refused_by_the_ids_that_differ() -> None:
    words = copy.deepcopy(tokenizer())
    assert isinstance(words, PreTrainedTokenizerFast)
    words.add_tokens(["zebra", "quagga"])
    target, other = tiny("llama"), loaded(bare_model("llama"), words)
    n_known = len(target.tokenizer)
    with pytest.raises(ValueError, match=rf"ids {n_known}, {n_known + 1} differ .*'zebra' there"):
        check_pair(target, other)
    check_pair(target, tiny("gpt2"))
    words.add_tokens(["okapi"])
    with pytest.raises(ValueError, match=rf"ids {n_known}, \d+, {n_known + 2} differ"):
        check_pair(target, loaded(bare_model("llama"), words))
    words.add_tokens(["tapir"])
    with pytest.raises(ValueError, match=rf"ids {n_known}, \d+, {n_known + 2} and 1 more differ"):
        check_pair(target, loaded(bare_model("llama"), words))


# What a round looks like


def test_a_described_round_says_what_happened() -> None:
    text, seen = speculation(tiny("llama"), draft(), WARM), set()
    assert text.seed == 0, "as any text's that names none"
    while text.finished is None:
        outcome = text.round(3)
        one = describe_round(text, outcome)
        verdicts = [proposal.verdict for proposal in one.proposals]
        seen |= set(verdicts)
        assert outcome.n_tested == len(verdicts) - verdicts.count("not tested")
        assert verdicts.count("rejected") == (one.n_accepted < len(one.proposals))
        assert one.n_accepted == outcome.n_accepted
        assert verdicts[: one.n_accepted] == ["accepted"] * one.n_accepted
        for proposal in one.proposals[: one.n_accepted + 1]:
            is_below = proposal.pointer < proposal.accept_prob
            assert is_below == (proposal.verdict == "accepted")
        assert one.drawn is not None
        assert (one.drawn.source == "bonus") == (one.n_accepted == len(one.proposals))
        assert one.drawn.prob > 0
        assert [sum(bar.probs[0] for bar in bars) for bars in one.bars] == pytest.approx(
            [1] * len(one.bars)
        )
        assert one.caches[0].n_kept == len(text.ids) - 1
    assert seen == {"accepted", "rejected", "not tested"}


def test_a_test_of_the_distribution_counts_its_proposals(storyteller: LanguageModel) -> None:
    """A draft that is the target itself: whatever it proposes is accepted."""
    recorded = recorded_job("spec_sampled", DistributionTest)
    assert recorded is not None
    ids = encode(storyteller, SAMPLED_PROMPT)
    drafter = ModelDraft(storyteller, storyteller.vocab_size)
    found = finish(compare_distribution(storyteller, drafter, ids, 30))
    assert found.n_tested == found.n_accepted == 2 * 30, "of two tokens each"
    alike = finish(compare_distribution(storyteller, drafter, ids, 30, first_seed=0))
    assert found.counts.tolist() == alike.counts.tolist()
    assert found.counts.sum() == 30
    # what was recorded is of the settings that its caption names today
    assert found.labels == recorded.result.labels
    np.testing.assert_allclose(found.probs, recorded.result.probs, rtol=1e-3)


# Whatever the draft, the distribution is the target's: by all pointers of a grid, by any numbers

# what follows each of three tokens, in sixths; ratios of target to draft are sixths, too
TARGET = ((1, 2, 3), (3, 1, 2), (3, 2, 1))
DRAFT = ((3, 2, 1), (1, 2, 3), (2, 1, 3))
N_POINTERS = 6
FALLS = ((1, "draft"), (2, "draft"), (1, "accept"), (2, "accept"), "draw")


class TableReader:
    """A model of three tokens that looks at the last one only."""

    def __init__(self, table: Sequence[Sequence[int]]) -> None:
        self.lm: Any = SimpleNamespace(end_ids=frozenset(), context_length=None, name="table")
        self.text: list[int] = []
        self._rows = np.log(np.array(table, dtype=np.float64) / 6).astype(np.float32)

    @property
    def n_read(self) -> int:
        return len(self.text)

    def read(self, rows: Sequence[Sequence[int]], n_logits: int = 1) -> tuple[Logits, float]:
        self.text += rows[0]
        return self._rows[self.text[-n_logits:]][None], 0.0

    def crop(self, n_tokens: int) -> None:
        del self.text[len(self.text) - n_tokens :]


def test_the_output_distribution_is_the_targets_by_exact_enumeration() -> None:
    """Every cell of the pointers is run once; what a round leaves open is the target's to write."""
    drafter = ModelDraft.__new__(ModelDraft)
    drafter.name, drafter.width = "table", 3
    drafter.batch = TableReader(DRAFT)  # type: ignore[assignment]  # it reads as one does
    text = MemoizedSpeculation(TableReader(TARGET), drafter, [0], Settings())
    found: Counter[tuple[int, ...]] = Counter()
    for cell in product((np.arange(N_POINTERS) + 0.5) / N_POINTERS, repeat=len(FALLS)):
        pointers: dict[Any, float] = dict(zip(FALLS, cell, strict=True))
        text.pointer = lambda at, use, pointers=pointers: pointers.get((at, use), pointers["draw"])
        found[text.round(2).token_ids] += 1
        text.back()
    assert {len(tokens) for tokens in found} == {1, 2, 3}
    for triple in product(range(3), repeat=3):
        got = math.fsum(
            found[triple[:n]] / found.total() * probability(triple[n - 1 :]) for n in (1, 2, 3)
        )
        assert got == pytest.approx(probability((0, *triple)), rel=1e-9), triple


def test_a_pointer_at_0_accepts_nothing_that_the_target_excludes() -> None:
    """The draft is sure of a token that the target never writes."""
    never, sure = [[1, 5, 0]] * 3, [[0, 0, 6]] * 3
    drafter = ModelDraft.__new__(ModelDraft)
    drafter.name, drafter.width = "table", 3
    with np.errstate(divide="ignore"):
        drafter.batch = TableReader(sure)  # type: ignore[assignment]  # it reads as one does
        text = MemoizedSpeculation(TableReader(never), drafter, [0], Settings())
    text.pointer = lambda *_: 0.0
    outcome = text.round(2)
    assert (outcome.n_tested, outcome.n_accepted, outcome.token_ids) == (1, 0, (1,))


def probability(tokens: Sequence[int]) -> float:
    """What the target alone gives to these tokens after the first of them."""
    return math.prod(TARGET[a][b] / 6 for a, b in pairwise(tokens))


def normalised(weights: Sequence[float]) -> npt.NDArray[np.float64]:
    return np.array(weights) / sum(weights)


weights = st.lists(st.floats(0, 1), min_size=5, max_size=5).filter(lambda some: sum(some) > 0.01)


@given(weights, weights)
@example([0.5] * 5, [0.5] * 5)
def test_accepted_and_redrawn_together_are_the_target(one: list[float], two: list[float]) -> None:
    target, draft = normalised(one), normalised(two)
    accepted = draft * [accept_prob(t, d) for t, d in zip(target, draft, strict=True)]
    assert accepted.sum() == pytest.approx(overlap(target, draft))
    law = accepted + (1 - accepted.sum()) * residual(target, draft)
    assert law == pytest.approx(target, abs=1e-12)
    assert residual(target, draft).sum() == pytest.approx(1)


PAIRS = st.lists(st.tuples(st.floats(0.01, 1), st.floats(0.01, 1)), min_size=2, max_size=8)


@given(PAIRS)
def test_a_law_with_the_right_acceptance_is_the_targets_and_a_generous_one_leans(
    weights: list[tuple[float, float]],
) -> None:
    target, draft = (np.array(row) / sum(row) for row in zip(*weights, strict=True))
    assert faulty_law(target, draft, 1.0) == pytest.approx(target, abs=1e-12)
    law = faulty_law(target, draft, GENEROUS)
    assert law.sum() == pytest.approx(1)
    assert (law - target)[draft > target].sum() >= -1e-12


def test_a_lean_by_hand_is_that_of_an_acceptance_a_tenth_too_generous() -> None:
    even, faulty, drawn = np.array([0.5, 0.5]), np.array([0.6, 0.4]), np.array([1, 0])
    test = DistributionTest(("a", "b"), drawn, even, chi_square(drawn, even), 1, 1, faulty)
    assert test.information == pytest.approx(0.04)
    assert lean([test]) == pytest.approx((0.2 / 0.04, 1 / 0.2))
    unknown = replace(test, faulty=None)
    assert (unknown.information, unknown.score) == (0, 0)
    assert math.isnan(lean([unknown])[0])
    assert pytest.approx(1.1) == GENEROUS


@pytest.mark.parametrize("times", [1.0, GENEROUS])
def test_the_lean_of_draws_is_0_or_that_of_their_fault(
    times: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By the shipped pair: 1,500 draws tell the two apart by some four standard errors."""
    monkeypatch.setattr("model.speculative.decoding.accept_prob", generous(times))
    lm, scribbler = load_model("storyteller", "cpu"), load_model("scribbler", "cpu")
    ids = encode(lm, "“Where are you?” asked a boy named Tim")
    test = finish(compare_distribution(lm, ModelDraft(scribbler, lm.vocab_size), ids, 1_500))
    towards, error = lean([test])
    assert error < 0.25
    assert abs(towards - (times > 1)) < 2.5 * error
    same = finish(compare_distribution(lm, ModelDraft(lm, lm.vocab_size), ids, 20))
    assert math.isnan(lean([same])[0])
    monkeypatch.setattr("model.speculative.proof.ALIKE", 1_500 * test.information)
    assert not math.isnan(lean([test])[0]), "less than that is rounding"
