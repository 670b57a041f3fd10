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
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psutil  # type: ignore[import-untyped]  # ships no types

from model.sentences import MAX_SENTENCE, reason

MAX_BYTES = 4 * 10**9  # of memory, the libraries' own included
MAX_IDLE_SECONDS = 5.0  # in which it does next to nothing
_PATIENCE = 15  # times the processor's time: a busy machine is slow, and what idles is ended before
_NEXT_TO_NOTHING = 0.01  # seconds of the processor
_LOOK_EVERY = 0.25  # seconds
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
        return self

    def __exit__(self, *_: object) -> None:
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
            with suppress(BrokenPipeError), _ended_if_idle(process) as idle:
                question = json.dumps([self.seconds, arguments])
                print(question, file=process.stdin, flush=True)
                line = process.stdout.readline() if process.stdout else ""
            if not line:
                self._process = None
                raise EndedError(_how_it_ended(process.wait(), self.seconds, is_idle=idle.is_set()))
        outcome: dict[str, Any] = json.loads(line)
        if "refused" in outcome:
            raise ValueError(outcome["refused"])
        return outcome["done"]


@contextmanager
def _ended_if_idle(process: subprocess.Popen[str]) -> Iterator[threading.Event]:
    """Ends a process that waits for what does not come; the event says whether it did."""
    is_answered, is_idle = threading.Event(), threading.Event()

    def watch() -> None:
        spent, since = 0.0, time.monotonic()
        while not is_answered.wait(_LOOK_EVERY):
            now = _processor_seconds(process.pid)
            if now > spent + _NEXT_TO_NOTHING:
                spent, since = now, time.monotonic()
            elif time.monotonic() > since + MAX_IDLE_SECONDS:
                is_idle.set()
                process.kill()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield is_idle
    finally:
        is_answered.set()
        watcher.join()


def _processor_seconds(pid: int) -> float:
    with suppress(psutil.Error):
        times = psutil.Process(pid).cpu_times()
        return float(times.user + times.system)
    return 0.0


def _how_it_ended(status: int, seconds: float, *, is_idle: bool) -> str:
    if is_idle:
        return f"it did nothing for {MAX_IDLE_SECONDS:.0f} s"
    if status in _OUT_OF_TIME:
        return f"it took more than {seconds:.0f} s"
    return "it ended the process that tried it"


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
