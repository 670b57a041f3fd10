"""What a server sent of a distribution, and the distribution that it stands for.

The best tokens come with their log-probabilities, and single ones that were asked for. The others
share the rest of the probability evenly: their sum is exact.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from model.sentences import Sentence

_ROUNDING = 1e-6  # that the sum of 4,096 float32 probabilities may be off by
_SURELY_OFF = 1e-3  # no rounding puts a log-probability, or such a sum, so far above its bound
_NEVER = -9999.0  # what vLLM writes for a log-probability of -inf
_NO_LOGPROBS = "The server sends no log-probabilities: start it with --logprobs-mode raw_logprobs."


class EngineError(ValueError):
    """The server did not do what it was asked; the message is one sentence with the remedy."""


@dataclass(frozen=True, eq=False)
class ServerLogits:
    """The log-probabilities that a server sent for one position."""

    ids: npt.NDArray[np.int64]
    logprobs: npt.NDArray[np.float32]
    floor: float  # log-probability of the worst of the best: nothing that is missing exceeds it

    @classmethod
    def of(cls, by_token: Mapping[str, float]) -> ServerLogits:
        """Takes apart what a server sent for a position: token_id:262 by token_id:262.

        Raises:
            EngineError: where the numbers are no log-probabilities.
        """
        ids = np.fromiter(map(id_of, by_token), np.int64)
        logprobs = finite(np.fromiter(by_token.values(), np.float32))
        return cls(ids, logprobs, float(logprobs.min(initial=np.inf)))

    def with_others(self, ids: npt.ArrayLike, logprobs: npt.ArrayLike) -> ServerLogits:
        """Returns the same with tokens that were asked for by their ids."""
        is_new = ~np.isin(ids, self.ids)
        return replace(
            self,
            ids=np.concatenate([self.ids, np.asarray(ids, np.int64)[is_new]]),
            logprobs=np.concatenate([self.logprobs, np.asarray(logprobs, np.float32)[is_new]]),
        )


def id_of(token: str) -> int:
    """Returns the id of a token as a server writes it."""
    return int(token.removeprefix("token_id:"))


def finite(logprobs: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Returns log-probabilities with -inf again where vLLM writes a number for it.

    Raises:
        EngineError: where one is above 0, or no number.
    """
    if not (logprobs <= _SURELY_OFF).all():
        raise EngineError(_NO_LOGPROBS)
    return np.where(logprobs <= _NEVER, np.float32(-np.inf), logprobs)


def check_enough(sent: Iterable[ServerLogits], n_asked: int) -> None:
    """Refuses fewer log-probabilities than were asked for: the others would be taken for rare.

    Raises:
        EngineError: where one answer has too few.
    """
    n_sent = min((part.ids.size for part in sent), default=n_asked)
    if n_sent < n_asked:
        raise EngineError(
            Sentence(
                "The server sends {n_sent} of the {n_asked} log-probabilities that it was "
                "asked for: serve the model with vLLM and --max-logprobs -1.",
                n_sent=format(n_sent, ","),
                n_asked=format(n_asked, ","),
            )
        )


def with_uniform_rest(sent: ServerLogits, vocab_size: int) -> npt.NDArray[np.float32]:
    """Puts what was sent at its ids; what was left out shares the rest of the probability evenly.

    Raises:
        EngineError: where the numbers are no log-probabilities of this vocabulary.
    """
    if not sent.ids.size or sent.ids.min() < 0 or sent.ids.max() >= vocab_size:
        raise EngineError(
            Sentence(
                "The server’s tokens are not the {vocab_size} of this model: set "
                "ONE_TOKEN_ENGINE_MODEL to the folder or name of the model that it serves.",
                vocab_size=format(vocab_size, ","),
            )
        )
    n_rest = vocab_size - sent.ids.size
    logits = np.full(vocab_size, -np.inf, dtype=np.float32)
    said = float(np.exp(sent.logprobs.astype(np.float64)).sum())
    if said > 1 + _SURELY_OFF or (not n_rest and said < 1 - _SURELY_OFF):
        raise EngineError(_NO_LOGPROBS)
    if n_rest:
        logits[:] = min(np.log(max(1 - said, _ROUNDING) / n_rest), sent.floor)
    logits[sent.ids] = sent.logprobs
    return logits
