"""With a server's prefix cache and without it: requests that share it, and requests that may not.

vLLM lets requests share what their salts have in common: those of one text bear one salt, and a
request with a salt of its own finds nothing. This module asks the server; it runs no pass.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from uuid import uuid4

import numpy as np

from model.engine.sent import Sent
from model.job import Progress, Stopped, Work
from model.kv_cache.records import TimedStep
from model.loading import LanguageModel
from model.passes import check_room

N_BEST = 16  # log-probabilities that are compared


def race_over_server(
    lm: LanguageModel, ids: Sequence[int], n_tokens: int, n_runs: int = 3
) -> Work[tuple[TimedStep, ...]]:
    """Asks for one text token by token, with the prefix cache and without it, on the same ids.

    Args:
        lm: A model on a server.
        ids: How the text begins; at least one. It goes on by the best token, ends left out.
        n_tokens: Length at which the race ends.
        n_runs: Requests of each kind at each length, of which the median counts.

    Raises:
        ValueError: One sentence with the remedy.
    """
    check_room(lm, n_tokens, "choose fewer")
    text, steps, salt = list(ids[:1]), list[TimedStep](), uuid4().hex
    try:
        for n_read in range(1, n_tokens + 1):
            yield Progress(n_read - 1, n_tokens, look=lambda: tuple(steps))
            step, best = _ask_both(lm, text, salt, n_runs)
            steps.append(step)
            text.append(ids[n_read] if n_read < len(ids) else best)
    except Stopped:
        pass
    return tuple(steps)


def _ask_both(
    lm: LanguageModel, ids: Sequence[int], salt: str, n_runs: int
) -> tuple[TimedStep, int]:
    """Asks with the text's own salt, and with a fresh one, some times in turn."""
    server = lm.server
    assert server is not None
    cached, recomputed = list[float](), list[float]()
    for _ in range(n_runs):
        (ours,), seconds = server.expect([ids], N_BEST, salt)
        cached.append(seconds)
        (truth,), seconds = server.expect([ids], N_BEST, uuid4().hex)
        recomputed.append(seconds)
    step = TimedStep(
        n_tokens=len(ids),
        cached_seconds=median(cached),
        recomputed_seconds=median(recomputed),
        logit_gap=_gap(ours, truth),
        logit_scale=float(np.abs(truth.logprobs).max()),
        same_best=bool(ours.ids[ours.logprobs.argmax()] == truth.ids[truth.logprobs.argmax()]),
    )
    order = np.argsort(-truth.logprobs, kind="stable")
    best = next(int(i) for i in truth.ids[order] if int(i) not in lm.end_ids)
    return step, best


def _gap(first: Sent, second: Sent) -> float:
    """The largest difference among the tokens that both sides sent."""
    _, mine, its = np.intersect1d(first.ids, second.ids, return_indices=True)
    return float(np.abs(first.logprobs[mine] - second.logprobs[its]).max())
