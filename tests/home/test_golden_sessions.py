"""The page's session beside what the session on the server showed, before it moved into the page.

`golden_sessions.json.gz` holds 200 of 1,000 random lists of events that were recorded then, and
what the page was told after each. Both engines have to bring the same.
"""

import gzip
import json
import math
import random
from collections.abc import Mapping, Set
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from model.loading import LanguageModel
from pages.home.in_page_file import facts
from pages.home.tab import Tab
from tests.driving.in_page import InPage
from tests.nightly import nightly

LISTS = json.loads(
    gzip.decompress(Path(__file__).with_name("golden_sessions.json.gz").read_bytes())
)
PROMPT = "The cat sat on the"  # with which a page opened then
TOLERANCE = 4e-4  # of a logit; what follows from logits is compared by it too
# what the cache keeps between two texts is read no second time
MOVED = {"n_input"}
OF_A_PREFILL = {"phase"}  # a server that has forgotten a text reads it again


def same(ours: Any, theirs: Any, at: str, moved: Set[str]) -> None:
    """Asserts that two values are alike, numbers that come from logits but for their rounding."""
    if isinstance(theirs, Mapping):
        for name in theirs.keys() - moved:
            same(ours[name], theirs[name], f"{at}.{name}", moved)
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs), at
        for i, (one, other) in enumerate(zip(ours, theirs, strict=True)):
            same(one, other, f"{at}[{i}]", moved)
    elif isinstance(theirs, float):
        assert math.isclose(ours, theirs, rel_tol=TOLERANCE, abs_tol=TOLERANCE), (at, ours, theirs)
    else:
        assert ours == theirs, at


def event_of(recorded: Mapping[str, Any]) -> dict[str, Any]:
    """An event in today's words: a seed was no event then."""
    if recorded["kind"] == "reseed":
        return {"kind": "seed", "branch": None, "seed": recorded["seed"]}
    return {"branch": None, **recorded}


@pytest.mark.parametrize(
    ("is_outside", "n_lists", "forgets"),
    [
        pytest.param(True, 30, 0.0, id="server"),
        pytest.param(True, 12, 0.3, id="a server that forgets"),
        pytest.param(False, 9, 0.0, id="model in the page"),
        nightly((True, len(LISTS), 0.1), "all of them"),
    ],
)
def test_the_same_events_show_the_same(
    in_page: InPage, storyteller: LanguageModel, is_outside: bool, n_lists: int, forgets: float
) -> None:
    def act(request: Mapping[str, Any], tab: Tab) -> Any:
        header, arrays = tab.answer(request)
        return header | ({"prompt": PROMPT} if request["kind"] == "open" else {}), arrays

    in_page("know", facts=facts(storyteller) | {"prompt": PROMPT})
    chance, moved = random.Random(1), MOVED | (OF_A_PREFILL if forgets else set())
    for number, one in enumerate(LISTS[-n_lists:]):
        in_page.engine = partial(act, tab=Tab(storyteller))
        told = in_page("open", query=one["query"], isOutside=is_outside)
        shown = dict(one["states"][0])
        same(told["header"], shown, f"{number}, opened", moved)
        for event, changes in zip(one["events"], one["states"][1:], strict=True):
            if chance.random() < forgets:
                in_page.engine = partial(act, tab=Tab(storyteller))
            shown |= changes
            told = in_page("answer", event=event_of(event))
            same(told["header"], shown, f"{number}, {event}", moved)
    in_page("know", facts=facts(storyteller))
