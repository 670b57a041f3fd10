"""A bad token, and what to do about it: leave it, or stop, go back to it and choose again.

Going back costs the tokens that are thrown away and one token that is read again; the tokens before
the bad one are kept, cache and all. This module knows `Generation`; it draws nothing.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import pairwise

from model.generation import Generation
from model.sampling import Settings
from model.snowball.records import SecondChoice
from model.tokenizing import known_ids, text_of


class RewindRun:
    """One bad token, met by waiting longer and longer before going back to it.

    Advances by one token of one of the ways; `choices` has the ways that are finished.
    """

    def __init__(
        self,
        start: Generation,
        bad_id: int,
        settings: Settings,
        n_tokens: int,
        waits: Sequence[int],
    ) -> None:
        """Copies the text; it stays as it is itself.

        Args:
            start: the text up to the place of the bad token.
            bad_id: the bad token.
            settings: how all ways choose.
            n_tokens: tokens that each way ends up with, from the bad place on.
            waits: tokens written before each stop, the bad one included.

        Raises:
            ValueError: where the text is finished, or a wait makes no sense.
        """
        if start.finished is not None:
            raise ValueError("The text is finished at this place: choose an earlier one.")
        if not waits or not all(1 <= wait <= n_tokens for wait in waits):
            raise ValueError(f"Stop after 1 to {n_tokens} tokens, the bad one included.")
        self.start, self.bad_id = start, known_ids(start.lm, [bad_id])[0]
        self.settings, self.n_tokens = settings, n_tokens
        self.waits: list[int | None] = [None, *sorted(set(waits))]
        self.choices: list[SecondChoice] = []
        self.never = start.fork()  # the text without the bad token, to compare with
        self._way: _Way | None = None
        self._n_done = 0

    @property
    def is_done(self) -> bool:
        """Whether every way has been gone."""
        return len(self.choices) == len(self.waits)

    @property
    def done(self) -> float:
        """The fraction of tokens that is written."""
        n_thrown = sum(wait for wait in self.waits if wait)
        return min(1.0, self._n_done / (self.n_tokens * (len(self.waits) + 1) + n_thrown))

    def advance(self) -> None:
        """Writes one token."""
        self._n_done += 1
        n_here = len(self.never.ids) - len(self.start.ids)
        if n_here < self.n_tokens and self.never.finished is None:
            self.never.step(self.settings)
            return
        if self._way is None:
            self._way = _Way(self, self.waits[len(self.choices)])
        self._way.advance()
        if self._way.is_done:
            self.choices.append(self._way.choice())
            self._way = None


class _Way:
    """One way: the bad token, some more tokens, perhaps back, and on to the end."""

    def __init__(self, run: RewindRun, wait: int | None) -> None:
        self.run, self.wait = run, wait
        self.text = run.start.fork()
        self.n_start = len(run.start.ids)
        self.n_thrown = self.n_passes = 0
        self.seconds = 0.0
        self.has_gone_back = wait is None

    @property
    def is_done(self) -> bool:
        """Whether the text has its length, or has ended, and nothing is left to take back."""
        is_full = len(self.text.ids) - self.n_start >= self.run.n_tokens
        return self.has_gone_back and (is_full or self.text.finished is not None)

    def advance(self) -> None:
        """Writes a token, or goes back to the bad one."""
        n_here = len(self.text.ids) - self.n_start
        is_at_stop = n_here == self.wait or self.text.finished is not None
        if not self.has_gone_back and n_here and is_at_stop:
            # rewind: all from the bad token on is thrown away, and the last that stays is read
            started = time.perf_counter()
            self.text.rewind(n_here)
            self.seconds += time.perf_counter() - started
            self.n_thrown, self.has_gone_back = n_here, True
            self.n_passes += 1
            return
        is_bad = n_here == 0 and not self.n_thrown
        # choose: the bad token once; then, and when choosing again, the coin
        self.text.step(self.run.settings, token_id=self.run.bad_id if is_bad else None)
        if self.text.finished is None:
            self.n_passes += 1
            self.seconds += self.text.last_pass.seconds

    def _name(self) -> str:
        if self.wait is None:
            return "leave it"
        return "at the end" if self.wait == self.run.n_tokens else f"stop after {self.wait}"

    def choice(self) -> SecondChoice:
        """Returns what this way came to."""
        steps = self.text.steps[self.n_start - self.text.n_prompt :]
        after = [step.logprob for step in steps[1:]]
        ids = [step.token_id for step in steps]
        pairs = list(pairwise(ids))
        never = self.run.never.ids[self.n_start :]
        return SecondChoice(
            name=self._name(),
            n_thrown=self.n_thrown,
            n_passes=self.n_passes,
            seconds=self.seconds,
            surprise=-sum(after) / max(1, len(after)),
            distinct=len(set(pairs)) / max(1, len(pairs)),
            text=text_of(self.text.lm.tokenizer, ids),
            is_restored=ids == never,
        )
