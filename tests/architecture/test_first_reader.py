"""What a fresh process imports for its first token and its first reader, and what it collects.

Lost, the first token waits for transformers' model classes, and every press takes five times as
long, for the collector then walks all that the libraries made.
"""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from tests.architecture.sources import ROOT

# what takes longest to import of all that a model's class asks for
HEAVY = ("transformers.modeling_utils", "torch._dynamo", "torch.distributed.tensor")
WRITE = f"""
import json, sys
from model.generation import Generation
from model.loading import load_model
Generation(load_model("storyteller"), "The cat sat on the").step()
print(json.dumps([name for name in {HEAVY} if name in sys.modules]))
"""
SERVE_ONE_READER = f"""
import gc, json, sys
from streamlit import config
from streamlit.testing.v1 import AppTest
from pages.frame import models
models._HEAD_START = 3600.0

full = 0
def count(phase, info):
    global full
    full += phase == "stop" and info["generation"] == 2

config.set_option("client.showErrorDetails", "full")
app = AppTest.from_file("app.py", default_timeout=120).run()
heavy = [name for name in {HEAVY} if name in sys.modules]
counts = [gc.get_freeze_count(), len(gc.get_objects())]
gc.callbacks.append(count)
for _ in range(5):
    app.run()
print(json.dumps([[error.value for error in app.exception], heavy, *counts, full]))
"""


def answer_of(program: str) -> Any:
    """Run a program in a process of its own, and return what it printed last, read as JSON."""
    command = [sys.executable, "-c", program]
    run = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])


def test_the_model_classes_are_not_imported_for_the_first_token() -> None:
    assert answer_of(WRITE) == []


@pytest.fixture(scope="module")
def served() -> list[Any]:
    errors, *found = answer_of(SERVE_ONE_READER)
    assert errors == []
    return found


def test_the_model_classes_are_not_imported_for_the_first_page(served: list[Any]) -> None:
    assert served[0] == []


def test_what_the_libraries_made_is_frozen_and_little_is_left_to_walk(served: list[Any]) -> None:
    _, n_frozen, n_watched, _ = served
    assert n_frozen > 100_000
    assert n_watched < 100_000


def test_a_press_ends_without_a_full_collection(served: list[Any]) -> None:
    """Five runs; Streamlit's own setting would make five. One may fall due by itself."""
    assert served[-1] <= 1
