"""The same tokens predicted from more and more context, by one model and by others.

Loss by position mixes two things: how much a model has seen, and how hard the text is there. Here
the tokens to be predicted stay the same and only the number of tokens before them changes.
"""

from collections.abc import Sequence

import numpy as np

from model.batch import Batch
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.snowball.records import ContextLoss, Floats
from model.tokenizing import shares_vocabulary

MAX_TOKENS = 4_096  # in one pass


def measure_context_loss(
    models: Sequence[LanguageModel],
    documents: Sequence[Sequence[int]],
    contexts: Sequence[int],
    n_targets: int = 48,
) -> Work[ContextLoss]:
    """Predicts some tokens from ever longer contexts; short ones first, so that curves grow.

    The targets are evenly spread over the held-out documents, each with the longest context before
    it; contexts that are longer than a model reads are left out.

    Raises:
        ValueError: where the models have different tokens, or no text or model is long enough.
    """
    if not all(shares_vocabulary(models[0], lm) for lm in models):
        raise ValueError("Models with different tokens cannot be compared token for token.")
    limits = [lm.context_length for lm in models if lm.context_length is not None]
    fitting = tuple(n for n in contexts if n <= min([*limits, max(contexts)]))
    targets = _spread_targets(documents, fitting[-1], n_targets)
    n_done, n_all = 0, len(models) * len(targets) * sum(fitting)
    losses = {lm.name: np.full((len(targets), len(fitting)), np.nan) for lm in models}
    sizes = {lm.name: lm.n_parameters for lm in models}

    def look() -> ContextLoss:
        return ContextLoss(fitting, {name: rows.copy() for name, rows in losses.items()}, sizes)

    for column, n_context in enumerate(fitting):
        n_rows = max(1, MAX_TOKENS // n_context)
        for lm in models:
            for first in range(0, len(targets), n_rows):
                yield Progress(n_done, n_all, f"tokens read by {lm.shown}", look)
                rows = slice(first, first + n_rows)
                losses[lm.name][rows, column] = predict(lm, documents, targets[rows], n_context)
                n_done += n_context * len(targets[rows])
    return look()


def _spread_targets(
    documents: Sequence[Sequence[int]], n_context: int, n_targets: int
) -> list[tuple[int, int]]:
    """Returns evenly spread places, each a document and an index, with so many tokens before."""
    places = [
        (document, index)
        for document, ids in enumerate(documents)
        for index in range(n_context, len(ids))
    ]
    if not places:
        raise ValueError(f"No text has more than {n_context} tokens before a token.")
    spread = np.linspace(0, len(places) - 1, min(n_targets, len(places))).astype(int)
    return [places[i] for i in spread]


def predict(
    lm: LanguageModel,
    documents: Sequence[Sequence[int]],
    targets: Sequence[tuple[int, int]],
    n_context: int,
) -> Floats:
    """Returns the loss of some tokens, each predicted from as many before it, by one pass."""
    rows = [documents[document][index - n_context : index] for document, index in targets]
    expected = Batch(lm, rows).logprobs
    true_ids = [documents[document][index] for document, index in targets]
    losses: Floats = -expected[np.arange(len(rows)), true_ids]
    return losses
