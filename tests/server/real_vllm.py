"""A vLLM server on loopback, started and ended by its process id, for `make test-vllm`."""

import os
import socket
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from model.weights.locate import SHIPPED

_PATIENCE_SECONDS = 600.0  # seconds until it has to answer: its imports alone take a minute or more


class RealVllm:
    """One server on one port of loopback, which can go away and come back."""

    def __init__(self, program: str) -> None:
        self._program = program
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self._port = free.getsockname()[1]
        self._log = Path(tempfile.mkdtemp()) / "vllm.log"
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Starts it, and waits until it answers."""
        told = {
            "HF_HUB_OFFLINE": "1",
            "VLLM_CPU_KVCACHE_SPACE": "1",
            "VLLM_ENABLE_V1_MULTIPROCESSING": "0",  # one process less, with all its imports
            "VLLM_NO_USAGE_STATS": "1",
        }
        command = [self._program, "serve", str(SHIPPED["storyteller"])]
        command += ["--served-model-name", "storyteller", "--host", "127.0.0.1"]
        command += ["--port", str(self._port), "--dtype", "float32", "--max-logprobs", "-1"]
        command += ["--logprobs-mode", "raw_logprobs", "--enforce-eager"]
        command += ["--block-size", "32", "--skip-tokenizer-init"]
        with self._log.open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, env=os.environ | told, start_new_session=True
            )
        deadline = time.monotonic() + _PATIENCE_SECONDS
        try:
            while not self._answers():
                has_hope = self._process.poll() is None and time.monotonic() < deadline
                assert has_hope, self._log.read_text()[-3000:]
                time.sleep(0.5)
        except BaseException:  # a test run that is broken off leaves no server behind
            self.kill()
            raise

    def kill(self) -> None:
        """Ends it and what it started, whatever they do."""
        assert self._process is not None
        os.killpg(self._process.pid, 9)
        self._process.wait()

    def _answers(self) -> bool:
        try:
            with urllib.request.urlopen(f"{self.url}/health", timeout=2):
                return True
        except (urllib.error.URLError, OSError):
            return False
