"""Beam search and best-first search, on examples that can be followed by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from model import batch
from model.beam_search import BeamSearch, sentence_ends
from model.beam_search.best_first import BestFirstSearch
from model.beam_search.costs import distinct
from model.beam_search.records import lineage
from model.generation import Generation
from model.loading import LanguageModel
from model.masks import log_softmax
from model.sampling import Settings
from model.tokenizing import label
from tests.tiny_models import tiny

A, B, C = range(3)
# what follows what: greedy's first token is the likelier one and leads to the less likely text
TABLE = {
    (): (0.5, 0.4, 0.1),
    (A,): (0.4, 0.3, 0.3),
    (B,): (0.9, 0.05, 0.05),
    (C,): (0.1, 0.1, 0.8),
}


def by_table(
    lm: LanguageModel, texts: Sequence[Sequence[int]], *_: Any
) -> tuple[np.ndarray, float]:
    """Logits of a made-up model of three tokens that looks at the last token alone."""
    rows = np.full((len(texts), 1, lm.vocab_size), -1e4, dtype=np.float32)
    for row, text in enumerate(texts):
        rows[row, 0, :3] = np.log(TABLE[(text[-1],)])
    return rows, 0.001


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Generation:
    """A prompt of a tiny model, whose next tokens are those of the table."""
    monkeypatch.setattr(batch, "forward", by_table)
    generation = Generation(tiny("llama"), "the")
    generation.logits = np.full(generation.lm.vocab_size, -1e4, dtype=np.float32)
    generation.logits[:3] = np.log(TABLE[()])
    return generation


def search(start: Generation, n_beams: int, n_tokens: int = 2, **how: Any) -> BeamSearch:
    return BeamSearch(start, n_beams, max_new_tokens=n_tokens, end_ids=frozenset(), **how)


def test_greedy_misses_what_two_beams_find(start: Generation) -> None:
    greedy = search(start, 1).run()[0]
    beam = search(start, 2).run()[0]
    assert greedy.token_ids == (A, A)
    assert beam.token_ids == (B, A)
    assert np.exp(greedy.total) == pytest.approx(0.5 * 0.4)
    assert np.exp(beam.total) == pytest.approx(0.4 * 0.9)


def test_a_step_keeps_the_best_of_all_beams_and_says_what_is_dropped(start: Generation) -> None:
    run = search(start, 2, 3)
    first = run.step()
    assert [run.nodes[i].token_id for i in first.beams] == [A, B]
    assert first.n_candidates == start.lm.vocab_size
    second = run.step()
    kept = [run.ids_of(i) for i in second.beams]
    assert kept == [[B, A], [A, A]]
    assert second.n_candidates == 2 * start.lm.vocab_size
    assert second.dropped == ()
    third = run.step()
    # (B, A, A) has 0.144, (B, A, B) and (B, A, C) 0.108: nothing goes on from (A, A)
    finished = [list(beam.token_ids) for beam in run.finished]
    assert finished == [[B, A, A], [B, A, B]]
    assert [run.ids_of(i) for i in third.dropped] == [[A, A]]
    assert run.is_done


def test_every_candidate_has_its_true_parent_its_rank_and_its_sum(start: Generation) -> None:
    run = search(start, 2, 3)
    run.run()
    for node in run.nodes:
        path = [run.nodes[i] for i in lineage(run.nodes, node.node_id)]
        assert [above.depth for above in path] == list(range(1, node.depth + 1))
        assert node.total == pytest.approx(sum(above.logprob for above in path))
    for step in run.steps:
        ranks = [run.nodes[i].rank for i in step.node_ids]
        assert ranks == sorted(ranks)
        assert ranks[0] == 0


def test_what_ends_waits_and_counts_only_among_the_first_beams(start: Generation) -> None:
    run = BeamSearch(start, 2, max_new_tokens=4, end_ids=frozenset({A}))
    step = run.step()
    # A ends with rank 0; B and C go on in its place
    assert [beam.token_ids for beam in run.finished] == [(A,)]
    assert [run.nodes[i].token_id for i in step.beams] == [B, C]
    run.step()
    # (B, A) ends first of all; (C, C) and (B, B) go on; (C, A) ends too late to count
    assert [beam.token_ids for beam in run.finished] == [(A,), (B, A)]
    assert run.is_done  # the best beam has 0.08, both that are finished have more


def run(start: Generation, n_tokens: int, known: Any, **how: Any) -> BestFirstSearch:
    exact = BestFirstSearch(start, n_tokens, known, **how)
    while not exact.is_done:
        exact.step()
    return exact


def test_best_first_proves_the_best_of_all(start: Generation) -> None:
    greedy = search(start, 1, 3).run()[0]
    assert greedy.token_ids == (A, A, A)
    exact = run(start, 3, (greedy.token_ids, greedy.logprobs), limit=100)
    assert exact.is_proved
    assert exact.best[0] == (B, A, A)
    assert exact.upper_bound == pytest.approx(np.log(0.144), abs=1e-6)
    assert 1 < exact.n_expanded < 1 + 3 + 9


def test_best_first_says_so_when_it_may_not_go_on(start: Generation) -> None:
    exact = run(start, 3, ((C, C, B), (-9.0, 0.0, 0.0)), limit=2)
    assert not exact.is_proved
    assert exact.n_expanded == 2
    assert exact.upper_bound > sum(exact.best[1])


def test_best_first_agrees_with_trying_everything() -> None:
    lm = tiny("gpt2")
    start = Generation(lm, "the cat")
    first = log_softmax(start.logits)
    best = -np.inf
    for token_id in range(lm.vocab_size):
        twin = start.fork()
        twin.step(token_id=token_id)
        best = max(best, first[token_id] + log_softmax(twin.logits).max())
    greedy = search(start, 1).run()[0]
    exact = run(start, 2, (greedy.token_ids, greedy.logprobs), end_ids=frozenset())
    assert exact.is_proved
    assert sum(exact.best[1]) == pytest.approx(best, abs=2e-4)


@pytest.mark.parametrize("architecture", ["llama", "gemma2", "mamba", "openai_gpt"])
def test_one_beam_is_greedy_and_the_prompt_stays_as_it_was(architecture: str) -> None:
    start = Generation(tiny(architecture), "the cat sat")
    ids, logits = list(start.ids), start.logits.copy()
    best = BeamSearch(start, 1, max_new_tokens=8).run()[0]
    twin = start.fork()
    while twin.finished is None and len(twin.steps) < 8:
        twin.step(Settings(temperature=0))
    assert list(best.token_ids) == twin.ids[len(ids) :]
    assert best.total == pytest.approx(twin.logprob, abs=1e-4)
    assert start.ids == ids
    assert np.array_equal(start.logits, logits)


def test_the_cache_on_record_is_the_batch_s_to_the_byte() -> None:
    start = Generation(tiny("llama"), "the cat sat")
    run = BeamSearch(start, 3, max_new_tokens=4, end_ids=frozenset())
    for n_more in (1, 2, 3):
        step = run.step()
        assert step.cache_tokens == len(start.ids) + n_more
        assert step.cache_bytes == 3 * step.cache_tokens * start.lm.cache_shape.bytes_per_token


def test_bad_numbers_get_a_sentence() -> None:
    start = Generation(tiny("llama"), "the")
    for how, words in (
        ({"max_new_tokens": 0}, "choose 1 or more"),
        ({"max_new_tokens": 500}, "write fewer"),
    ):
        with pytest.raises(ValueError, match=words):
            BeamSearch(start, **how)


def test_sentences_end_at_marks_and_texts_at_the_end_token() -> None:
    lm = tiny("llama")
    labels = {label(lm.tokenizer, i) for i in sentence_ends(lm)}
    assert labels == {".", "!", "?", "<|endoftext|>"}


def test_distinct_n_grams_by_hand() -> None:
    text = (1, 2, 1, 2, 1, 3)
    assert distinct(text, 1) == pytest.approx(3 / 6)
    assert distinct(text, 2) == pytest.approx(3 / 5)  # 12 21 12 21 13
    assert distinct((1, 2, 3, 4, 1, 2, 3, 4), 4) == pytest.approx(4 / 5)
    assert distinct((1,), 2) == 1
