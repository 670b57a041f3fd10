"""A server runs a model's passes: texts and rows, read by requests."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from transformers import DynamicCache

from model.language_model import LanguageModel, Logits
from model.masks import LogProbs
from model.server.client import Client
from model.server.logits import with_uniform_rest
from model.server.text import ServerRows, ServerText


@dataclass(frozen=True, eq=False)
class ServerBackend:
    """The server of one model."""

    server: Client

    def new_text(self, lm: LanguageModel) -> ServerText:
        """Returns a text of which the server has read nothing."""
        return ServerText(lm, self.server)

    def read_rows(
        self,
        lm: LanguageModel,
        rows: Sequence[Sequence[int]],
        cache: DynamicCache | None = None,
        n_pads: Sequence[int] = (),
        n_logits: int = 1,
        *,
        by_hand: bool = False,
    ) -> tuple[Logits, float]:
        """Asks what follows each of the last positions of some texts, of any length each.

        The token that did follow is among what is asked for.
        """
        del cache, by_hand
        rows = [row[n:] for row, n in zip(rows, n_pads or [0] * len(rows), strict=True)]
        n_best = self.server.n_best(lm.vocab_size)
        ends = [
            (i, n)
            for i, row in enumerate(rows)
            for n in range(len(row) + 1)[-(n_logits or len(row)) :]
        ]
        sent, seconds = self.server.expect([rows[i][:n] for i, n in ends], n_best)
        if n_logits != 1 and n_best < lm.vocab_size:
            scores, more = self.server.score(rows)
            seconds += more
            sent = [
                part.with_others(rows[i][n : n + 1], scores[i][n - 1 : n])
                for (i, n), part in zip(ends, sent, strict=True)
            ]
        logits = np.stack([with_uniform_rest(part, lm.vocab_size) for part in sent])
        return logits.reshape(len(rows), -1, lm.vocab_size), seconds

    def partial_rows(self, lm: LanguageModel, logits: Logits) -> ServerRows:
        """Returns the logits after some rows, as they were read from the server."""
        return ServerRows([ServerText(lm, self.server, row) for row in logits])

    def score(
        self, lm: LanguageModel, before: Sequence[int], continuations: Sequence[Sequence[int]]
    ) -> tuple[list[LogProbs], float]:
        """Asks for the log-probability of each token of some texts that begin alike."""
        del lm
        own, seconds = self.server.score([[*before, *ids] for ids in continuations])
        return [row[len(before) - 1 :].astype(np.float64) for row in own], seconds

    def takes_padding(self, lm: LanguageModel) -> bool:
        """Tells that rows may differ in length."""
        del lm
        return True

    def n_best(self, vocab_size: int) -> int:
        """Returns how many of the best logits an answer holds."""
        return self.server.n_best(vocab_size)

    def processor(self, lm: LanguageModel) -> str:
        """Says what is seen of the server's machine."""
        del lm
        return "a server, as its client sees it"


def server_of(lm: LanguageModel) -> Client:
    """Returns the server that runs a model.

    Raises:
        ValueError: where its weights are in this process.
    """
    if not isinstance(lm.backend, ServerBackend):
        raise ValueError(f"{lm.shown} runs in this process: set ONE_TOKEN_ENGINE_URL to a server.")
    return lm.backend.server
