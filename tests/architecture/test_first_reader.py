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
SERVE_ONE_READER = f"""
import gc, json, sys
from streamlit import config
from streamlit.testing.v1 import AppTest
from model.generation import Generation
from model.loading import load_model
from pages.frame import models
models._HEAD_START = 3600.0

full = 0
def count(phase, info):
    global full
    full += phase == "stop" and info["generation"] == 2

config.set_option("client.showErrorDetails", "full")
app = AppTest.from_file("app.py", default_timeout=120).run()
counts = [gc.get_freeze_count(), len(gc.get_objects())]
gc.callbacks.append(count)
for _ in range(5):
    app.run()
full_of_presses = full
Generation(load_model("storyteller"), "The cat sat on the").step()
heavy = [name for name in {HEAVY} if name in sys.modules]
print(json.dumps([[error.value for error in app.exception], heavy, *counts, full_of_presses]))
"""


@pytest.fixture(scope="module")
def served() -> list[Any]:
    """What a process of its own printed last: what it had imported, and what it collected."""
    command = [sys.executable, "-c", SERVE_ONE_READER]
    run = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert run.returncode == 0, run.stderr
    errors, *found = json.loads(run.stdout.splitlines()[-1])
    assert errors == []
    return found


def test_neither_the_first_page_nor_the_first_token_imports_the_model_classes(
    served: list[Any],
) -> None:
    assert served[0] == []


def test_what_the_libraries_made_is_frozen_and_little_is_left_to_walk(served: list[Any]) -> None:
    _, n_frozen, n_watched, _ = served
    assert n_frozen > 100_000
    assert n_watched < 100_000


def test_a_press_ends_without_a_full_collection(served: list[Any]) -> None:
    """Five runs; Streamlit's own setting would make five. One may fall due by itself."""
    assert served[-1] <= 1
