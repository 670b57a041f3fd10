"""A second process for what may hang, abort or eat the memory: it has limits, and no readers.

    with Child("model.weights.trial", seconds=4) as child:
        child.ask(folder="/models/new", name="new")

The other process runs a module that ends in `answer(function)`. Questions are the function's
arguments, as lines of JSON. Time is limited everywhere, memory where the system can.
"""

from __future__ import annotations

import faulthandler
import json
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from model.sentences import MAX_SENTENCE, reason

MAX_BYTES = 4 * 10**9  # of memory, the libraries' own included
_PATIENCE = 4  # times the processor's time: on a busy machine all takes longer
_OUT_OF_TIME = (1, -27)  # how a process ends by faulthandler, and by SIGPROF
_QUIET = {
    "CUDA_VISIBLE_DEVICES": "",
    "HF_HUB_OFFLINE": "1",
    "OMP_NUM_THREADS": "1",
    "TOKENIZERS_PARALLELISM": "false",
}


class EndedError(ValueError):
    """The other process did not come to an answer."""


class Child:
    """A process that does one thing after another; what takes too much ends it, and no more."""

    def __init__(self, module: str, seconds: float) -> None:
        """Sets which module answers, and what one answer may take of the processor."""
        self.module, self.seconds = module, seconds
        self._lock = threading.Lock()
        self._process: subprocess.Popen[str] | None = None

    def __enter__(self) -> Child:
        """Returns itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Ends the process."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()

    def ask(self, **arguments: Any) -> Any:
        """Returns what the module's function returns, all of it as JSON can hold it.

        Raises:
            EndedError: how the process ended, in a few words; the next question finds another.
            ValueError: what the function raised, in one line without a full stop.
        """
        with self._lock:
            process = self._process = self._process or _start(self.module)
            line = ""
            with suppress(BrokenPipeError):
                question = json.dumps([self.seconds, arguments])
                print(question, file=process.stdin, flush=True)
                line = process.stdout.readline() if process.stdout else ""
            if not line:
                self._process = None
                is_late = process.wait() in _OUT_OF_TIME
                took = f"it took more than {self.seconds:.0f} s"
                raise EndedError(took if is_late else "it ended the process that tried it")
        outcome: dict[str, Any] = json.loads(line)
        if "refused" in outcome:
            raise ValueError(outcome["refused"])
        return outcome["done"]


def _start(module: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", module],
        cwd=Path(__file__).parents[2],
        env={**os.environ, **_QUIET},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


# In the other process


def answer(function: Callable[..., Any]) -> None:
    """Answers questions until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints is no answer
    _limit_memory()
    for line in sys.stdin:
        seconds, arguments = json.loads(line)
        _set_clock(seconds)
        outcome = _outcome(function, arguments)
        _set_clock(0)
        print(json.dumps(outcome), file=answers, flush=True)


def _outcome(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"done": function(**arguments)}
    except BaseException as error:  # a panic of Rust's as well
        return {"refused": reason(error, MAX_SENTENCE)}


def _set_clock(seconds: float) -> None:
    """Lets this process end after so long; 0 takes that back."""
    if hasattr(signal, "setitimer"):  # Windows has none
        signal.setitimer(signal.ITIMER_PROF, seconds)
    if seconds:
        faulthandler.dump_traceback_later(_PATIENCE * seconds, exit=True)
    else:
        faulthandler.cancel_dump_traceback_later()


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # not every system can
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MAX_BYTES, MAX_BYTES))
