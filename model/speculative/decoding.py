"""Speculative decoding: a draft proposes some tokens, the target verifies them all in one pass.

A proposal is accepted with the probability min(1, target / draft). At the first rejection the
target draws from the residual distribution, max(0, target - draft); where all are accepted, it
adds one token of its own. So the text is distributed as if the target had written it alone, and
greedy text is the same text (Leviathan, Kalman and Matias 2211.17192; Chen et al. 2302.01318).
Both distributions are taken after the same masks.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from model.batch import Batch
from model.draw import draw_from, uniform_at
from model.language_model import LanguageModel
from model.passes import TOO_LONG_A_PROMPT, Logits, check_context
from model.records import Finish, FloatArray
from model.sampling import Settings, process
from model.speculative.drafting import Draft, Drafter, new_batch
from model.speculative.records import TokenSource

Purpose: TypeAlias = Literal["draft", "accept", "draw"]
PURPOSES: tuple[Purpose, ...] = ("draft", "accept", "draw")
GREEDY = Settings(temperature=0)


def accept_prob(target_prob: float, draft_prob: float) -> float:
    """Returns the probability with which a proposal is accepted: min(1, target / draft)."""
    return 1.0 if target_prob >= draft_prob else target_prob / draft_prob


def residual(target_probs: FloatArray, draft_probs: FloatArray) -> FloatArray:
    """Returns the residual distribution: max(0, target - draft), normalised.

    Where nothing is left but rounding, a rejection cannot have happened, and the target's own
    distribution is returned.
    """
    left = np.maximum(target_probs - draft_probs, 0.0)
    total = left.sum()
    probs: FloatArray = left / total if total > 0 else target_probs
    return probs


def overlap(target_probs: FloatArray, draft_probs: FloatArray) -> float:
    """Returns the chance that a proposal is accepted here: the sum of min(target, draft)."""
    return float(np.minimum(target_probs, draft_probs).sum())


@dataclass(frozen=True, eq=False)
class RoundOutcome:
    """One round as it went, with all that its figures are made of."""

    n_text: int  # tokens of the text before it
    draft: Draft
    rows: Logits  # (proposals + 1, vocab) the target's raw logits
    n_accepted: int
    token_ids: tuple[int, ...]  # what the text gained
    source: TokenSource | None  # None where an accepted end token ended the text
    reads: tuple[tuple[int, int, int], ...]  # target's, draft's cache: before, read, kept
    target_seconds: float
    seconds: float  # of the whole round

    @property
    def n_tested(self) -> int:
        """Proposals that were tested: the accepted ones, and the first rejected one.

        Behind an accepted end token nothing is tested: the text is over.
        """
        is_over = self.source is None
        return self.n_accepted if is_over else min(self.n_accepted + 1, len(self.draft.ids))

    @property
    def rejected_id(self) -> int | None:
        """The proposal that was rejected; those behind it were not tested."""
        return self.draft.ids[self.n_accepted] if self.n_tested > self.n_accepted else None


class Speculation:
    """One text that a draft and a target write together; both caches lack its last token."""

    def __init__(
        self,
        target: Batch,
        drafter: Drafter,
        ids: Sequence[int],
        settings: Settings = GREEDY,
        seed: int = 0,
        max_new_tokens: int = 1_000_000,
    ) -> None:
        """Lets the target read the prompt, all but its last token.

        Raises:
            ValueError: where there is no room after the prompt.
        """
        self.target, self.drafter, self.settings, self.seed = target, drafter, settings, seed
        self.ids, self.n_prompt = list(ids), len(ids)
        self.max_length = max_text_length(self.batches, len(ids), max_new_tokens)
        # the best raw token is taken, so that no distribution has to be made
        self._is_plain_greedy = settings.stage_names == ("greedy",)
        self.starts: list[int] = []  # length of the text before each round
        self.finished: Finish | None = "length" if self.max_length <= len(ids) else None
        if self.n_prompt > 1:
            for batch in self.batches:
                batch.read([self.ids[:-1]])

    def round(self, n_draft: int, *, adaptive: bool = False) -> RoundOutcome:
        """Runs one round: the text gains at least one token, and at most n_draft + 1."""
        started, n_text = time.perf_counter(), len(self.ids)
        before = self._n_read()
        # one token comes from the target itself: do not draft past the end
        n_draft = min(n_draft, self.max_length - n_text - 1)

        # propose: the draft writes some tokens, one after another
        draft = self.drafter.propose(self.ids, n_draft, self._propose, adaptive=adaptive)

        # verify: the target reads them all in one pass, and the token before them
        unread = [*self.ids[self.target.n_read :], *draft.ids]
        logits, target_seconds = self.target.read([unread], len(draft.ids) + 1)
        rows = logits[0]

        # accept: keep proposals up to the first that the pointer, or the best token, is against
        n_accepted, token_ids, source = self._judge(draft, rows)
        read = self._n_read()

        # append: what was accepted, and the target's own token
        self.starts.append(n_text)
        self.ids += token_ids
        self.finished = self._reason_to_stop()

        # crop: both caches forget what was rejected
        self._crop(min(n_text + n_accepted, len(self.ids) - 1))
        return RoundOutcome(
            n_text=n_text,
            draft=draft,
            rows=rows,
            n_accepted=n_accepted,
            token_ids=token_ids,
            source=source,
            reads=tuple(zip(before, read, self._n_read(), strict=True)),
            target_seconds=target_seconds,
            seconds=time.perf_counter() - started,
        )

    def back(self) -> None:
        """Takes the last round back; the same pointers will fall again."""
        del self.ids[self.starts.pop() :]
        self.finished = None
        self._crop(len(self.ids) - 1)

    def probs_of(self, row: Logits, ids: Sequence[int]) -> FloatArray:
        """Returns a distribution after the masks, (vocab,) float64."""
        return process(row, ids, self.settings, self.n_prompt)[-1].probs

    def pointer(self, position: int, purpose: Purpose) -> float:
        """Returns the pointer that falls at a position of the text for one of three purposes."""
        return uniform_at(self.seed, 3 * position + PURPOSES.index(purpose))

    def _propose(self, row: Logits, ids: Sequence[int]) -> tuple[int, FloatArray | None]:
        """Chooses as plain decoding would, from the draft's distribution."""
        if self._is_plain_greedy:
            return int(row.argmax()), None
        probs = self.probs_of(row, ids)
        return draw_from(probs, self.pointer(len(ids), "draft")), probs

    def _judge(self, draft: Draft, rows: Logits) -> tuple[int, tuple[int, ...], TokenSource | None]:
        """Returns the number accepted, what the text gains, and who chose its last token."""
        judge = self._match if self._is_plain_greedy else self._weigh
        n_accepted, drawn_id = judge(draft, rows)
        kept = draft.ids[:n_accepted]
        for place, token_id in enumerate(kept):
            if token_id in self.target.lm.end_ids:
                return place + 1, kept[: place + 1], None
        is_whole = n_accepted == len(draft.ids)
        return n_accepted, (*kept, drawn_id), "bonus" if is_whole else "residual"

    def _match(self, draft: Draft, rows: Logits) -> tuple[int, int]:
        """Greedy: a proposal is accepted where it is the target's best token."""
        best: list[int] = rows.argmax(axis=-1).tolist()
        pairs = zip(draft.ids, best, strict=False)
        n_accepted = next((i for i, (x, y) in enumerate(pairs) if x != y), len(draft.ids))
        return n_accepted, best[n_accepted]

    def _weigh(self, draft: Draft, rows: Logits) -> tuple[int, int]:
        """Sampled: accepts with min(1, target / draft), else draws from the residual."""
        text = list(self.ids)
        for place, token_id in enumerate(draft.ids):
            target_probs, draft_probs = self.probs_of(rows[place], text), draft.probs[place]
            assert draft_probs is not None
            at = len(text)
            chance = accept_prob(target_probs[token_id], draft_probs[token_id])
            if self.pointer(at, "accept") >= chance:
                left = residual(target_probs, draft_probs)
                return place, draw_from(left, self.pointer(at, "draw"))
            text.append(token_id)
        bonus = self.probs_of(rows[len(draft.ids)], text)
        return len(draft.ids), draw_from(bonus, self.pointer(len(text), "draw"))

    @property
    def batches(self) -> tuple[Batch, ...]:
        """The target's cache and the draft's, where it is a model."""
        return tuple(batch for batch in (self.target, self.drafter.batch) if batch is not None)

    def _n_read(self) -> tuple[int, ...]:
        return tuple(batch.n_read for batch in self.batches)

    def _crop(self, n_kept: int) -> None:
        """Takes both caches back to their first `n_kept` positions, where they hold more."""
        for batch in self.batches:
            batch.crop(max(0, batch.n_read - n_kept))

    def _reason_to_stop(self) -> Finish | None:
        if self.ids[-1] in self.target.lm.end_ids:
            return "eos"
        return "length" if len(self.ids) >= self.max_length else None


def decode_with_draft(
    lm: LanguageModel,
    drafter: Drafter,
    ids: Sequence[int],
    n_draft: int,
    n_tokens: int,
    *,
    adaptive: bool = False,
) -> tuple[list[int], list[RoundOutcome]]:
    """Writes greedily in rounds, and returns the whole text and its rounds."""
    text = Speculation(new_batch(lm), drafter, ids, max_new_tokens=n_tokens)
    rounds = []
    while text.finished is None:
        rounds.append(text.round(n_draft, adaptive=adaptive))
    return text.ids, rounds


def decode_baseline(target: Batch, ids: Sequence[int], n_tokens: int) -> tuple[list[int], float]:
    """Writes greedily without a draft, by the same passes and the same stop rules.

    Returns:
        The whole text, and the seconds of all after the prompt was read.
    """
    text, max_length = list(ids), max_text_length([target], len(ids), n_tokens)
    if len(text) > 1:
        target.read([text[:-1]])
    started = time.perf_counter()
    while len(text) < max_length:
        target.append(text[-1:])
        text.append(int(target.logits[0].argmax()))
        if text[-1] in target.lm.end_ids:
            break
    return text, time.perf_counter() - started


def max_text_length(batches: Sequence[Batch], n_prompt: int, max_new_tokens: int) -> int:
    """Returns the number of tokens at which a text is full: of contexts, the shorter one.

    Raises:
        ValueError: where the prompt fills a context.
    """
    max_length = n_prompt + max_new_tokens
    for batch in batches:
        check_context(batch.lm, n_prompt + 1, TOO_LONG_A_PROMPT)
        max_length = min(max_length, batch.lm.context_length or max_length)
    return max_length
