"""One text being written: prefill, then one token after another, back and forth.

`Generation.step` is the loop of every language model. The rest keeps its promises: ids are the
state; the cache holds what the model has read; the pointer depends on seed and position alone; what
fails leaves the text as it was. This module knows no page and draws nothing.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Callable, Collection, Sequence
from dataclasses import replace
from typing import Concatenate, ParamSpec, TypeVar

import numpy as np
from transformers import DynamicCache

from model.draw import MAX_HELD, candidates, draw, place_of, summarise, uniform_at
from model.kv_cache import length_in_common
from model.language_model import CachedText, LanguageModel
from model.passes import Logits, PassError, check_context, max_length
from model.records import NO_MEMORY, Distribution, Finish, IntArray, Memory, Pass, Stage, Step
from model.sampling import Settings, process
from model.stopping import NO_STOP, StopStrings, refuse_if_finished
from model.tokenizing import encode, known_ids, label, newest_bytes, text_of
from model.weights.check import check_causal

__all__ = ["Generation", "PassError", "choose"]

P = ParamSpec("P")
R = TypeVar("R")

NEUTRAL = Settings()
_MAX_EXACT = 65_536  # logits that a record holds whole; of more, the best ones and a histogram


def choose(stages: Sequence[Stage], pointer: float) -> int:
    """Returns the token on which the pointer falls in the last stage's distribution."""
    return draw(stages[-1], pointer)


def all_or_nothing(
    method: Callable[Concatenate[Generation, P], R],
) -> Callable[Concatenate[Generation, P], R]:
    """Makes a method of Generation leave the text as it was if it fails halfway."""

    @functools.wraps(method)
    def safely(self: Generation, /, *args: P.args, **kwargs: P.kwargs) -> R:
        ids, steps, finished = list(self.ids), list(self.steps), self.finished
        n_prompt, memory = self.n_prompt, self._earlier_memory
        self._n_refilled = 0  # what was to be noticed was of the action before
        try:
            return method(self, *args, **kwargs)
        except BaseException:
            if self.ids != ids:
                self.cached.drop_cache()  # it may hold half a pass: the next one reads all again
            self.ids, self.steps, self.finished = ids, steps, finished
            self.n_prompt, self._earlier_memory = n_prompt, memory
            raise

    return safely


class Generation:
    """One text being written by one model: its ids, its cache, its pointer.

    Attributes:
        lm: the model, shared; its lock is held during each pass.
        ids: prompt and generated tokens; the text is a view of them.
        n_prompt: how many of them are the prompt.
        steps: one record per generated token.
        seed: gives the pointer, together with a position.
        finished: None, or why: "eos" (an end token), "stop" (a stop string), "length" (no room).
        cached: what was read of the text, and is kept of it.
        logits: (vocab,) float32, raw, for the next position; once finished, those of the last one.
    """

    def __init__(
        self,
        lm: LanguageModel,
        prompt: str | Sequence[int],
        seed: int = 0,
        max_new_tokens: int | None = None,
        *,
        stop: StopStrings | str | Sequence[str] = NO_STOP,
        n_prompt: int | None = None,
        memory: Memory = NO_MEMORY,
        cached: CachedText | None = None,
    ) -> None:
        """Takes a prompt and reads it: the prefill runs here.

        Args:
            lm: a model of the causal kind.
            prompt: a text, or ids, which are taken as they are.
            seed: any whole number.
            max_new_tokens: where to stop; None for as far as the model's context goes.
            stop: strings that end the text once one of them is complete in what was generated.
            n_prompt: how many of the ids are the prompt's, if the others were generated earlier.
            memory: of mirostat, from those that were generated earlier.
            cached: that reads it; by default as the model's backend does.

        Raises:
            ValueError: where the model or the prompt will not do; the message says what will.
        """
        check_causal(lm.kind, lm.shown)
        self.lm = lm
        self.ids = encode(lm, prompt) if isinstance(prompt, str) else known_ids(lm, prompt)
        self.n_prompt = len(self.ids) if n_prompt is None else n_prompt
        self._earlier_memory = memory
        self.steps: list[Step] = []
        self.seed = seed
        self.stop = StopStrings.of(stop)
        self._n_most = max_length(lm, self.n_prompt, max_new_tokens)
        self.finished = self._reason_to_stop()
        self.logits: Logits = np.zeros(0, dtype=np.float32)
        self._distribution: Distribution | None = None
        self._stages: tuple[tuple[Settings, float, int | None], tuple[Stage, ...]] | None = None
        self.cached = lm.backend.new_text(lm) if cached is None else cached
        self._n_refilled = 0
        self._passes = [self._read()]  # one for each token, drawn or to be drawn

    @all_or_nothing
    def step(self, settings: Settings = NEUTRAL, token_id: int | None = None) -> Step:
        """Writes one token: the pointer's under these settings, or the one that the reader forces.

        Raises:
            ValueError: where the text is finished or the model has no such token.
        """
        refuse_if_finished(self.finished)

        # Cut: turn the raw logits, stage by stage, into the distribution to draw from
        stages = self.stages_for(settings, token_id=token_id)

        # Draw: let the pointer fall on one token, unless the reader forces one
        is_forced = token_id is not None
        chosen_id = known_ids(self.lm, [token_id])[0] if is_forced else choose(stages, self.pointer)

        # Append: the text grows by that token, on record with all that it was drawn from
        step = self._record(stages, settings, chosen_id, is_forced)
        self.ids.append(chosen_id)
        self.steps.append(step)

        # Stop: after an end token or a stop string, or where there is no room for another
        self.finished = self._reason_to_stop()

        # Read: the new token alone, as all before it is in the cache
        if self.finished is None:
            # Score: the pass ends in a logit for every token of the vocabulary
            self._passes.append(self._read())
        return step

    @all_or_nothing
    def rewind(self, n_tokens: int = 1) -> None:
        """Takes the last tokens back, so that the text stands as it did before them.

        The cache is cropped to one less than what remains, and the last token that remains is run
        again for its logits. Where a cache cannot be cropped, all is read again and `notice` says
        so.

        Raises:
            ValueError: where it would reach into the prompt.
        """
        if not 0 <= n_tokens <= len(self.steps):
            raise ValueError(
                f"The text can go back by 0 to {len(self.steps)} tokens, not by {n_tokens}: "
                "the prompt stays; start a new text to change it."
            )
        if n_tokens == 0:
            return
        del self.ids[-n_tokens:], self.steps[-n_tokens:]
        self.finished = self._reason_to_stop()
        self._n_refilled = 0 if self.cached.crop(len(self.ids) - 1) else len(self.ids)
        self._read()
        del self._passes[len(self.steps) + 1 :]

    @all_or_nothing
    def turn_to(self, ids: Sequence[int], n_prompt: int, memory: Memory = NO_MEMORY) -> int:
        """Makes this the text with these ids; of what was read, their common beginning stays.

        Returns:
            The number of positions that stayed in the cache; the newest pass read the others.

        Raises:
            ValueError: where the model cannot take these ids.
        """
        ids = known_ids(self.lm, ids)
        check_context(self.lm, len(ids))
        n_read = self.cached.n_read
        n_common = length_in_common(self.ids[:n_read], ids)
        if (ids, n_prompt, memory) != (self.ids, self.n_prompt, self.memory):
            self._stages = None
        self.ids, self.n_prompt, self.steps = ids, n_prompt, []
        self._earlier_memory = memory
        self.finished = self._reason_to_stop()
        n_kept, n_to_read = n_read, self._n_to_read
        if not n_common == n_read == n_to_read:
            # the last token has to be read again for its logits
            n_kept = min(n_common, n_to_read - 1)
            if n_kept < n_read and not self.cached.crop(n_kept):
                self._n_refilled = n_to_read
            self._passes = [self._read()]
            n_kept = n_to_read - self.last_pass.n_input
        # a token of the prompt is prefill, were it but one
        last = self.last_pass
        self._passes = [replace(last, phase="prefill") if n_to_read <= n_prompt else last]
        return n_kept

    def fork(self, seed: int | None = None) -> Generation:
        """Returns an independent copy that goes on by the same pointers, or a new seed's."""
        twin = copy.copy(self)
        twin.ids, twin.steps, twin._passes = list(self.ids), list(self.steps), list(self._passes)
        twin.cached = self.cached.fork()
        twin.seed = self.seed if seed is None else seed
        return twin

    def logits_for(
        self, settings: Settings, *, pointer: float | None = None, token_id: int | None = None
    ) -> Logits:
        """Returns the raw logits; a server is asked for what it left out and a step needs of it.

        Args:
            settings: of the step.
            pointer: that is to fall; by default the one of this position.
            token_id: that is to be forced instead.
        """
        pointer = self.pointer if pointer is None else pointer
        return self._take(
            self.cached.request_step(
                self.ids, self.n_prompt, settings, pointer, token_id, memory=self.memory
            )
        )

    def all_logits(self) -> Logits:
        """Returns the raw logits; a server is asked for all that it left out."""
        return self._take(self.cached.request_all(self.ids))

    def logits_with(self, token_ids: Collection[int]) -> Logits:
        """Returns the raw logits; a server is asked for these tokens where it left them out."""
        return self._take(self.cached.request_logprobs(self.ids, token_ids))

    def stages_for(
        self, settings: Settings, *, pointer: float | None = None, token_id: int | None = None
    ) -> tuple[Stage, ...]:
        """Returns what the settings make of the logits; the step that follows draws from the same.

        The arguments are those of `logits_for`.
        """
        asked = settings, self.pointer if pointer is None else pointer, token_id
        if self._stages is not None and self._stages[0] == asked:
            return self._stages[1]
        logits = self.logits_for(settings, pointer=asked[1], token_id=token_id)
        stages = process(logits, self.ids, settings, self.n_prompt, asked[1], self.memory)
        # of a large vocabulary they are megabytes, which an idle text should not hold
        self._stages = (asked, stages) if len(logits) <= _MAX_EXACT else None
        return stages

    @property
    def passes(self) -> tuple[Pass, ...]:
        """The prefill and every decode pass after it, the one for the next token included."""
        return tuple(self._passes)

    @property
    def last_pass(self) -> Pass:
        """The pass that made the logits; after a rewind, the one that made them first."""
        return self._passes[-1]

    @property
    def prompt_ids(self) -> list[int]:
        """The ids of the prompt."""
        return self.ids[: self.n_prompt]

    @property
    def text(self) -> str:
        """All of the text without special tokens; an unfinished last character is left out."""
        return text_of(self.lm.tokenizer, self.ids)

    @property
    def stopped_by(self) -> str | None:
        """The stop string that the last token completes."""
        return self.stop.completed(newest_bytes(self.lm.tokenizer, self.ids, self.n_prompt))

    @property
    def pointer(self) -> float:
        """The pointer for the next position, in [0, 1)."""
        return uniform_at(self.seed, len(self.ids))

    @property
    def memory(self) -> Memory:
        """What mirostat remembers of the text: it follows from the tokens that were drawn."""
        return self.steps[-1].next_memory if self.steps else self._earlier_memory

    @property
    def logprob(self) -> float:
        """Log-probability of the steps, in nats, by the raw softmax at temperature 1."""
        return self.steps[-1].text_logprob if self.steps else 0.0

    @property
    def distribution(self) -> Distribution:
        """The raw logits for the next position, as a record."""
        if self._distribution is None:
            limit = _MAX_EXACT if len(self.logits) <= _MAX_EXACT else MAX_HELD
            self._distribution = self._summary(limit)
        return self._distribution

    @property
    def cache(self) -> DynamicCache | None:
        """What the model keeps of the text, read again if it was dropped; not to be written to."""
        return self.cached.cache

    @property
    def cache_tokens(self) -> int:
        """Positions that the cache holds."""
        return self.cached.n_read

    @property
    def cache_bytes(self) -> int:
        """Bytes of those positions."""
        return self.cached.bytes_in_use

    @property
    def bytes_held(self) -> int:
        """Bytes of the storage behind the cache: whole blocks, and what a crop left empty."""
        return self.cached.bytes_held

    @property
    def notice(self) -> str | None:
        """What the reader should know of the last action, in one sentence; None if nothing."""
        if not self.cached.keeps_cache:
            plain = f"{self.lm.shown} keeps no cache, so every token reads the whole text again."
            return self.lm.weights.caveat or plain
        if self._n_refilled:
            n = self._n_refilled
            return f"The cache of {self.lm.shown} cannot be cropped: {n} tokens were read again."
        return None

    def _take(self, logits: Logits) -> Logits:
        """Takes the raw logits; where a server sent more of them, what was made of fewer goes."""
        if logits is not self.logits:
            self.logits, self._distribution, self._stages = logits, None, None
        return logits

    def _read(self) -> Pass:
        """Lets the model read what it has not read of the text: all of it, or its last token."""
        self.logits, one_pass = self.cached.read(self.ids[: self._n_to_read])
        self._distribution = self._stages = None
        return one_pass

    @property
    def _n_to_read(self) -> int:
        """Tokens of the text that a pass reads: no pass runs after the end of a generated text."""
        n_ids = len(self.ids)
        return n_ids - 1 if self.finished is not None and n_ids > self.n_prompt else n_ids

    def _record(
        self, stages: Sequence[Stage], settings: Settings, token_id: int, is_forced: bool
    ) -> Step:
        """Writes down a token with the distribution that it was drawn from."""
        raw, last = stages[0], stages[-1]
        rows = candidates(stages, functools.partial(label, self.lm.tokenizer), token_id)
        chosen = next(row for row in rows if row.token_id == token_id)
        # of the logits: the probability itself may underflow
        logprob = float(self.logits[token_id] - raw.best_scores[0] + np.log(raw.best_probs[0]))
        return Step(
            position=len(self.ids),
            token_id=token_id,
            text=chosen.label,
            forced=is_forced,
            pointer=self.pointer,
            prob=chosen.probs[0],
            logprob=logprob,
            text_logprob=self.logprob + logprob,
            rank=place_of(self.cached.ranked(), token_id),
            entropy=raw.entropy,
            chosen_prob=chosen.probs[-1],
            candidates=rows,
            stage_names=tuple(stage.name for stage in stages),
            n_kept=last.order.size,
            distribution=self._summary(MAX_HELD, raw.order),
            phase=self.last_pass.phase,
            seconds=self.last_pass.seconds,
            n_input=self.last_pass.n_input,
            is_shared=self.last_pass.is_shared,
            cache_tokens=self.last_pass.cache_tokens,
            cache_bytes=self.last_pass.cache_bytes,
            memory=self.memory.under(settings.target),
        )

    def _summary(self, limit: int, order: IntArray | None = None) -> Distribution:
        """Returns the raw logits as a record, at most so many one by one."""
        held = summarise(self.logits, self.cached.n_known(limit), order=order)
        return replace(held, n_unsent=self.cached.n_unsent)

    def _reason_to_stop(self) -> Finish | None:
        """Tells why no token can follow; an end token in the prompt ends nothing."""
        if len(self.ids) > self.n_prompt and self.ids[-1] in self.lm.end_ids:
            return "eos"
        if self.stopped_by is not None:
            return "stop"
        return "length" if self._n_most is not None and len(self.ids) >= self._n_most else None
