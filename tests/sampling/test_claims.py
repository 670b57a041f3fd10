"""The claims of the sampling lab, each by the code under its figure, on the shipped model."""

from __future__ import annotations

import numpy as np
import pytest

from model.chi_square import chi_square
from model.draw import rank_order
from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import ORDERS
from model.sampling.experiments import agreement, apply_alone, count_draws, first_word
from pages.lessons.sampling.loop import PROMPT
from pages.lessons.sampling.runs import PENALTIES, LoopRun, VoteRun
from pages.lessons.sampling.source import SHAPES, TEXTBOOK, from_generation, from_lines
from pages.lessons.sampling.state import Lab, LabControls
from pages.lessons.sampling.votes import QUESTION


@pytest.fixture
def lab(storyteller: LanguageModel) -> Lab:
    text = Generation(storyteller, "The cat sat on the")
    return Lab(storyteller, text, from_generation(text))


@pytest.fixture(scope="module")
def votes(storyteller: LanguageModel) -> VoteRun:
    return finished(VoteRun(storyteller, QUESTION, n_texts=8, n_tokens=6))


def finished(run: VoteRun | LoopRun) -> VoteRun | LoopRun:
    while run.is_running:
        run.slice(1)
    return run


def test_c12_greedy_repeats_itself_and_falls_into_a_circle(storyteller: LanguageModel) -> None:
    first, again = (
        finished(LoopRun(storyteller, PROMPT, n_tokens=60, values={})) for _ in range(2)
    )
    assert first.texts["none"].ids == again.texts["none"].ids
    loop = first.loop_of("none")
    assert loop is not None, first.texts["none"].text
    assert loop.n_times >= 3


def test_c12_each_penalty_changes_the_greedy_text(storyteller: LanguageModel) -> None:
    run = finished(LoopRun(storyteller, PROMPT, n_tokens=60))
    plain = run.texts["none"].ids
    assert all(run.texts[name].ids != plain for name in PENALTIES)
    assert any(run.loop_of(name) is None for name in PENALTIES)


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
    stages = lab.alone()
    assert len({stage.kept.tobytes() for stage in stages.values()}) >= 5
    assert stages["greedy"].kept.sum() == 1


def test_c16_draws_vary_with_the_seed_and_repeat_with_it(lab: Lab, votes: VoteRun) -> None:
    assert len({made.token_ids for made in votes.warm}) > 1
    again = finished(VoteRun(lab.lm, QUESTION, n_texts=3, n_tokens=6))
    assert [made.token_ids for made in again.warm] == [made.token_ids for made in votes.warm[:3]]


def test_c16_ten_thousand_draws_follow_the_masked_distribution(lab: Lab) -> None:
    for stage in (*lab.alone().values(), lab.pipeline("vllm")):
        counts = count_draws(stage, 10_000)
        assert counts[~stage.kept].sum() == 0
        assert chi_square(counts, stage.probs).p_value > 1e-4, stage.name


def test_c17_without_chance_a_vote_is_void(votes: VoteRun) -> None:
    cold, warm = ([first_word(made.text) for made in side] for side in (votes.cold, votes.warm))
    assert len({made.token_ids for made in votes.cold}) == 1
    assert agreement(cold) == 1
    assert agreement(warm) <= 1
    assert len({made.token_ids for made in votes.warm}) > 1
    assert len({made.seed for made in votes.cold}) == len(votes.cold)


def test_c19_engines_that_put_temperature_last_keep_other_tokens(lab: Lab) -> None:
    kept = {engine: lab.pipeline(engine).kept for engine in ORDERS}
    assert kept["llama.cpp"].sum() < kept["transformers"].sum()
    assert np.array_equal(kept["transformers"], kept["vllm"])
    assert np.array_equal(kept["transformers"], kept["ollama"])
    lab.given = from_lines(TEXTBOOK, "probabilities")
    lab.controls = LabControls(top_p=0.8, use=("top_p",))
    assert len({lab.pipeline(engine).kept.tobytes() for engine in ORDERS}) == 1
