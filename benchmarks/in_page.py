"""The model in the page, run by deno outside of one: a call a line."""

import json
import os
import subprocess
import sys
from base64 import b64decode
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from benchmarks.harness import ROOT
from model.loading import LanguageModel
from model.records import FloatArray
from pages.home.in_page_file import facts

RUNNER = "benchmarks/in_page_runner.js"
STORYTELLER = "model/pretrained/storyteller"


class InPage:
    """The scripts of the page, outside of one: what they answer to a call."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Takes the process that runs them."""
        self.process = process

    def __call__(self, call: str, **arguments: Any) -> Any:
        """Calls one of the functions of the runner."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps({"call": call, **arguments}) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"{call} ended the script: its reason is printed above"
        return json.loads(answer)


def floats(text: str) -> FloatArray:
    """Returns the float32 array that came as base64."""
    return np.frombuffer(b64decode(text), dtype="<f4")


@contextmanager
def in_deno(lm: LanguageModel) -> Iterator[InPage]:
    """Runs the modules of pages/home/in_page with the shipped model's files."""
    command = [sys.executable, "-m", "deno", "run", "--no-remote", "--quiet", "--allow-read"]
    env = os.environ | {"DENO_DIR": str(ROOT / ".venv" / "deno"), "DENO_NO_UPDATE_CHECK": "1"}
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [*command, RUNNER, STORYTELLER], cwd=ROOT, env=env, stdin=pipe, stdout=pipe, text=True
    ) as process:
        run = InPage(process)
        run("know", facts=facts(lm))
        yield run
        process.kill()
