"""A small server that answers as vLLM's completions do, from the real storyteller's weights.

It sends what vLLM 0.32 sends, and `make test-vllm` holds the same tests against vLLM itself: the
best log-probabilities by token id, certain ones by their ids, its model's card, its own figures.
"""

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import takewhile
from typing import Any, ClassVar

import numpy as np

from model.batch import read_whole
from model.draw import best_ids
from model.loading import LanguageModel
from model.local import LocalText
from model.masks import log_softmax
from model.weights.locate import SHIPPED

MAX_BY_ID = 128


class FakeVllm:
    """One server on one port of loopback, which can go away and come back.

    Attributes:
        max_logprobs: more are refused, as vLLM does; -1 for any number.
        knows_ids: whether it takes `logprob_token_ids`, which older ones overlook.
        key: that every request has to bear, if any.
        trouble: statuses or raw texts with which the next requests are answered instead.
        n_most: log-probabilities that it sends at most, whatever it is asked for.
        is_there: cleared, it takes every request and answers none until it is set again.
        is_quick: cleared, it answers what it is, and computes nothing until it is set again.
    """

    def __init__(self, lm: LanguageModel, root: str = str(SHIPPED["storyteller"])) -> None:
        self.lm, self.root = lm, root
        self.max_logprobs, self.knows_ids, self.key = -1, True, ""
        self.trouble: list[int | str] = []
        self.n_most = lm.vocab_size
        self.is_there, self.is_quick = threading.Event(), threading.Event()
        self.is_there.set()
        self.is_quick.set()
        self.asked: list[dict[str, Any]] = []
        self.n_known = self.n_hit = 0
        self._reader, self._ids, self._turn = LocalText(lm), list[int](), threading.Lock()
        self._http: _Http | None = None
        self._port = 0
        self.start()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    def start(self) -> None:
        """Listens, where it listened before."""
        answers = type("Answers", (_Answers,), {"fake": self})
        self._http = _Http(("127.0.0.1", self._port), answers)
        self._port = self._http.server_address[1]
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()

    def kill(self) -> None:
        """Goes away, in the middle of whatever it does."""
        self.is_there.set()
        self.is_quick.set()
        if self._http is not None:
            self._http.shutdown()
            self._http.hang_up()
            self._http.server_close()
            self._http = None

    def metrics(self) -> str:
        labels = '{engine="0",model_name="storyteller"}'
        names = ("num_requests_running", "num_requests_waiting", "kv_cache_usage_perc")
        totals = {"prefix_cache_queries_total": self.n_known, "prefix_cache_hits_total": self.n_hit}
        figures = dict.fromkeys(names, 0) | totals
        return "".join(f"vllm:{name}{labels} {float(n)}\n" for name, n in figures.items())

    def complete(self, asked: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        """Answers one request: its status, and the object."""
        self.asked.append(asked)
        rows, wanted = asked["prompt"], asked.get("logprobs")
        by_id = asked.get("logprob_token_ids") if self.knows_ids else None
        if -1 < self.max_logprobs < (self.lm.vocab_size if wanted == -1 else wanted or 0):
            return 400, _error(
                f"Requested sample logprobs of {wanted}, which is greater than max allowed: "
                f"{self.max_logprobs}"
            )
        if by_id and len(by_id) > MAX_BY_ID:
            return 400, _error("logprob_token_ids is too long")
        n_sent = self.n_most if wanted == -1 else min(wanted or 0, self.n_most)
        choices = [_choice(i, self._expect(row), n_sent, by_id) for i, row in enumerate(rows)]
        if asked.get("prompt_logprobs") == 0:
            for choice, row in zip(choices, rows, strict=True):
                choice["prompt_logprobs"] = self._scores(row)
        return 200, {"object": "text_completion", "choices": choices}

    def stream(self, asked: dict[str, Any]) -> Iterator[str]:
        """Writes greedy tokens, an event each."""
        ids = list(asked["prompt"][0])
        for _ in range(asked["max_tokens"]):
            ids.append(int(self._expect(ids).argmax()))
            tokens = {"tokens": [f"token_id:{ids[-1]}"]}
            yield json.dumps({"choices": [{"index": 0, "text": "", "logprobs": tokens}]})
        yield "[DONE]"

    def _scores(self, ids: list[int]) -> list[dict[str, Any] | None]:
        """What each token of a text was given by what came before it."""
        with self._turn:
            expected = read_whole(self.lm, ids)
        places = zip(expected, ids[1:], strict=False)
        return [None, *({str(i): {"logprob": float(row[i]), "rank": 1}} for row, i in places)]

    def _expect(self, ids: list[int]) -> np.ndarray:
        """Log-probabilities after a text; of a text that goes on, what is new alone is read."""
        with self._turn:
            pairs = zip(self._ids, ids[:-1], strict=False)
            n_common = sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], pairs))
            self.n_known, self.n_hit = self.n_known + len(ids), self.n_hit + n_common
            if n_common == len(ids) - 1 and n_common:
                self._reader.crop(n_common)
            else:
                self._reader.drop_cache()
            logits, _ = self._reader.read(ids)
            self._ids = ids
        return log_softmax(logits)


def _choice(
    index: int, logprobs: np.ndarray, n_sent: int, by_id: list[int] | None
) -> dict[str, Any]:
    best = int(logprobs.argmax())
    ids = dict.fromkeys([best, *(by_id or best_ids(logprobs, n_sent).tolist())])
    top = {f"token_id:{i}": float(np.float32(logprobs[i])) for i in ids}
    return {"index": index, "text": "", "logprobs": {"top_logprobs": [top]}}


def _error(message: str) -> dict[str, Any]:
    return {"error": {"message": message, "type": "BadRequestError"}}


class _Http(ThreadingHTTPServer):
    """Keeps its connections, so that it can hang up on all of them."""

    def __init__(self, *args: Any) -> None:
        self.connections: list[socket.socket] = []
        super().__init__(*args)

    def process_request(self, request: Any, client_address: Any) -> None:
        self.connections.append(request)
        super().process_request(request, client_address)

    def hang_up(self) -> None:
        for connection in self.connections:
            with suppress(OSError):  # closed already
                connection.shutdown(socket.SHUT_RDWR)

    def handle_error(self, *_: Any) -> None:
        """Says nothing of clients that were hung up on."""


class _Answers(BaseHTTPRequestHandler):
    """What one connection asks."""

    fake: ClassVar[FakeVllm]
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # head and body are two packets, and an answer need not wait

    def do_GET(self) -> None:
        """Answers with the model's card, or the figures."""
        self.fake.is_there.wait()
        if self.path == "/metrics":
            self._send(200, self.fake.metrics())
        elif self.path == "/v1/models":
            card = {"id": "storyteller", "root": self.fake.root, "max_model_len": 2048}
            self._answer(200, {"data": [card]})
        else:
            self._send(404, '{"detail": "Not Found"}')

    def do_POST(self) -> None:
        """Answers with what may follow some texts, or with tokens as they come."""
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.fake.is_there.wait()
        self.fake.is_quick.wait()
        if asked.get("stream"):
            self.send_response(200)
            self.send_header("Connection", "close")
            self.end_headers()
            for event in self.fake.stream(asked):
                self.wfile.write(f"data: {event}\n\n".encode())
            self.close_connection = True
            return
        self._answer(*self.fake.complete(asked))

    def _answer(self, status: int, answer: dict[str, Any]) -> None:
        if self.fake.key and self.headers.get("Authorization") != f"Bearer {self.fake.key}":
            status, answer = 401, {"error": "Unauthorized"}
        trouble = self.fake.trouble.pop(0) if self.fake.trouble else None
        if isinstance(trouble, str):
            self._send(200, trouble)
        elif trouble is not None:
            self._send(trouble, "{}")
        else:
            self._send(status, json.dumps(answer))

    def _send(self, status: int, text: str) -> None:
        data = text.encode()
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Says nothing."""
