"""Each phrase that ends a task holds where it says so, and nowhere else."""

from types import SimpleNamespace
from typing import Any

import pytest

from model.generation import Generation
from model.job import Job, Progress, Work
from model.loading import LanguageModel
from pages.lessons.tour.conditions import PHRASES, read_condition


def holds(phrase: str, **kept: Any) -> bool:
    condition = read_condition(phrase)
    assert condition is not None
    return condition(["a widget's value", 3, None, SimpleNamespace(**kept)])


def test_a_text_that_is_written_is_followed(storyteller: LanguageModel) -> None:
    text = Generation(storyteller, "The cat sat on the", seed=0)
    at_home = {"generation": text}
    in_a_lesson = {"stepper": SimpleNamespace(steps=SimpleNamespace(generation=text))}
    for kept in (at_home, in_a_lesson):
        assert holds("the cache holds 6 tokens", **kept)
        assert not holds("the cache holds 7 tokens", **kept)
        assert not holds("1 token is written", **kept)
    text.step()
    assert holds("the cache holds 7 tokens", **at_home)
    assert holds("1 token is written", **at_home)
    assert not holds("2 tokens are written", **at_home)
    assert not holds("a token is forced", **at_home)
    text.step(token_id=storyteller.tokenizer.eos_token_id)
    assert holds("a token is forced", **at_home)
    assert holds("the text is finished", **in_a_lesson)


@pytest.mark.parametrize("field", ["temperature", "top_k", "top_p", "min_p"])
def test_a_control_is_compared_with_a_number(field: str) -> None:
    phrases = (f"{field} is above 0.4", f"{field} is above 0.5", f"{field} is below 0.6")
    said = [phrase.replace("_", "-") for phrase in (*phrases, f"{field} is below 0.5")]
    controls = SimpleNamespace(**{field: 0.5})
    assert [holds(phrase, controls=controls) for phrase in said] == [True, False, True, False]


@pytest.mark.parametrize(
    ("value", "is_there"), [(0.5, True), (0.51, True), (0.49, True), (0.55, False), (0.9, False)]
)
def test_a_control_is_dragged_to_a_number_as_near_as_a_finger_can(
    value: float, is_there: bool
) -> None:
    assert holds("top-p is 0.5", controls=SimpleNamespace(top_p=value)) == is_there


def test_a_job_counts_once_it_has_found_something_and_steps_once_none_is_left() -> None:
    def counting(n: int) -> Work[int]:
        for i in range(n):
            yield Progress(i, n)
        return n

    job = Job(counting(2))
    jobs = {"kv_race": job, "kv_prefix": Job(counting(0))}
    assert not holds("the race is done", jobs=jobs)
    job.run_for(1)
    assert holds("the race is done", jobs=jobs)
    assert holds("the prefix test is measured", jobs=jobs)
    assert not holds("the fork is done", jobs=jobs)
    for can_step in (True, False):
        stepper = SimpleNamespace(steps=SimpleNamespace(can_step=can_step))
        assert holds("no step is left", stepper=stepper) == (not can_step)


@pytest.mark.parametrize("phrase", PHRASES)
def test_nothing_holds_where_nothing_was_done(phrase: str) -> None:
    assert not holds(phrase)


@pytest.mark.parametrize("phrase", ["", "all is well", "the tea is done", "x tokens are written"])
def test_other_words_are_no_condition(phrase: str) -> None:
    assert read_condition(phrase) is None
