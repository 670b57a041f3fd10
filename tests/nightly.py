"""Of many cases of one kind, some by day (`make test`) and all by night (`make test-all`)."""

from collections.abc import Container, Sequence
from typing import Any

import pytest

# learned positions; rotary ones and grouped heads; a sliding window; a state that is not cropped
BY_DAY = ("gpt2", "llama", "gemma3", "mamba")


def by_night(cases: Sequence[Any] | dict[str, Any], by_day: Container[Any] = BY_DAY) -> list[Any]:
    """Returns all cases as parameters; those that are not among some run by night alone."""
    return [case if case in by_day else nightly(case) for case in cases]


def nightly(case: Any, name: str | None = None) -> Any:
    """Returns a case as a parameter that runs by night alone."""
    values = case if isinstance(case, tuple) else (case,)
    return pytest.param(*values, marks=pytest.mark.nightly, id=name)
