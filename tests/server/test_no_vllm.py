"""What a person meets who points the app at llama.cpp's server: one sentence, and nothing is asked.

Its answers are those that the README of its server shows.
"""

import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest

from tests.frame.driving import errors, open_home, press

CARD = {
    "id": "../models/Meta-Llama-3.1-8B-Instruct-Q4_K_M.gguf",
    "object": "model",
    "created": 1735142223,
    "owned_by": "llamacpp",
    "meta": {"vocab_type": 2, "n_vocab": 128256, "n_ctx_train": 131072, "n_params": 8030261312},
}
LOADING = {"error": {"code": 503, "message": "Loading model", "type": "unavailable_error"}}


class FakeLlama(ThreadingHTTPServer):
    """Its `/v1` on a port of loopback, as far as anybody asks."""

    def __init__(self) -> None:
        """Begins while the model is still being loaded."""
        super().__init__(("127.0.0.1", 0), _OtherAnswers)
        self.asked: list[str] = []
        self.is_loaded = False
        threading.Thread(target=self.serve_forever, args=(0.01,), daemon=True).start()

    def answer(self, asked: str) -> tuple[int, Any]:
        """Returns a status and an object for what is asked."""
        self.asked.append(asked)
        if not self.is_loaded:
            return 503, LOADING
        if asked == "GET /v1/models":
            return 200, {"object": "list", "data": [CARD]}
        words = {"content": [{"id": 5634, "token": " mat", "logprob": -0.1, "top_logprobs": []}]}
        return 200, {"choices": [{"text": " mat", "index": 0, "logprobs": words}]}


class _OtherAnswers(BaseHTTPRequestHandler):
    server: FakeLlama

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        self._answer()

    def _answer(self) -> None:
        status, answer = self.server.answer(f"{self.command} {self.path}")
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Says nothing."""


@pytest.fixture
def llama(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeLlama]:
    server = FakeLlama()
    monkeypatch.setenv("ONE_TOKEN_ENGINE_URL", f"http://127.0.0.1:{server.server_port}/v1")
    monkeypatch.delenv("ONE_TOKEN_ENGINE_MODEL", raising=False)
    yield server
    server.shutdown()
    server.server_close()


def test_llama_cpp_s_server_is_told_apart_in_one_sentence(llama: FakeLlama) -> None:
    app = open_home()
    assert "503" in errors(app), "as long as it loads it is a server that does not answer yet"
    llama.asked.clear()
    llama.is_loaded = True
    press(app, "server_again")
    said = errors(app).replace("\\", "")
    assert len(app.error) == 1
    assert said.startswith("llama.cpp’s server is no vLLM")
    assert said.count(".") - said.count("llama.cpp") == 1
    assert "ONE_TOKEN_ENGINE_URL" in said
    assert set(llama.asked) == {"GET /v1/models"}, "what it cannot do is not asked of it"
