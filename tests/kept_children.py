"""The processes that try what is foreign, forked from one that has imported all that they need.

To import it takes each of them seconds. Run as a module, this is the process that forks.
"""

import os
import runpy
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import cached_property
from importlib import import_module
from pathlib import Path

import pytest

from model.machine import child

READY = (
    "model.chat_template",
    "model.constraints.patterns",
    "model.weights.shapes",
    "model.weights.trial",
    "transformers.models.llama.modeling_llama",
)


class Forked:
    """A child as `subprocess` would hand it out, as far as it is asked for."""

    def __init__(self, server: socket.socket, module: str) -> None:
        (asked, questions), (answers, answered), (ends, ended) = (os.pipe() for _ in range(3))
        socket.send_fds(server, [module.encode()], [asked, answered, ended])
        for handed_over in (asked, answered, ended):
            os.close(handed_over)
        self.stdin, self.stdout = os.fdopen(questions, "w"), os.fdopen(answers)
        self._ends = os.fdopen(ends)
        self.pid = int(self._ends.readline())

    def kill(self) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> int:
        """Waits for its end, and closes what leads to it."""
        status = int(self._ends.readline())
        for file in (self.stdin, self.stdout, self._ends):
            with suppress(BrokenPipeError):
                file.close()
        return status

    communicate = wait


class ForkServer:
    """The process that forks, started when the first child is wanted."""

    @cached_property
    def _socket(self) -> socket.socket:
        ours, theirs = socket.socketpair()
        with theirs:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "tests.kept_children", str(theirs.fileno())],
                cwd=Path(__file__).parents[1],
                env={**os.environ, **child._QUIET},
                pass_fds=[theirs.fileno()],
                stdin=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
            )
        return ours

    def start(self, module: str) -> Forked:
        return Forked(self._socket, module)


@pytest.fixture(scope="session", autouse=True)
def _forked_children() -> Iterator[None]:
    """Those of the app; a test's own child is started as the app starts them."""
    forks, start = ForkServer(), child._start
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(
            child,
            "_start",
            lambda module: (forks.start if module.startswith("model.") else start)(module),
        )
        yield


# In the process that forks, which ends when nobody holds the other end of its socket


def serve(asked: socket.socket) -> None:
    for module in READY:
        import_module(module)
    while True:
        name, fds, *_ = socket.recv_fds(asked, 1000, 3)
        if not name:
            return
        if os.fork() == 0:
            asked.close()
            keep(name.decode(), *fds)
        for fd in fds:
            os.close(fd)
        os.wait()


def keep(module: str, questions: int, answers: int, ended: int) -> None:
    """Forks the child, and says who it is and how it ended."""
    if os.fork():
        os._exit(0)
    pid = os.fork()
    if pid == 0:
        os.close(ended)
        os.dup2(questions, 0)
        os.dup2(answers, 1)
        runpy.run_module(module, run_name="__main__")
        os._exit(0)
    os.close(questions)
    os.close(answers)
    with os.fdopen(ended, "w", buffering=1) as told:
        print(pid, file=told)
        print(os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), file=told)
    os._exit(0)


if __name__ == "__main__":
    serve(socket.socket(fileno=int(sys.argv[1])))
