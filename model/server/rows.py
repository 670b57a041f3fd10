"""Texts side by side over a server: the logits that one pass over them would give."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from model.server.client import Server
from model.server.sent import spread


def read_rows(
    server: Server, vocab_size: int, rows: Sequence[Sequence[int]], n_logits: int
) -> tuple[npt.NDArray[np.float32], float]:
    """Asks what follows each of the last positions of some texts; 0 for all positions.

    The token that did follow is among what is asked for.

    Returns:
        (rows, positions, vocab) logits and the seconds from the first request to the last answer.
    """
    n_best = server.n_best(vocab_size)
    ends = [
        (i, n) for i, row in enumerate(rows) for n in range(len(row) + 1)[-(n_logits or len(row)) :]
    ]
    sent, seconds = server.expect([rows[i][:n] for i, n in ends], n_best)
    if n_logits != 1 and n_best < vocab_size:
        scores, more = server.score(rows)
        seconds += more
        sent = [
            part.with_others(rows[i][n : n + 1], scores[i][n - 1 : n])
            for (i, n), part in zip(ends, sent, strict=True)
        ]
    logits = np.stack([spread(part, vocab_size) for part in sent])
    return logits.reshape(len(rows), -1, vocab_size), seconds
