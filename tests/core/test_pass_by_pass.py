"""Work pass by pass: what is refused is refused at once, and a stop leaves the rest undone."""

from __future__ import annotations

from collections.abc import Generator

import pytest

from model.pass_by_pass import PassByPass, at_once


def counting(done: list[int], n_passes: int = 3) -> Generator[str, None, int]:
    if n_passes < 1:
        raise ValueError("One sentence.")
    for n in range(n_passes):
        yield f"pass {n}"
        done.append(n)
    return sum(done)


def test_each_advance_runs_the_pass_that_was_named() -> None:
    done: list[int] = []
    work = PassByPass(counting(done), 3)
    assert (done, work.doing, work.is_done) == ([], "pass 0", False)
    work.advance()
    assert (done, work.doing, work.n_done, work.result) == ([0], "pass 1", 1, None)
    work.advance()
    work.advance()
    assert (done, work.is_done, work.n_done, work.result) == ([0, 1, 2], True, 3, 3)


def test_what_cannot_be_run_is_refused_before_the_first_pass() -> None:
    with pytest.raises(ValueError, match="One sentence"):
        PassByPass(counting([], 0), 3)


def test_at_once_finds_the_same() -> None:
    assert at_once(counting([])) == 3
