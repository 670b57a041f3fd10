"""Tasks that need no loop: a score for each choice, or a vector, from one parallel pass.

To pick one of several answers the model does not have to write: one pass reads the prompt with
every choice behind it, and at every position says how likely the token is that stands there. The
chain rule does the rest. An embedding is the same pass, its last layer averaged.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from model.batch import score
from model.fast.engines import PLAIN, make_engine
from model.loading import LanguageModel
from model.masks import log_softmax
from model.passes import check_room, inputs_of, run_pass
from model.prefill_decode.experiments import Writing
from model.prefill_decode.records import Choice, Scoring, Timed
from model.tokenizing import encode, text_of

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


class ScoringExperiment:
    """One answer picked by scoring, and one written token by token, from the same prompt."""

    def __init__(
        self, lm: LanguageModel, prompt: str, choices: Sequence[str], n_written: int = 30
    ) -> None:
        """Reads the prompt and the choices.

        Raises:
            ValueError: One sentence with the remedy.
        """
        texts = [choice.strip() for choice in choices if choice.strip()]
        if len(texts) < 2 or len(set(texts)) < len(texts):
            raise ValueError("Give two different choices or more, one a line.")
        self.lm, self.texts = lm, texts
        self.prompt = encode(lm, prompt.rstrip())
        self.choices = [_continuation(lm, text) for text in texts]
        n_longest = len(self.prompt) + max(n_written, *map(len, self.choices))
        check_room(lm, n_longest, "shorten the prompt")
        engine = make_engine(lm, PLAIN, n_longest)
        self.writing = Writing(engine, self.prompt, _greedy)
        self.n_written = n_written
        self.n_done, self.n_total = 0, 2 * (N_RUNS + 1) + n_written
        self.doing, self.is_done = "scoring", False
        self._scores: list[float] = []
        self._times: tuple[list[float], list[float]] = ([], [])
        self._vector_size = 0

    def advance(self) -> None:
        """Runs the next pass; the first of each kind warms up."""
        n_each = N_RUNS + 1
        if self.n_done < 2 * n_each:
            is_score = self.n_done % 2 == 0
            self.doing = "scoring in one pass" if is_score else "one vector in one pass"
            seconds = self._score() if is_score else self._embed()
            if self.n_done >= 2:
                self._times[0 if is_score else 1].append(seconds)
        else:
            self.doing = "writing an answer"
            last = self.writing.advance()
            self.is_done = last in self.lm.end_ids
        self.n_done += 1
        self.is_done = self.is_done or self.n_done >= self.n_total

    def _score(self) -> float:
        self._scores, seconds = score_choices(self.lm, self.prompt, self.choices)
        return seconds

    def _embed(self) -> float:
        vector, seconds = embed(self.lm, self.prompt)
        self._vector_size = len(vector)
        return seconds

    @property
    def result(self) -> Scoring | None:
        """What was measured; None before an answer has begun."""
        if not self.writing.waits:
            return None
        per_token = np.array(
            [s / len(ids) for s, ids in zip(self._scores, self.choices, strict=True)]
        )
        shares = np.exp(log_softmax(per_token))
        return Scoring(
            choices=tuple(
                Choice(text, len(ids), score, float(share))
                for text, ids, score, share in zip(
                    self.texts, self.choices, self._scores, shares, strict=True
                )
            ),
            n_prompt=len(self.prompt),
            score_seconds=Timed(tuple(self._times[0])),
            vector_seconds=Timed(tuple(self._times[1])),
            vector_size=self._vector_size,
            written=self.writing.request,
            written_text=text_of(self.lm.tokenizer, self.writing.token_ids),
        )


def _greedy(logits: np.ndarray, _ids: Sequence[int]) -> int:
    return int(logits.argmax())


def _continuation(lm: LanguageModel, text: str) -> list[int]:
    """Encodes a choice as it would go on a text: a space before it, no token of a beginning."""
    tokenizer: Any = lm.tokenizer
    ids: list[int] = tokenizer(f" {text}", add_special_tokens=False)["input_ids"]
    if not ids:
        raise ValueError(f"The choice {text!a} has no tokens: type another.")
    return ids
