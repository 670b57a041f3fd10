"""What a fresh process imports for its first token and its first pages, and what it collects.

Lost, the first token and a page wait for transformers' model classes, and the collector walks all
that the libraries made.
"""

import json
import subprocess
import sys

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

config.set_option("client.showErrorDetails", "full")
app = AppTest.from_file("app.py", default_timeout=120).run()
counts = [gc.get_freeze_count(), len(gc.get_objects())]
Generation(load_model("storyteller"), "The cat sat on the").step()
for page in ("kv_cache", "causal_mask", "prefill_decode", "claims"):
    __import__(f"pages.lessons.{{page}}.lesson")
heavy = [name for name in {HEAVY} if name in sys.modules]
print(json.dumps([[error.value for error in app.exception], heavy, *counts]))
"""


def test_first_token_and_pages_import_no_model_class_and_little_is_left_to_collect() -> None:
    command = [sys.executable, "-c", SERVE_ONE_READER]
    run = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=240, check=False
    )
    assert run.returncode == 0, run.stderr
    errors, heavy, n_frozen, n_watched = json.loads(run.stdout.splitlines()[-1])
    assert errors == heavy == []
    assert n_frozen > 100_000
    assert n_watched < 100_000
