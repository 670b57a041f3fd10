"""Runs pytest as often as it is asked, each time in a fork that has the libraries imported.

A line of its input is a number of seconds and what pytest is told; a line of its output is the
exit status, or -1 where it took longer. It knows libraries alone: the project's files are imported
in the fork, as they are by then.
"""

import os
import shlex
import signal
import sys
import time
from importlib import import_module

import pytest

LIBRARIES = (
    "torch", "transformers", "hypothesis", "jsonschema", "pandas", "plotly.graph_objects",
    "safetensors.torch", "streamlit", "huggingface_hub", "torch._dynamo", "streamlit.testing.v1",
    "transformers.generation.utils", "transformers.cache_utils", "torch.utils.flop_counter",
    *(f"transformers.models.{name}.modeling_{name}" for name in ("llama", "gpt2", "auto", "bart")),
)  # fmt: skip
PAUSE_SECONDS = 0.05


def run(arguments: list[str]) -> int:
    """Forks, and returns the fork's number; in the fork it runs pytest and ends."""
    pid = os.fork()
    if pid:
        return pid
    os.setsid()  # so that what tests start ends with them
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nothing, stream)
    sys.path.insert(0, os.getcwd())
    os._exit(pytest.main(arguments))


def end_of(pid: int, limit: float) -> int:
    """Waits for a fork; returns its exit status, or -1 where it took longer or nobody asks."""
    end, parent = time.monotonic() + limit, os.getppid()
    while time.monotonic() < end and os.getppid() == parent:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(PAUSE_SECONDS)
    os.killpg(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    return -1


def main() -> None:
    """Answers until its input ends."""
    for name in LIBRARIES:
        import_module(name)
    for line in sys.stdin:
        limit, *arguments = shlex.split(line)
        print(end_of(run(arguments), float(limit)), flush=True)


if __name__ == "__main__":
    main()
