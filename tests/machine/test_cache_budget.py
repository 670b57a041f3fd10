"""The longest idle caches go first, never one in use, and the operator says how much there is."""

import logging

import pytest
import torch

from model.machine import cache_budget
from model.machine.cache_budget import VARIABLE, CacheBudget, budget_of

CPU = torch.device("cpu")


class HeldText:
    """What holds ten bytes until it is told to let them go."""

    bytes_held = 10

    def drop_cache(self) -> None:
        self.bytes_held = 0


def use(budget: CacheBudget, text: HeldText) -> None:
    """Work with a text, whose cache is there again after it."""
    with budget.in_use(text):
        text.bytes_held = 10


def test_the_longest_idle_caches_are_dropped_first() -> None:
    budget, texts = CacheBudget(30), [HeldText() for _ in range(4)]
    for text in texts[:3]:
        use(budget, text)
    use(budget, texts[0])
    use(budget, texts[3])
    assert [text.bytes_held for text in texts] == [10, 0, 10, 10]
    use(budget, texts[1])
    assert [text.bytes_held for text in texts] == [10, 10, 0, 10]
    assert budget.bytes_held == 30


def test_a_cache_in_use_and_the_last_one_are_kept_whatever_they_take() -> None:
    budget, first, second = CacheBudget(1), HeldText(), HeldText()
    with budget.in_use(first):
        use(budget, second)
        assert (first.bytes_held, second.bytes_held) == (10, 10)
    assert (first.bytes_held, second.bytes_held) == (10, 0)


def test_a_text_that_is_gone_takes_no_room() -> None:
    budget, text = CacheBudget(10), HeldText()
    use(budget, text)
    del text
    assert budget.bytes_held == 0


@pytest.mark.parametrize(("said", "limit"), [("2", 2e9), ("0.5", 5e8)])
def test_the_operator_says_how_much_there_is(
    said: str, limit: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    budget_of.cache_clear()
    monkeypatch.setenv(VARIABLE, said)
    assert budget_of(CPU).limit == limit
    assert budget_of(CPU) is budget_of(CPU)
    budget_of.cache_clear()


@pytest.mark.parametrize("said", [None, "much", "0", "-1", "nan", "inf"])
def test_a_share_of_what_is_free_is_the_default(
    said: str | None, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    budget_of.cache_clear()
    monkeypatch.setattr(cache_budget, "free_bytes", lambda _: 1000)
    if said is not None:
        monkeypatch.setenv(VARIABLE, said)
    with caplog.at_level(logging.WARNING):
        assert budget_of(CPU).limit == 1000 * cache_budget.SHARE
    assert (VARIABLE in caplog.text) == (said is not None)
    budget_of.cache_clear()
