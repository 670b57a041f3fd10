"""The claims of the sampling lab, each by the code under its figure, on the shipped model."""

from __future__ import annotations

import numpy as np
import pytest

from model.chi_square import chi_square
from model.draw import agreement, rank_order
from model.generation import Generation
from model.job import finish
from model.loading import LanguageModel
from model.sampling import ORDERS
from model.sampling.experiments import (
    MASKS_ALONE,
    PENALTIES,
    Votes,
    apply_alone,
    count_draws,
    first_word,
    write_votes,
    write_with_penalties,
)
from pages.lessons.sampling.settings import LOOP_PROMPT, QUESTION
from pages.lessons.sampling.source import SHAPES, TEXTBOOK, from_generation, from_lines
from pages.lessons.sampling.state import Lab, LabControls


@pytest.fixture
def lab(storyteller: LanguageModel) -> Lab:
    text = Generation(storyteller, "The cat sat on the")
    return Lab(storyteller, text, from_generation(text))


@pytest.fixture(scope="module")
def votes(storyteller: LanguageModel) -> Votes:
    return finish(write_votes(storyteller, QUESTION, n_texts=8, n_tokens=6))


def test_c12_greedy_repeats_itself_and_loops_and_penalties_end_that(
    storyteller: LanguageModel,
) -> None:
    first, again = (
        finish(write_with_penalties(storyteller, LOOP_PROMPT, 60, values)).texts
        for values in ({}, PENALTIES)
    )
    assert first[0] == again[0]
    assert first[0].loop is not None
    assert first[0].loop.n_times >= 3
    assert len(first[0].repeated) >= 3
    assert [text.penalty for text in again] == ["none", *PENALTIES]
    assert all(
        text.before + text.repeated != first[0].before + first[0].repeated for text in again[1:]
    )
    assert any(text.loop is None for text in again[1:])


@pytest.mark.parametrize("value", [0.2, 0.7, 1.5, 5.0])
def test_c13_temperature_reshapes_and_never_reorders(lab: Lab, value: float) -> None:
    raw = apply_alone(lab.given.logits, "temperature", 1.0)
    hot = apply_alone(lab.given.logits, "temperature", value)
    assert hot.kept.all()
    assert (rank_order(hot.scores) == rank_order(raw.scores)).all()
    assert (hot.entropy > raw.entropy) == (value > 1)


def test_c14_top_p_follows_the_shape_and_top_k_does_not() -> None:
    flat, peaked = SHAPES["flat"].logits, SHAPES["peaked"].logits
    assert apply_alone(flat, "top_k", 5).kept.sum() == apply_alone(peaked, "top_k", 5).kept.sum()
    assert apply_alone(flat, "top_p", 0.9).kept.sum() > 100
    assert apply_alone(peaked, "top_p", 0.9).kept.sum() == 2
    kept = apply_alone(flat, "min_p", 0.9)
    raw = apply_alone(flat, "temperature", 1.0)
    assert (kept.kept == (raw.probs >= 0.9 * raw.probs.max())).all()


def test_c15_on_the_same_logits_the_masks_keep_different_sets(lab: Lab) -> None:
    kept = {name: lab.alone(name).kept for name in MASKS_ALONE}
    assert len({mask.tobytes() for mask in kept.values()}) >= 5
    assert kept["greedy"].sum() == 1


def test_c16_draws_vary_with_the_seed_and_repeat_with_it(lab: Lab, votes: Votes) -> None:
    assert len({text.token_ids for text in votes.sampled}) > 1
    again = finish(write_votes(lab.lm, QUESTION, n_texts=3, n_tokens=6))
    assert [text.token_ids for text in again.sampled] == [
        text.token_ids for text in votes.sampled[:3]
    ]


def test_c16_ten_thousand_draws_follow_the_masked_distribution(lab: Lab) -> None:
    for stage in (*map(lab.alone, MASKS_ALONE), lab.pipeline("vllm")):
        counts = count_draws(stage, 10_000)
        assert counts[~stage.kept].sum() == 0
        assert chi_square(counts, stage.probs).p_value > 1e-4, stage.name


def test_c17_without_chance_a_vote_is_void(votes: Votes) -> None:
    greedy, sampled = (
        [first_word(text.text) for text in side] for side in (votes.greedy, votes.sampled)
    )
    assert len({text.token_ids for text in votes.greedy}) == 1
    assert agreement(greedy) == 1
    assert agreement(sampled) <= 1
    assert len({text.token_ids for text in votes.sampled}) > 1
    assert len({text.seed for text in votes.greedy}) == len(votes.greedy)


def test_c19_engines_that_put_temperature_last_keep_other_tokens(lab: Lab) -> None:
    kept = {engine: lab.pipeline(engine).kept for engine in ORDERS}
    assert kept["llama.cpp"].sum() < kept["transformers"].sum()
    assert np.array_equal(kept["transformers"], kept["vllm"])
    assert np.array_equal(kept["llama.cpp"], kept["ollama"])
    lab.given = from_lines(TEXTBOOK, "probabilities")
    lab.controls = LabControls(top_p=0.8, use=("top_p",))
    assert len({lab.pipeline(engine).kept.tobytes() for engine in ORDERS}) == 1
