"""The collector stays away from the libraries: lost, every press takes five times as long."""

from __future__ import annotations

import pytest

from tests.architecture.processes import answer_of

SERVE_ONE_READER = """
import gc, json
from streamlit import config
from streamlit.testing.v1 import AppTest

full = 0
def count(phase, info):
    global full
    full += phase == "stop" and info["generation"] == 2

config.set_option("client.showErrorDetails", "full")
app = AppTest.from_file("app.py", default_timeout=120).run()
frozen, watched = gc.get_freeze_count(), len(gc.get_objects())
gc.callbacks.append(count)
for _ in range(5):
    app.run()
errors = [error.value for error in app.exception]
print(json.dumps([errors, {"frozen": frozen, "watched": watched, "full": full}]))
"""


@pytest.fixture(scope="module")
def heap() -> dict[str, int]:
    errors, counts = answer_of(SERVE_ONE_READER)
    assert not errors
    assert set(counts) == {"frozen", "watched", "full"}
    return dict(counts)


def test_what_the_libraries_made_is_frozen_once_a_reader_is_served(heap: dict[str, int]) -> None:
    assert heap["frozen"] > 100_000


def test_little_is_left_for_the_collector_to_walk(heap: dict[str, int]) -> None:
    assert heap["watched"] < 100_000


def test_a_press_ends_without_a_full_collection(heap: dict[str, int]) -> None:
    """Five runs; Streamlit's own setting would make five. One may fall due by itself."""
    assert heap["full"] <= 1
