"""A program in a process of its own: what other tests froze, imported or cached does not count."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

from tests.architecture.sources import ROOT


def answer_of(program: str) -> Any:
    """Run a program from the repository's root, and return what it printed last, read as JSON."""
    run = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert run.returncode == 0, run.stderr
    return json.loads(run.stdout.splitlines()[-1])
