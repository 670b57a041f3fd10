"""One server's address: requests go out, answers come back, and what fails is one sentence.

A server may be away, busy or silent, or say why it refuses. Knows nothing of what is asked.
"""

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx2

from model.sentences import Sentence, cut, reason
from model.server.logits import EngineError

_PAUSES = (0.2, 0.6)  # seconds before a request is tried again
_PATIENCE = httpx2.Timeout(60.0, connect=2.0)
_SILENCE = 6.0  # seconds without an answer, after which a server is asked whether it is there
_SIGN_OF_LIFE = httpx2.Timeout(3.0, connect=2.0)  # in which it has to say so
_N_THREADS = 64  # requests of one copy of the app under way
_BUSY = {429, 502, 503, 504}
_WRONG_ADDRESS = {301, 302, 303, 307, 308, 404, 405}
_SILENT = Sentence(
    "The model’s server does not answer (it took the request and sent nothing): nothing is lost; "
    "press again once it is back."
)


class Connection:
    """What one address answers."""

    def __init__(self, url: str, key: str = "") -> None:
        """Takes the address, with or without /v1; nothing is sent yet.

        Raises:
            EngineError: where this is no address.
        """
        try:
            self._http = httpx2.Client(
                base_url=url.strip().rstrip("/").removesuffix("/v1"),
                headers={"Authorization": f"Bearer {key}"} if key else {},
                timeout=_PATIENCE,
            )
            address = self._http.base_url
            is_address = bool(
                address.scheme in ("http", "https") and re.fullmatch(r"[\w.:-]+", address.host)
            )
        except (httpx2.InvalidURL, UnicodeError):
            is_address = False
        if not is_address:
            raise EngineError(
                Sentence(
                    "“{given}” is no address of a server: write one such as http://127.0.0.1:8000.",
                    given=cut(url),
                )
            )
        self._threads = ThreadPoolExecutor(_N_THREADS, "model-server")

    def get(self, path: str) -> dict[str, Any]:
        """Returns the object at a path."""
        return _object(self._send("GET", path))

    def post(self, path: str, body: object) -> dict[str, Any]:
        """Sends an object and returns the one that it is answered with."""
        return _object(self._send("POST", path, body))

    def text(self, path: str) -> str:
        """Returns the text at a path."""
        return self._send("GET", path).text

    def stream(self, path: str, body: object) -> Iterator[str]:
        """Sends an object and yields each event that it is answered with, as it comes."""
        try:
            with self._http.stream("POST", path, json=body) as response:
                if response.status_code >= 300:
                    response.read()
                    _accepted(response)
                for line in response.iter_lines():
                    event = line.removeprefix("data: ")
                    if event and event != "[DONE]":
                        yield event
        except httpx2.TransportError as error:
            raise EngineError(
                Sentence(
                    "The model’s server broke off ({reason}): try again once it is back.",
                    reason=reason(error),
                )
            ) from error

    def _send(self, method: str, path: str, body: object = None) -> httpx2.Response:
        """Sends a request, again where the server is away or busy, and refuses what failed."""
        for pause in (*_PAUSES, None):
            says = _SILENT
            try:
                response = self._exchange(method, path, body)
                if response.status_code not in _BUSY:
                    return _accepted(response)
                says = Sentence(
                    "The model’s server does not answer (status {status}): nothing is lost; press "
                    "again once it is back.",
                    status=response.status_code,
                )
            except (httpx2.ReadTimeout, httpx2.PoolTimeout):
                break  # asking again would make it slower
            except httpx2.TransportError as error:
                says = Sentence(
                    "The model’s server does not answer ({why}): nothing is lost; press again "
                    "once it is back.",
                    why=reason(error),
                )
            if pause is not None:
                time.sleep(pause)
        raise EngineError(says)

    def _exchange(self, method: str, path: str, body: object) -> httpx2.Response:
        """Waits for an answer while the server is there: one that is busy answers other things."""
        if body is None:
            return self._http.request(method, path, timeout=_SIGN_OF_LIFE)
        answer = self._threads.submit(self._http.request, method, path, json=body)
        while True:
            try:
                return answer.result(_SILENCE)
            except TimeoutError:
                self._http.get("/v1/models", timeout=_SIGN_OF_LIFE)


def _object(response: httpx2.Response) -> dict[str, Any]:
    """Returns the object that an answer is."""
    try:
        answer = response.json()
    except ValueError as error:
        raise EngineError(
            Sentence(
                "The server’s answer is no JSON: set ONE_TOKEN_ENGINE_URL to vLLM’s address, such "
                "as http://127.0.0.1:8000."
            )
        ) from error
    if not isinstance(answer, dict):
        raise EngineError(
            Sentence(
                "The server’s answer is no object: set ONE_TOKEN_ENGINE_URL to vLLM’s address, "
                "such as http://127.0.0.1:8000."
            )
        )
    return answer


def _accepted(response: httpx2.Response) -> httpx2.Response:
    """Returns an answer that is one; raises what the server said against the request."""
    status = response.status_code
    if status < 300:
        return response
    if status in (401, 403):
        raise EngineError(
            Sentence(
                "The model’s server refuses the key: set ONE_TOKEN_ENGINE_KEY to the one it "
                "expects."
            )
        )
    try:
        said = str(response.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        said = f"status {status}"
    raise EngineError(_refused(status, said).filled(reason=reason(ValueError(said))))


def _refused(status: int, said: str) -> Sentence:
    """Returns what to do about a refusal of the server’s, by its status and its message."""
    if "logprobs" in said:
        return Sentence(
            "The model’s server refused this ({reason}): start it with --max-logprobs -1."
        )
    if "model" in said and status == 404:
        return Sentence(
            "The model’s server refused this ({reason}): start it with the model that it had, or "
            "start this app again."
        )
    if status in _WRONG_ADDRESS:
        return Sentence(
            "The model’s server refused this ({reason}): set ONE_TOKEN_ENGINE_URL to vLLM’s "
            "address, such as http://127.0.0.1:8000."
        )
    return Sentence("The model’s server refused this ({reason}): go back, or shorten the text.")
