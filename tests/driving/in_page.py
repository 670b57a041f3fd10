"""The model in the page, run by deno outside of one: a call a line."""

import json
import os
import subprocess
import sys
from base64 import b64decode, b64encode
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from model.loading import LanguageModel
from model.records import FloatArray
from pages.home.in_page_file import facts
from tests.driving.harness import ROOT

Engine = Callable[[Mapping[str, Any]], tuple[dict[str, Any], dict[str, npt.NDArray[Any]]]]
RUNNER = "tests/driving/in_page_runner.js"
STORYTELLER = "model/pretrained/storyteller"


class InPage:
    """The scripts of the page, outside of one: what they answer to a call."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        """Takes the process that runs them."""
        self.process = process
        self.engine: Engine | None = None  # answers a session that asks outside

    def __call__(self, call: str, **arguments: Any) -> Any:
        """Calls one of the functions of the runner."""
        answer = self._exchange({"call": call, **arguments})
        while isinstance(answer, dict) and "ask" in answer:
            answer = self._exchange(self._answer(answer["ask"]))
        return answer

    def _exchange(self, told: Mapping[str, Any]) -> Any:
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write(json.dumps(told) + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline()
        assert answer, f"{told} ended the script: its reason is printed above"
        return json.loads(answer)

    def _answer(self, request: Mapping[str, Any]) -> dict[str, Any]:
        assert self.engine is not None
        try:
            header, arrays = self.engine(request)
        except ValueError as error:
            return {"refusal": str(error)}
        packed = {name: _packed(array) for name, array in arrays.items()}
        return {"header": header, "arrays": packed}


def _packed(array: npt.NDArray[Any]) -> dict[str, str]:
    array = array.astype("<f4" if np.issubdtype(array.dtype, np.floating) else "<i4")
    return {"dtype": array.dtype.str[1:], "data": b64encode(array.tobytes()).decode()}


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
