"""The first token waits for no more than it needs: not for transformers' model classes."""

from __future__ import annotations

import pytest

from tests.architecture.processes import answer_of

WRITE = """
from model.generation import Generation
from model.loading import load_model
Generation(load_model("storyteller"), "The cat sat on the").step()
"""
OPEN = """
from streamlit import config
from streamlit.testing.v1 import AppTest
from pages.frame import models
models._HEAD_START = 3600.0
config.set_option("client.showErrorDetails", "full")
app = AppTest.from_file("app.py", default_timeout=120).run()
assert not app.exception, app.exception
"""
# what takes longest to import of all that a model's class asks for
HEAVY = ("transformers.modeling_utils", "torch._dynamo", "torch.distributed.tensor")


@pytest.mark.parametrize("program", [WRITE, OPEN], ids=["the first token", "the first page"])
def test_the_model_classes_are_not_imported_for(program: str) -> None:
    ask = (
        f"\nimport json, sys\nprint(json.dumps([name for name in {HEAVY} if name in sys.modules]))"
    )
    assert answer_of(program + ask) == []
