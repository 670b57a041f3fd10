"""A server that runs a model's passes, spoken to over HTTP as vLLM's completions are.

Every request is stateless: ids go in, raw log-probabilities come out, best first. It was written
against vLLM 0.32, and tests/server pins what it relies on.
"""

import json
import math
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import PurePath
from typing import Any

import numpy as np
import numpy.typing as npt

from model.sentences import Sentence, cut
from model.server.connection import Connection
from model.server.logits import EngineError, ServerLogits, check_enough, finite, id_of

MAX_BEST = 1_024  # log-probabilities that are asked for at once; docs/deployment.md has their cost
_WHOLE = 4  # times as many tokens are a vocabulary that comes whole
_WIDER = 16  # times as many are asked for where those do not do
MAX_BY_ID = 128  # that vLLM sends by their ids
MAX_ROWS = 32  # texts in one request
# what taking an answer of another shape apart raises
_MALFORMED = (KeyError, TypeError, ValueError, IndexError, AttributeError, OverflowError)
# what other servers call themselves on their models' cards
_FIGURE = re.compile(r"^(vllm:\w+)(?:\{[^}]*\})? (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Served:
    """The model that a server holds."""

    name: str  # under which requests ask for it
    root: str  # what the server loaded: a hub id, or a folder of its machine
    max_tokens: int  # prompt and answer together

    def is_called(self, name: str) -> bool:
        """Tells whether this can be the model of that name: folders differ between machines."""
        known = {self.name, self.root}
        return name in known or PurePath(name).name in {PurePath(one).name for one in known}


def _last_name(name: str) -> str:
    """Returns a model's own name, without the folders or the owner before it."""
    return cut(PurePath(name).name)


class Client:
    """One address, and what it can be asked."""

    def __init__(self, url: str, key: str = "") -> None:
        """Takes the address, with or without /v1, and the key; nothing is sent yet.

        Raises:
            EngineError: where this is no address.
        """
        self.max_best, self._model = MAX_BEST, ""
        self._connection = Connection(url, key)

    def served(self, wanted: str = "") -> Served:
        """Returns the model that is called so, or was loaded from there; by default the first.

        Raises:
            EngineError: where it serves no such model, or is no vLLM.
        """
        listed = self._connection.get("/v1/models").get("data")
        listed = listed if isinstance(listed, list) else []
        told = [card for card in listed if isinstance(card, dict) and "id" in card]
        cards = [
            Served(str(card["id"]), str(card.get("root") or card["id"]), card["max_model_len"])
            for card in told
            if isinstance(card.get("max_model_len"), int) and card["max_model_len"] > 1
        ]
        if not cards:
            raise EngineError(_no_vllm(told))
        found = next((card for card in cards if not wanted or card.is_called(wanted)), None)
        if found is None:
            raise EngineError(
                Sentence(
                    "The server serves {last_name}, and ONE_TOKEN_ENGINE_MODEL says "
                    "{last_name_2}: name the model that it serves, or start it with "
                    "--served-model-name {last_name_2} if that is the one.",
                    last_name=_last_name(cards[0].name),
                    last_name_2=_last_name(wanted),
                )
            )
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
        seconds = time.perf_counter() - started
        check_enough(sent, n_best)
        return sent, seconds

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
        asked = self._request([list(ids)], n_out) | {"logprobs": 0, "stream": True}
        for event in self._connection.stream("/v1/completions", asked):
            with _understood():
                tokens = _tokens_of(json.loads(event))
            yield from tokens

    def figures(self) -> dict[str, float]:
        """Returns the server's own figures by their names, summed over its engines."""
        totals: dict[str, float] = {}
        for name, number in _FIGURE.findall(self._connection.text("/metrics")):
            with suppress(ValueError):  # what is no number is no figure
                totals[name] = totals.get(name, 0.0) + float(number)
        return {name: total for name, total in totals.items() if math.isfinite(total)}

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
            asked = self._request(part, 1) | dict(wanted)
            answer = self._connection.post("/v1/completions", asked)
            with _understood():
                choices += sorted(answer["choices"], key=lambda choice: choice["index"])
            if len(choices) != start + len(part):
                raise EngineError(
                    Sentence("The server answered some of the texts only: try again.")
                )
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


def _no_vllm(told: Sequence[Mapping[str, Any]]) -> Sentence:
    """Says what answers in vLLM's place, by the cards of its models."""
    if not told:
        return Sentence("The server names no model that it serves: start vLLM with one.")
    owner = str(told[0].get("owned_by") or "")
    if owner == "llamacpp":
        return Sentence(
            "llama.cpp’s server is no vLLM, whose log-probabilities by token id are read here: "
            "serve the model with vLLM, and set ONE_TOKEN_ENGINE_URL to its address."
        )
    if owner == "library":
        return Sentence(
            "Ollama is no vLLM, whose log-probabilities by token id are read here: serve the "
            "model with vLLM, and set ONE_TOKEN_ENGINE_URL to its address."
        )
    if owner:
        return Sentence(
            "A server of {owner} is no vLLM, whose log-probabilities by token id are read here: "
            "serve the model with vLLM, and set ONE_TOKEN_ENGINE_URL to its address.",
            owner=cut(owner),
        )
    return Sentence(
        "This server is no vLLM, whose log-probabilities by token id are read here: serve the "
        "model with vLLM, and set ONE_TOKEN_ENGINE_URL to its address."
    )


@contextmanager
def _understood() -> Iterator[None]:
    """Refuses an answer that is not as vLLM's."""
    try:
        yield
    except EngineError:
        raise
    except _MALFORMED as error:
        raise EngineError(
            Sentence(
                "The server’s answer holds no log-probabilities by token id: serve the model "
                "with vLLM, which the settings of this page expect."
            )
        ) from error


def _scores(ids: Sequence[int], choice: Mapping[str, Any]) -> npt.NDArray[np.float32]:
    """Takes apart what a server says of the tokens of a text; of the first it says nothing."""
    pairs = zip(ids[1:], choice["prompt_logprobs"][1:], strict=True)
    return finite(np.array([place[str(i)]["logprob"] for i, place in pairs], np.float32))


def _tokens_of(event: Mapping[str, Any]) -> list[int]:
    """Takes apart one event of a stream."""
    return [id_of(token) for choice in event["choices"] for token in choice["logprobs"]["tokens"]]
