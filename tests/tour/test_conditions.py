"""Each phrase that ends a task holds where it says so, and nowhere else."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from model.generation import Generation
from model.job import Job, Progress, Work
from model.loading import LanguageModel
from pages.lessons.tour.conditions import PHRASES, read_condition


def holds(phrase: str, *kept: Any) -> bool:
    condition = read_condition(phrase)
    assert condition is not None
    return condition(["a widget's value", 3, None, *kept])


def counting(n: int) -> Work[int]:
    for i in range(n):
        yield Progress(i, n)
    return n


def test_a_text_that_is_written_is_followed(storyteller: LanguageModel) -> None:
    text = Generation(storyteller, "The cat sat on the", seed=0)
    at_home = SimpleNamespace(generation=text)
    in_a_lesson = SimpleNamespace(stepper=SimpleNamespace(steps=SimpleNamespace(generation=text)))
    for kept in (at_home, in_a_lesson):
        assert holds("the cache holds 6 tokens", kept)
        assert not holds("the cache holds 7 tokens", kept)
        assert not holds("1 token is written", kept)
        assert not holds("a token is forced", kept)
    text.step()
    assert holds("the cache holds 7 tokens", at_home)
    assert holds("1 token is written", at_home)
    assert not holds("2 tokens are written", at_home)
    assert not holds("a token is forced", at_home)
    text.step(token_id=storyteller.tokenizer.eos_token_id)
    assert holds("a token is forced", at_home)
    assert holds("the text is finished", in_a_lesson)


@pytest.mark.parametrize("field", ["temperature", "top_k", "top_p", "min_p"])
def test_a_control_is_compared_with_a_number(field: str) -> None:
    kept = SimpleNamespace(controls=SimpleNamespace(**{field: 0.5}))
    name = field.replace("_", "-")
    assert holds(f"{name} is above 0.4", kept)
    assert holds(f"{name} is below 0.6", kept)
    assert not holds(f"{name} is above 0.5", kept)
    assert not holds(f"{name} is below 0.5", kept)


def test_a_job_counts_once_it_has_found_something() -> None:
    job = Job(counting(2))
    kept = SimpleNamespace(jobs={"kv_race": job, "kv_prefix": Job(counting(0))})
    assert not holds("the race is done", kept)
    job.run_for(1)
    assert holds("the race is done", kept)
    assert holds("the prefix test is measured", kept)
    assert not holds("the fork is done", kept)


def test_steps_count_once_none_is_left() -> None:
    steps = SimpleNamespace(can_step=True)
    kept = SimpleNamespace(stepper=SimpleNamespace(steps=steps))
    assert not holds("no step is left", kept)
    steps.can_step = False
    assert holds("no step is left", kept)


@pytest.mark.parametrize("phrase", PHRASES)
def test_nothing_holds_where_nothing_was_done(phrase: str) -> None:
    assert not holds(phrase)


@pytest.mark.parametrize("phrase", ["", "all is well", "the tea is done", "x tokens are written"])
def test_other_words_are_no_condition(phrase: str) -> None:
    assert read_condition(phrase) is None
