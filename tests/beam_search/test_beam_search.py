"""Beam search against transformers', best-first search against all texts, and what they record."""

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
import torch

from model.beam_search import BeamSearch, rank_finished, sentence_ends
from model.beam_search.best_first import BestFirstSearch
from model.beam_search.costs import distinct, measure_costs
from model.beam_search.records import lineage
from model.generation import Generation
from model.job import finish
from model.loading import LanguageModel
from model.masks import log_softmax
from model.tokenizing import label
from pages.lessons.beam_search.state import PROMPTS
from tests.tiny_models import fresh_logits, generated, tiny

NO_END: frozenset[int] = frozenset()

# Texts and scores


def compare(
    lm: LanguageModel, prompt: str, end_ids: frozenset[int], n_beams: int, **how: Any
) -> BeamSearch:
    """Hold our texts and scores against those of transformers, best first."""
    start, pad_id = Generation(lm, prompt), lm.vocab_size - 1
    search = BeamSearch(start, n_beams, end_ids=end_ids, **how)
    ours = search.run()
    model: Any = lm.model
    prompts = torch.tensor([start.ids])
    with torch.inference_mode():
        theirs = model.generate(
            prompts,
            attention_mask=torch.ones_like(prompts),
            num_beams=n_beams,
            num_return_sequences=n_beams,
            do_sample=False,
            eos_token_id=sorted(end_ids) or None,
            pad_token_id=pad_id,
            return_dict_in_generate=True,
            output_scores=True,
            early_stopping=False,
            **how,
        )
    texts = [cut(row[len(start.ids) :].tolist(), end_ids, pad_id) for row in theirs.sequences]
    assert [list(beam.token_ids) for beam in ours] == texts
    scores = [beam.score(how["length_penalty"]) for beam in ours]
    assert scores == pytest.approx(theirs.sequences_scores.tolist(), abs=2e-4)
    return search


def cut(ids: list[int], end_ids: frozenset[int], pad_id: int) -> list[int]:
    """A text without its padding: up to and with its first end token."""
    ends = [i for i, token_id in enumerate(ids) if token_id in end_ids]
    if ends:
        return ids[: ends[0] + 1]
    while ids and ids[-1] == pad_id:
        ids = ids[:-1]
    return ids


@pytest.mark.oracle
@pytest.mark.parametrize(
    ("architecture", "n_beams", "length_penalty"),
    [
        ("llama", 4, 1.0),
        ("gpt2", 2, -1.0),
        ("gpt2", 2, 2.0),
        ("gemma2", 8, 0.0),
        ("gemma2", 8, 2.0),
        ("mamba", 3, -1.0),
        ("mamba", 3, 0.7),
        ("openai_gpt", 4, 1.0),
    ],
)
def test_texts_and_scores_are_those_of_transformers(
    architecture: str, n_beams: int, length_penalty: float
) -> None:
    lm, how = tiny(architecture), {"length_penalty": length_penalty, "max_new_tokens": 9}
    ends = frozenset(range(0, lm.vocab_size, 7))  # that it is likely to write within a few steps
    searches = [compare(lm, text, ends, n_beams, **how) for text in ("the cat sat on the", "0 1 2")]
    assert any(beam.ended for search in searches for beam in search.finished)


@pytest.mark.oracle
@pytest.mark.parametrize("n_beams", [3, 8])
@pytest.mark.parametrize(
    "prompt", ["The cat sat on the", "Lily was thirsty. She wanted to drink some"]
)
def test_the_shipped_model_up_to_the_end_of_a_sentence(
    storyteller: LanguageModel, prompt: str, n_beams: int
) -> None:
    for length_penalty in (0.0, 1.0):
        how = {"length_penalty": length_penalty, "max_new_tokens": 12}
        search = compare(storyteller, prompt, sentence_ends(storyteller), n_beams, **how)
        best = rank_finished(search.finished, length_penalty)[0]
        assert best.text == storyteller.tokenizer.decode(list(best.token_ids))


@pytest.mark.oracle
@pytest.mark.parametrize("architecture", ["llama", "gemma2", "mamba", "openai_gpt"])
def test_one_beam_is_greedy_and_the_prompt_stays_as_it_was(architecture: str) -> None:
    start = Generation(tiny(architecture), "the cat sat")
    ids, logits = list(start.ids), start.logits.copy()
    best = BeamSearch(start, 1, max_new_tokens=8, end_ids=NO_END).run()[0]
    assert [*ids, *best.token_ids] == generated(start.lm, ids, 8)
    assert start.ids == ids
    assert np.array_equal(start.logits, logits)


class ConstrainedSearch(BeamSearch):
    """After one token of a beam two may follow, after any other only one."""

    def allowed(self) -> Any:
        mask = np.zeros((len(self.beams), self.lm.vocab_size), dtype=np.bool_)
        for row, beam in enumerate(self.beams):
            after = self.nodes[beam].token_id if beam >= 0 else 7
            mask[row, [5, 7] if after == 7 else [9]] = True
        return mask


def test_where_fewer_may_follow_than_there_are_beams_nothing_else_is_a_candidate() -> None:
    search = ConstrainedSearch(
        Generation(tiny("llama"), "the cat"), 4, max_new_tokens=3, end_ids=NO_END
    )
    made = [{tuple(search.ids_of(i)) for i in search.step().node_ids} for _ in range(3)]
    after = {5: (9,), 7: (5, 7), 9: (9,)}
    assert made[0] == {(5,), (7,)}
    for before, found in pairwise(made):
        assert found == {(*ids, more) for ids in before for more in after[ids[-1]]}
    assert all(np.isfinite(node.total) for node in search.nodes)


# What is on record


def test_every_candidate_has_its_true_parent_its_rank_and_its_sum() -> None:
    start = Generation(tiny("llama"), "the cat")
    search = BeamSearch(start, 3, max_new_tokens=4, end_ids=NO_END)
    search.run()
    for node in search.nodes:
        path = [search.nodes[i] for i in lineage(search.nodes, node.node_id)]
        before = [*start.ids, *(above.token_id for above in path[:-1])]
        logprobs = log_softmax(fresh_logits(start.lm, before))
        assert node.logprob == pytest.approx(logprobs[node.token_id], abs=1e-4)
        assert node.place == (logprobs > logprobs[node.token_id]).sum()
        assert node.total == pytest.approx(sum(above.logprob for above in path))
        assert node.depth == len(path)
    for before, step in pairwise(search.steps):
        made = [search.nodes[i] for i in step.node_ids]
        assert [node.rank for node in made[:3]] == [0, 1, 2]
        assert [node.node_id for node in made if node.fate != "pruned"] == list(step.node_ids[:3])
        parents = {node.parent for node in made[:3]}
        assert set(step.dropped) == set(before.beams) - parents
        assert step.n_candidates == 3 * start.lm.vocab_size
    assert [beam.node_id for beam in search.finished] == list(search.steps[-1].node_ids[:3])
    for step in search.steps[
        1:
    ]:  # each beam's three best are on record, and twice as many as go on
        made = [search.nodes[i] for i in step.node_ids]
        assert [node.rank for node in made if node.rank < 6] == list(range(6))
        places = {parent: set[int]() for parent in {node.parent for node in made}}
        for node in made:
            if node.rank >= 6:
                assert node.place < 3
            places[node.parent].add(node.place)
        assert all(found >= {0, 1, 2} for found in places.values())


def test_the_cache_on_record_is_the_batch_s_to_the_byte() -> None:
    start = Generation(tiny("llama"), "the cat sat")
    search = BeamSearch(start, 3, max_new_tokens=4, end_ids=NO_END)
    for n_more in (1, 2, 3):
        step = search.step()
        assert step.depth == n_more
        assert step.cache_tokens == len(start.ids) + n_more
        assert step.cache_bytes == 3 * step.cache_tokens * start.lm.cache_shape.bytes_per_token
    assert search.step().seconds == 0 < step.seconds, "nothing is read behind the last token"
    without = BeamSearch(Generation(tiny("openai_gpt"), "the cat"), 2, end_ids=NO_END).step()
    assert (without.cache_tokens, without.cache_bytes) == (0, 0)


@pytest.mark.parametrize(
    ("n_tokens", "remedy"), [(0, "choose 1 or more"), (500, "write fewer, or shorten the prompt")]
)
def test_bad_numbers_get_a_sentence(n_tokens: int, remedy: str) -> None:
    with pytest.raises(ValueError, match=remedy):
        BeamSearch(Generation(tiny("llama"), "the"), max_new_tokens=n_tokens)


def test_by_default_texts_are_ranked_by_their_sum_and_one_token_is_enough() -> None:
    start = Generation(tiny("llama"), "the cat")
    search = BeamSearch(start, 3, max_new_tokens=1, end_ids=NO_END)
    best, *others = search.run()
    assert (search.length_penalty, len(best.token_ids), len(others)) == (0, 1, 2)
    assert best.token_ids[0] == int(start.logits.argmax())
    usual = BeamSearch(start)
    assert (usual.n_beams, usual.max_new_tokens) == (4, 12)
    assert best.total == max(beam.total for beam in (best, *others))


def test_sentences_end_at_marks_and_texts_at_the_end_token() -> None:
    lm = tiny("llama")
    labels = {label(lm.tokenizer, i) for i in sentence_ends(lm)}
    assert labels == {".", "!", "?", "<|endoftext|>"}


# The exact best


def test_best_first_agrees_with_trying_everything_and_says_where_it_may_not_go_on() -> None:
    start = Generation(tiny("gpt2"), "he")  # greedy takes the less likely way
    first = log_softmax(start.logits)
    twice = [log_softmax(fresh_logits(start.lm, [*start.ids, i])) for i in range(len(first))]
    likeliest = max(a + b.max() for a, b in zip(first, twice, strict=True))
    known = (0, 0), (first[0], twice[0][0])  # some text of two tokens

    def best_first(limit: int) -> BestFirstSearch:
        exact = BestFirstSearch(start, 2, known, limit, NO_END)
        while not exact.is_done:
            exact.step()
        return exact

    exact = best_first(limit=1_000)
    assert exact.is_proved
    assert sum(exact.best[1]) == pytest.approx(likeliest, abs=2e-4)
    assert exact.upper_bound == pytest.approx(sum(exact.best[1]), abs=1e-9), "what is proved"
    assert 1 < exact.n_expanded < len(first) / 2
    assert best_first(limit=5).n_expanded == 5, "and not one more"
    cut_short = best_first(limit=1)
    assert (cut_short.is_proved, cut_short.n_expanded) == (False, 1)
    assert cut_short.upper_bound > sum(cut_short.best[1])


def test_the_likeliest_open_prefix_is_tried_first_and_a_short_whole_text_counts() -> None:
    start = Generation(tiny("gpt2"), "he")
    known = (0, 0, 0), (-50.0, -50.0, -50.0)

    def bounds(search: BestFirstSearch) -> Iterator[float]:
        while not search.is_done:
            yield search.upper_bound
            search.step()

    first = BestFirstSearch(start, 3, known, 200, NO_END)
    assert first.best == known
    seen = list(bounds(first))
    assert seen == sorted(seen, reverse=True)
    # each pass takes the bound's own prefix away; any other order leaves it where it was
    assert all(later < earlier for earlier, later in pairwise(seen))
    likeliest = int(np.argmax(start.logits))
    ended = BestFirstSearch(start, 3, known, 200, frozenset({likeliest}))
    assert ended.best[0] == (likeliest,), "an end is whole, however short"
    assert ended.best[1] == pytest.approx((log_softmax(start.logits).max(),))


# Cost and quality


def test_distinct_n_grams_by_hand() -> None:
    text = (1, 2, 1, 2, 1, 3)
    assert distinct(text, 1) == pytest.approx(3 / 6)
    assert distinct(text, 2) == pytest.approx(3 / 5)  # 12 21 12 21 13
    assert distinct((1,), 2) == 1


def test_c21_a_beam_gains_little_a_token_and_repeats_more_than_sampling(
    storyteller: LanguageModel,
) -> None:
    greedy, beam, sampled, _ = finish(measure_costs(storyteller, PROMPTS[3:4], 4, 48))
    # the gain is real, and small beside what sampling gives away
    assert 0 < beam.logprob - greedy.logprob < min(0.5, beam.logprob - sampled.logprob)
    assert beam.distinct[2] < sampled.distinct[2]
    assert beam.repeated > sampled.repeated
