"""Tasks that need no loop: a score for each choice, or a vector, from one parallel pass.

To pick one of several answers the model does not have to write: one pass reads the prompt with
every choice behind it, and at every position says how likely the token is that stands there. The
chain rule does the rest. An embedding is the same pass, its last layer averaged.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from model.batch import score
from model.fast.engines import PLAIN, make_engine
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.masks import log_softmax
from model.passes import TOO_LONG_A_PROMPT, check_context, inputs_of, run_pass
from model.prefill_decode.experiments import TimedToken, request_of, stream
from model.prefill_decode.records import ScoredAnswer, Scoring, Timed
from model.tokenizing import encode, encode_bare, text_of

N_RUNS = 5


def score_choices(
    lm: LanguageModel, prompt: Sequence[int], choices: Sequence[Sequence[int]]
) -> tuple[list[float], float]:
    """Scores each choice after a prompt, all of them in one pass.

    Args:
        lm: The model.
        prompt: Ids.
        choices: Ids of each choice, at least one.

    Returns:
        The log-probability of each choice, nats, and the seconds that the pass took.
    """
    logprobs, seconds = score(lm, prompt, choices)
    # chain rule: the log-probability of a choice is the sum of those of its tokens
    return [float(row.sum()) for row in logprobs], seconds


def embed(lm: LanguageModel, ids: Sequence[int]) -> tuple[np.ndarray, float]:
    """Returns one vector for a text, the mean of its last layer, (hidden,), and the seconds."""
    body: Any = lm.model.base_model
    inputs = inputs_of(lm, [ids], part=body)
    vector, seconds = run_pass(
        lm, len(ids), lambda: body(**inputs).last_hidden_state[0].float().mean(0)
    )
    return vector, seconds


def score_and_write(
    lm: LanguageModel, prompt: str, choices: Sequence[str], n_written: int = 30
) -> Work[Scoring]:
    """Picks one answer by scoring, and writes one token by token, after the same prompt.

    Raises:
        ValueError: One sentence with the remedy.
    """
    texts = [choice.strip() for choice in choices if choice.strip()]
    if len(texts) < 2 or len(set(texts)) < len(texts):
        raise ValueError("Give two different choices or more, one a line.")
    ids, choice_ids = encode(lm, prompt.rstrip()), [_continuation(lm, text) for text in texts]
    n_longest = len(ids) + max(n_written, *map(len, choice_ids))
    check_context(lm, n_longest, TOO_LONG_A_PROMPT)
    writing = stream(
        make_engine(lm, PLAIN, n_longest), ids, lambda logits, _ids: int(logits.argmax())
    )
    n_passes = 2 * (N_RUNS + 1)
    n_total = n_passes + n_written
    scored, embedded, tokens = list[float](), list[float](), list[TimedToken]()

    def measured() -> Scoring:
        return Scoring(
            choices=_compare(texts, choice_ids, scores),
            n_prompt=len(ids),
            score_seconds=Timed(tuple(scored[1:])),
            vector_seconds=Timed(tuple(embedded[1:])),
            vector_size=len(vector),
            written=request_of(len(ids), tokens),
            written_text=text_of(lm.tokenizer, [token_id for token_id, _ in tokens]),
        )

    # score, embed: in one pass each; the first of either warms up
    for n_done in range(0, n_passes, 2):
        yield Progress(n_done, n_total, "scoring in one pass")
        scores, seconds = score_choices(lm, ids, choice_ids)
        scored.append(seconds)
        yield Progress(n_done + 1, n_total, "one vector in one pass")
        vector, seconds = embed(lm, ids)
        embedded.append(seconds)
    # write: a pass for each token
    for n_done in range(n_passes, n_total):
        yield Progress(n_done, n_total, "writing an answer", measured if tokens else None)
        tokens.append(next(writing))
        if tokens[-1][0] in lm.end_ids:
            break
    return measured()


def _compare(
    texts: Sequence[str], choice_ids: Sequence[Sequence[int]], scores: Sequence[float]
) -> tuple[ScoredAnswer, ...]:
    """Shares out the choices by log-probability per token, so that a longer one is no worse off."""
    lengths = [len(ids) for ids in choice_ids]
    shares = np.exp(log_softmax(np.array(scores) / lengths))
    rows = zip(texts, shares, strict=True)
    return tuple(ScoredAnswer(text, float(share)) for text, share in rows)


def _continuation(lm: LanguageModel, text: str) -> list[int]:
    """Encodes a choice as it would go on a text: a space before it, no token of a beginning."""
    ids = encode_bare(lm, f" {text}")
    if not ids:
        raise ValueError(f"The choice {text!a} has no tokens: type another.")
    return ids
