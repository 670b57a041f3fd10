"""With a server's prefix cache and without it: requests that share it, and requests that may not.

vLLM lets requests share what their salts have in common: those of one text bear one salt, and a
request with a salt of its own finds nothing. This module asks the server; it runs no pass.
"""

from collections.abc import Sequence
from functools import partial
from uuid import uuid4

import numpy as np

from model.job import Work
from model.kv_cache.experiments import write_on_both_sides
from model.kv_cache.records import Race
from model.language_model import LanguageModel
from model.passes import Logits, check_context
from model.sentences import Sentence
from model.server.backend import server_of

N_BEST = 16  # log-probabilities that are compared


def race_over_server(
    lm: LanguageModel, ids: Sequence[int], n_tokens: int, n_runs: int = 3
) -> Work[Race]:
    """Asks for one text token by token, with the prefix cache and without it, on the same ids.

    Args:
        lm: A model on a server.
        ids: How the text begins; at least one.
        n_tokens: Length at which the race ends.
        n_runs: Requests of each kind at each length, of which the median counts.

    Raises:
        ValueError: One sentence with the remedy.
    """
    check_context(
        lm,
        n_tokens,
        Sentence(
            "{n_tokens} tokens are {number} more than the {limit} that {model} reads: choose fewer."
        ),
    )
    return (
        yield from write_on_both_sides(
            lm,
            list(ids[:1]),
            ids[1:n_tokens],
            n_tokens,
            n_runs,
            partial(_ask, lm, uuid4().hex),
            lambda text: _ask(lm, uuid4().hex, text),
        )
    )


def _ask(lm: LanguageModel, salt: str, text: Sequence[int]) -> tuple[Logits, float]:
    """Asks with a salt for the best log-probabilities; the others stay unknown."""
    (sent,), seconds = server_of(lm).expect([text], N_BEST, salt)
    logits = np.full(lm.vocab_size, np.nan, dtype=np.float32)
    logits[sent.ids] = sent.logprobs
    return logits, seconds
