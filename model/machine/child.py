"""A second process for what may hang, abort or eat the memory: it has limits, and no readers.

    with Child("model.weights.trial", seconds=4) as child:
        child.ask(folder="/models/new", name="new")

The other process runs a module that ends in `answer(function)`. Questions are the function's
arguments, as lines of JSON. Time is limited everywhere, memory where the system can.
"""

from __future__ import annotations

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

from model.sentences import MAX_SENTENCE, Sentence, reason

MAX_BYTES = 4 * 10**9  # of memory, the libraries' own included
MAX_IDLE_SECONDS = 5.0  # in which it does next to nothing
_BUSY_RATIO = 15  # times its seconds by the wall's clock: a busy machine is slow
_NEXT_TO_NOTHING = 0.01  # seconds of the processor
_LOOK_EVERY = 0.25  # seconds
_OUT_OF_TIME = 27  # SIGPROF, by which the system ends it
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
            process, line = self._ready(), ""
            with suppress(BrokenPipeError), _watched(process, self.seconds) as why:
                question = json.dumps([self.seconds, arguments])
                print(question, file=process.stdin, flush=True)
                line = process.stdout.readline() if process.stdout else ""
            if not line:
                self._process = None
                raise EndedError(why[0] if why else self._how_it_ended(process.wait()))
        outcome: dict[str, Any] = json.loads(line)
        if "refused" in outcome:
            raise ValueError(outcome["refused"])
        return outcome["done"]

    def _ready(self) -> subprocess.Popen[str]:
        """Returns the process once it has imported what it needs: only then does time count."""
        if self._process is None:
            self._process = _start(self.module)
            if self._process.stdout:
                self._process.stdout.readline()
        return self._process

    def _how_it_ended(self, status: int) -> Sentence:
        if status == -_OUT_OF_TIME:
            return _too_slow(self.seconds)
        return Sentence("it ended the process that tried it")


@contextmanager
def _watched(process: subprocess.Popen[str], seconds: float) -> Iterator[list[Sentence]]:
    """Ends a process that takes too long or does nothing, and notes which it was."""
    is_answered, why = threading.Event(), list[Sentence]()

    def watch() -> None:
        spent, began = _processor_seconds(process.pid), time.monotonic()
        since = began
        while not is_answered.wait(_LOOK_EVERY):
            used, now = _processor_seconds(process.pid), time.monotonic()
            if used > spent + _NEXT_TO_NOTHING:
                spent, since = used, now
            if now > since + MAX_IDLE_SECONDS:
                idle = format(MAX_IDLE_SECONDS, ".0f")
                why.append(Sentence("it did nothing for {seconds} s", seconds=idle))
            elif now > began + _BUSY_RATIO * seconds:
                why.append(_too_slow(seconds))
            if why:
                process.kill()
                return

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield why
    finally:
        is_answered.set()
        watcher.join()


def _too_slow(seconds: float) -> Sentence:
    return Sentence("it took more than {seconds} s", seconds=format(seconds, ".0f"))


def _processor_seconds(pid: int) -> float:
    with suppress(psutil.Error):
        times = psutil.Process(pid).cpu_times()
        return float(times.user + times.system)
    return 0.0


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


def answer(function: Callable[..., Any], **rehearsal: Any) -> None:
    """Answers questions until nobody asks any more.

    Args:
        function: What answers.
        rehearsal: Arguments of ours, with which it is called once before: what it imports, which
            may have to be compiled first, is no part of the time that a question may take.
    """
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)  # whatever a library prints is no answer
    _limit_memory()
    threading.Thread(target=_end_with, args=(os.getppid(),), daemon=True).start()
    if rehearsal:
        function(**rehearsal)
    print("ready", file=answers, flush=True)
    for line in sys.stdin:
        seconds, arguments = json.loads(line)
        _set_clock(seconds)
        outcome = _outcome(function, arguments)
        _set_clock(0)
        print(json.dumps(outcome), file=answers, flush=True)


def _end_with(parent: int) -> None:
    """Ends this process once nobody is there who asks: one that was killed ends no child itself."""
    while os.getppid() == parent:
        time.sleep(_LOOK_EVERY)
    os._exit(0)


def _outcome(function: Callable[..., Any], arguments: dict[str, Any]) -> dict[str, Any]:
    try:
        return {"done": function(**arguments)}
    except BaseException as error:  # a panic of Rust's as well
        return {"refused": reason(error, MAX_SENTENCE)}


def _set_clock(seconds: float) -> None:
    """Lets this process end after so much of the processor; 0 takes that back."""
    if hasattr(signal, "setitimer"):  # Windows has none
        signal.setitimer(signal.ITIMER_PROF, seconds)


def _limit_memory() -> None:
    with suppress(ImportError, ValueError, OSError):  # not every system can
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (MAX_BYTES, MAX_BYTES))
