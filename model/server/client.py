"""A server that runs a model's passes, spoken to over HTTP as vLLM's completions are.

Every request is stateless: ids go in, raw log-probabilities come out, best first. It was written
against vLLM 0.32, and tests/server pins what it relies on.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import httpx2
import numpy as np
import numpy.typing as npt

from model.sentences import cut, reason
from model.server.logits import EngineError, ServerLogits, finite, id_of

MAX_BEST = 1_024  # log-probabilities that are asked for at once; docs/deployment.md has their cost
_WHOLE = 4  # times as many tokens are a vocabulary that comes whole
_WIDER = 16  # times as many are asked for where those do not do
MAX_BY_ID = 128  # that vLLM sends by their ids
MAX_ROWS = 32  # texts in one request
_PAUSES = (0.2, 0.6)  # seconds before a request is tried again
_PATIENCE = httpx2.Timeout(60.0, connect=3.0)
_BUSY = {429, 502, 503, 504}
# what taking an answer of another shape apart raises
_MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)
_FIGURE = re.compile(r"^(vllm:\w+)(?:\{[^}]*\})? (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Served:
    """The model that a server holds."""

    name: str  # under which requests ask for it
    root: str  # what the server loaded: a hub id, or a folder of its machine
    max_tokens: int  # prompt and answer together


class Server:
    """One address, and what it can be asked."""

    def __init__(self, url: str, key: str = "", max_best: int = MAX_BEST) -> None:
        """Takes the address, with or without /v1; nothing is sent yet.

        Raises:
            EngineError: where this is no address.
        """
        self.max_best, self._model = max_best, ""
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
                f"“{cut(url)}” is no address of a server: write one such as http://127.0.0.1:8000."
            )

    def served(self, wanted: str = "") -> Served:
        """Returns the model that is called so, or was loaded from there; else the first one."""
        cards = [
            Served(str(card["id"]), str(card.get("root") or card["id"]), card["max_model_len"])
            for card in self._ask("GET", "/v1/models").get("data") or ()
            if isinstance(card, dict) and {"id", "max_model_len"} <= card.keys()
            if isinstance(card["max_model_len"], int) and card["max_model_len"] > 1
        ]
        if not cards:
            raise EngineError("The server names no model that it serves: start vLLM with one.")
        found = next((card for card in cards if wanted in (card.name, card.root)), cards[0])
        self._model = found.name
        return found

    def n_best(self, vocab_size: int) -> int:
        """Returns how many log-probabilities to ask for: all of a small vocabulary."""
        return vocab_size if vocab_size <= _WHOLE * self.max_best else self.max_best

    def wider(self, vocab_size: int) -> list[int]:
        """Returns how many to ask for where those do not do: more of them, then -1 for all."""
        more = _WIDER * self.max_best
        return [more, -1] if more < vocab_size else [-1]

    def expect(
        self, rows: Sequence[Sequence[int]], n_best: int, salt: str | None = None
    ) -> tuple[list[ServerLogits], float]:
        """Asks what may follow each of some texts.

        Args:
            rows: their ids.
            n_best: how many log-probabilities, best first; -1 for all.
            salt: texts with another one share nothing of the server's cache.

        Returns:
            What was sent for each, and the seconds from request to answer.
        """
        more = {} if salt is None else {"cache_salt": salt}
        started = time.perf_counter()
        sent = self._complete(rows, {"logprobs": n_best, **more})
        return sent, time.perf_counter() - started

    def logprobs_of(
        self, rows: Sequence[Sequence[int]], token_ids: Sequence[int], sent: Sequence[ServerLogits]
    ) -> list[ServerLogits]:
        """Adds certain tokens to what was sent for some texts; a server may send fewer."""
        for start in range(0, len(token_ids), MAX_BY_ID):
            wanted = {
                "logprobs": 1,
                "logprob_token_ids": list(token_ids[start : start + MAX_BY_ID]),
            }
            parts = self._complete(rows, wanted)
            sent = [
                old.with_others(new.ids, new.logprobs) for old, new in zip(sent, parts, strict=True)
            ]
        return list(sent)

    def score(self, rows: Sequence[Sequence[int]]) -> tuple[list[npt.NDArray[np.float32]], float]:
        """Asks for the log-probability of each token of some texts, given all before it.

        Returns:
            One number for each token but the first, by text, and the seconds from the first
            request to the last answer.
        """
        started = time.perf_counter()
        choices = self._choices(rows, {"prompt_logprobs": 0})
        with _understood():
            scores = [_scores(*pair) for pair in zip(rows, choices, strict=True)]
        return scores, time.perf_counter() - started

    def write(self, ids: Sequence[int], n_out: int) -> Iterator[int]:
        """Lets the server write some greedy tokens and yields each as it comes."""
        body = self._request([list(ids)], n_out) | {"logprobs": 0, "stream": True}
        try:
            with self._http.stream("POST", "/v1/completions", json=body) as response:
                if response.status_code >= 300:
                    response.read()
                    _accepted(response)
                for line in response.iter_lines():
                    event = line.removeprefix("data: ")
                    if event and event != "[DONE]":
                        yield from _tokens_of(json.loads(event))
        except (httpx2.TransportError, *_MALFORMED) as error:
            if isinstance(error, EngineError):
                raise
            raise EngineError(
                f"The model’s server broke off ({reason(error)}): try again once it is back."
            ) from error

    def figures(self) -> dict[str, float]:
        """Returns the server's own figures by their names, summed over its engines."""
        totals: dict[str, float] = {}
        for name, number in _FIGURE.findall(self._send("GET", "/metrics", None).text):
            totals[name] = totals.get(name, 0.0) + float(number)
        return totals

    def _complete(
        self, rows: Sequence[Sequence[int]], wanted: Mapping[str, object]
    ) -> list[ServerLogits]:
        """Lets each text go on by one token, which is thrown away: what it was drawn from stays."""
        choices = self._choices(rows, wanted)
        with _understood():
            return [ServerLogits.of(choice["logprobs"]["top_logprobs"][0]) for choice in choices]

    def _choices(
        self, rows: Sequence[Sequence[int]], wanted: Mapping[str, object]
    ) -> list[dict[str, Any]]:
        """Asks about some texts and returns what the server says of each."""
        choices: list[dict[str, Any]] = []
        for start in range(0, len(rows), MAX_ROWS):
            part = [list(row) for row in rows[start : start + MAX_ROWS]]
            answer = self._ask("POST", "/v1/completions", self._request(part, 1) | dict(wanted))
            with _understood():
                choices += sorted(answer["choices"], key=lambda choice: choice["index"])
            if len(choices) != start + len(part):
                raise EngineError("The server answered some of the texts only: try again.")
        return choices

    def _request(self, rows: list[list[int]], n_out: int) -> dict[str, object]:
        return {
            "model": self._model,
            "prompt": rows,
            "max_tokens": n_out,
            "temperature": 0,
            "ignore_eos": True,
            "return_tokens_as_token_ids": True,
        }

    def _ask(self, method: str, path: str, body: object = None) -> dict[str, Any]:
        """Sends a request and returns the object that it is answered with."""
        response = self._send(method, path, body)
        try:
            answer = response.json()
        except ValueError as error:
            raise EngineError("The server’s answer is no JSON: check its address.") from error
        if not isinstance(answer, dict):
            raise EngineError("The server’s answer is no object: check its address.")
        return answer

    def _send(self, method: str, path: str, body: object) -> httpx2.Response:
        """Sends a request, again where the server is away or busy, and refuses what failed."""
        for pause in (*_PAUSES, None):
            why = ""
            try:
                response = self._http.request(method, path, json=body)
                if response.status_code not in _BUSY:
                    return _accepted(response)
                why = f"status {response.status_code}"
            except httpx2.ReadTimeout:
                why = f"nothing in {_PATIENCE.read:g} s"
                break  # it is there and slow: asking again would make it slower
            except httpx2.TransportError as error:
                why = reason(error)
            if pause is not None:
                time.sleep(pause)
        raise EngineError(
            f"The model’s server does not answer ({why}): nothing is lost; press again once it is "
            "back."
        )


def _accepted(response: httpx2.Response) -> httpx2.Response:
    """Returns an answer that is one; raises what the server said against the request."""
    status = response.status_code
    if status < 300:
        return response
    if status in (401, 403):
        raise EngineError(
            "The model’s server refuses the key: set ONE_TOKEN_ENGINE_KEY to the one it expects."
        )
    try:
        said = str(response.json()["error"]["message"])
    except (ValueError, KeyError, TypeError):
        said = f"status {status}"
    remedy = "go back, or shorten the text"
    if "logprobs" in said:
        remedy = "start it with --max-logprobs -1"
    raise EngineError(f"The model’s server refused this ({reason(ValueError(said))}): {remedy}.")


@contextmanager
def _understood() -> Iterator[None]:
    """Refuses an answer that is not as vLLM's."""
    try:
        yield
    except _MALFORMED as error:
        raise EngineError(
            "The server’s answer holds no log-probabilities by token id: serve the model with "
            "vLLM, which the settings of this page expect."
        ) from error


def _scores(ids: Sequence[int], choice: Mapping[str, Any]) -> npt.NDArray[np.float32]:
    """Takes apart what a server says of the tokens of a text; of the first it says nothing."""
    pairs = zip(ids[1:], choice["prompt_logprobs"][1:], strict=True)
    return finite(np.array([place[str(i)]["logprob"] for i, place in pairs], np.float32))


def _tokens_of(event: Mapping[str, Any]) -> list[int]:
    """Takes apart one event of a stream."""
    return [id_of(token) for choice in event["choices"] for token in choice["logprobs"]["tokens"]]
