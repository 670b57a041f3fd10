"""The processes that try what is foreign, kept from test to test: to start one takes seconds."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from model.weights.child import Child


class Kept(Child):
    """A child that outlives the trial; one that a trial ends is replaced by the next."""

    def __exit__(self, *_: object) -> None:
        pass


@pytest.fixture(scope="session", autouse=True)
def _kept_children() -> Iterator[None]:
    from model.weights import check, random_weights

    kept: dict[str, Child] = {}

    def child(module: str, seconds: float) -> Child:
        one = kept.setdefault(module, Kept(module, seconds))
        one.seconds = seconds
        return one

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(check, "Child", child)
        patch.setattr(random_weights, "Child", child)
        yield
    for one in kept.values():
        Child.__exit__(one)
