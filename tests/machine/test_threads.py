"""Threads are chosen by what passes took, on a clock that the test turns."""

from collections.abc import Callable

import pytest
import torch

from model.machine import threads
from model.machine.threads import ALL_THREADS, Threads


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[int]]:
    """Runs passes that take what the test says of a number of threads; returns those numbers."""
    now = [0.0]
    monkeypatch.setattr(threads.time, "perf_counter", lambda: now[0])
    monkeypatch.setattr(torch, "set_num_threads", lambda _: None)

    def passes(
        chosen: Threads,
        seconds: dict[int, float],
        n: int,
        n_tokens: int = 1,
        *,
        in_company: bool = False,
    ) -> list[int]:
        numbers = []
        for _ in range(n):
            with chosen.of_pass(n_tokens, in_company=in_company) as number:
                now[0] += seconds[number]
            numbers.append(number)
        return numbers

    return passes


@pytest.mark.parametrize(
    ("seconds", "best"),
    [
        ({1: 4.0, 2: 2.0}, 2),
        ({1: 4.0, 2: 3.9}, 1),
        ({1: 4.0, 2: 40.0}, 1),
        ({1: 0.020, 2: 0.017}, 1),
        ({1: 0.020, 2: 0.010}, 2),
    ],
)
def test_as_many_threads_as_are_clearly_quicker_by_a_time_that_is_felt(
    run: Callable[..., list[int]], seconds: dict[int, float], best: int
) -> None:
    numbers = run(Threads((1, 2)), seconds, 1000)
    assert numbers[:3] == [1, 1, 2], "the first pass counts for nothing, then each is tried"
    others = [number for number in numbers[3:] if number != best]
    assert 0 < len(others) * seconds[3 - best] < sum(seconds[n] for n in numbers) / 25


def test_what_could_not_be_felt_is_not_tried(run: Callable[..., list[int]]) -> None:
    assert set(run(Threads((1, 2)), {1: 0.007, 2: 0.004}, 1000)) == {1}
    assert set(run(Threads((1, 2)), {1: 0.070, 2: 0.040}, 1000, n_tokens=16)) == {1, 2}


def test_a_core_that_is_taken_is_left_and_found_again_when_it_is_free(
    run: Callable[..., list[int]],
) -> None:
    chosen, free, taken = Threads((1, 2)), {1: 4.0, 2: 2.0}, {1: 4.0, 2: 50.0}
    run(chosen, free, 20)
    assert run(chosen, taken, 300).count(2) <= 2
    assert set(run(chosen, free, 400)[-20:]) == {2}


def test_beside_others_a_core_is_left_to_them_and_that_teaches_nothing_of_being_alone(
    run: Callable[..., list[int]],
) -> None:
    chosen, seconds = Threads((1, 2, 4)), {1: 4.0, 2: 2.0, 4: 1.0}
    assert run(chosen, seconds, 9)[-1] == 4
    assert set(run(chosen, {1: 4.0, 2: 9.0}, 9, in_company=True)[3:]) == {1}
    assert run(chosen, seconds, 1) == [4]
    assert run(Threads((1,)), seconds, 2, in_company=True) == [1, 1]


def test_one_slow_pass_decides_nothing(run: Callable[..., list[int]]) -> None:
    chosen = Threads((1, 2))
    run(chosen, {1: 4.0, 2: 2.0}, 10)
    run(chosen, {2: 4.5}, 1)
    assert run(chosen, {2: 2.0}, 5) == [2] * 5


def test_each_size_of_a_pass_is_learnt_by_itself(run: Callable[..., list[int]]) -> None:
    chosen = Threads((1, 2, 4))
    assert run(chosen, {1: 1.0, 2: 2.0, 4: 3.0}, 11)[4:] == [1] * 7
    assert run(chosen, {1: 900.0, 2: 500.0, 4: 300.0}, 11, n_tokens=300)[4:] == [4] * 7


def test_the_threads_are_given_back_even_where_a_pass_fails(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    set_to: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", set_to.append)
    passing = Threads((7,)).of_pass(1)
    with pytest.raises(RuntimeError), passing:
        raise RuntimeError
    assert set_to == [7, ALL_THREADS]
