"""The texts that one tab has asked about on this server, found by their ids.

A request says all that it is about. Of the texts that are here, the one that begins most like it
is stepped, cropped or forked, and what is missing is read; who forgets all of them loses one
prefill and nothing else. Knows nothing of Streamlit or of the wire.
"""

import math
import time
from collections import OrderedDict
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from model.draw import rank_order, uniform_at
from model.generation import Generation, choose
from model.kv_cache import length_in_common
from model.loading import LanguageModel
from model.machine.turns import TURNS
from model.masks import log_softmax
from model.passes import check_context
from model.records import Distribution, FloatArray, Pass, Piece, Step
from model.sampling import process
from model.sentences import Sentence
from model.server.logits import EngineError
from model.tokenizing import (
    encode,
    encode_bare,
    encode_chat,
    explain_chat_difference,
    label,
    pieces,
)
from pages.home.text_request import TextRequest

MAX_TEXTS = 8
MIN_COMMON = 2  # tokens: with which most texts begin says nothing
MAX_STEP_SECONDS = 3.0  # that "+20 tokens" may keep the page waiting
MAX_SHARED_SECONDS = 0.1  # the same while others press: the page asks for the rest, in its turn
CHARACTERS_PER_TOKEN = 40  # of a prompt that is taken apart at all
MAX_CHARACTERS = 2_000_000
MAX_WORD = 16  # tokens, each of which may take a pass


@dataclass(frozen=True)
class TextAnswer:
    """What a request brought: the text as it stands, and what it took to get there."""

    generation: Generation
    steps: tuple[Step, ...]  # that were taken
    next_id: int | None  # that Next will append; None if the text is finished
    n_kept: int  # positions that were in the cache
    n_read: int  # positions that were read
    seconds: float  # of the passes that read them
    last_pass: Pass
    notice: str | None  # what the reader should know of it


@dataclass(frozen=True)
class Guess:
    """What the reader expects next, and what the model thinks of it."""

    text: str
    label: str  # of its first token
    rank: int  # 0 is the model's best
    prob: float  # raw softmax at temperature 1
    n_tokens: int  # pieces of the guess; only the first is compared


@dataclass(frozen=True)
class Word:
    """A word that the reader asks for, and how likely the model has it at a position."""

    text: str
    ids: list[int]  # of its tokens
    logprobs: list[float]  # of each after those before it, in nats, raw softmax at temperature 1


class Texts:
    """The engine of one tab: its names are those of `Generation`, and of the page's engines."""

    def __init__(self, lm: LanguageModel) -> None:
        """Begins with nothing read."""
        self.lm = lm
        self._by_number: OrderedDict[int, Generation] = OrderedDict()  # the longest idle first

    @property
    def generations(self) -> list[Generation]:
        """The texts that are here, the one that was asked about last at the end."""
        return list(self._by_number.values())

    @property
    def max_characters(self) -> int:
        """Of a prompt that the model may have room for."""
        return min(MAX_CHARACTERS, CHARACTERS_PER_TOKEN * (self.lm.context_length or 50_000))

    def tokenise(self, text: str, *, chat: bool = False) -> tuple[Piece, ...]:
        """Takes a text apart, in the model's chat template if that is asked.

        Raises:
            ValueError: It cannot be; one sentence.
        """
        ids = encode_chat(self.lm, text) if chat else encode(self.lm, text)
        return pieces(self.lm.tokenizer, ids)

    def prompt_of_run(self, text: str, ids: list[int]) -> tuple[tuple[Piece, ...], str | None]:
        """Takes the prompt of an earlier run apart, in the chat template of its day.

        Returns:
            Its tokens, and one sentence if the template gives other ids now.

        Raises:
            ValueError: The model has no room for it; one sentence.
        """
        check_context(self.lm, len(ids))
        return pieces(self.lm.tokenizer, ids), explain_chat_difference(self.lm, text, ids)

    def read(self, asked: TextRequest) -> TextAnswer:
        """Reads a text, as far as it is not in a cache here.

        Raises:
            ValueError: The model cannot take it; one sentence.
        """
        return self.step(asked, n_tokens=0)

    def step(
        self,
        asked: TextRequest,
        *,
        n_tokens: int = 1,
        token_id: int | None = None,
        next_seed: int | None = None,
    ) -> TextAnswer:
        """Appends tokens to a text: drawn under its settings, or the one that the reader forces.

        Args:
            asked: The text, and how its tokens are drawn.
            n_tokens: To append; fewer if the text ends or the time is over.
            token_id: That is forced.
            next_seed: Of the pointer of the token after these; by default the same.

        Raises:
            ValueError: The model cannot take it; one sentence.
        """
        n_kept, text = self._find(asked)
        n_read, seconds = text.cache_tokens - n_kept, text.last_pass.seconds
        seconds = seconds if n_read else 0.0
        notice = text.notice
        steps = list[Step]()
        text.seed, settings, begun = asked.seed, asked.controls.settings(), time.perf_counter()
        while len(steps) < n_tokens and text.finished is None:
            steps.append(text.step(settings, token_id=token_id))
            if text.finished is None:
                n_read += text.last_pass.n_input
                seconds += text.last_pass.seconds
            limit = MAX_SHARED_SECONDS if TURNS.has_company else MAX_STEP_SECONDS
            if time.perf_counter() - begun > limit:
                break
        text.seed = asked.seed if next_seed is None else next_seed
        next_id = None if text.finished else _next_id(text, asked)
        return TextAnswer(
            text, tuple(steps), next_id, n_kept, n_read, seconds, text.last_pass, notice
        )

    def logits_at(self, asked: TextRequest, position: int) -> Distribution:
        """Returns what the token at a position was drawn from, or a prompt's is held against.

        Raises:
            ValueError: No token stands there, or nothing stands before it; one sentence.
        """
        if not 0 <= position < len(asked.ids):
            raise ValueError(
                Sentence("There is no token at that position: choose one of those shown.")
            )
        if position == 0:
            raise ValueError(
                Sentence("Nothing stands before the first token, so nothing predicted it.")
            )
        _, text = self._find(asked)
        before = text.fork()
        before.turn_to(asked.ids[:position], min(asked.n_prompt, position))
        return before.distribution

    def weigh(self, asked: TextRequest, guess: str) -> Guess:
        """Returns the guess of a word with its rank and its probability at temperature 1.

        Raises:
            ValueError: There is no guess; one sentence with the remedy.
        """
        guess = guess.strip()
        if not guess:
            raise ValueError(Sentence("The guess is empty: write the word that you expect next."))
        encode(self.lm, guess)  # says what is wrong with half a character
        _, text = self._find(asked)
        ids, logits = _likelier_form(text, guess)
        weights = np.exp(logits - logits.max())
        return Guess(
            text=guess,
            label=label(self.lm.tokenizer, ids[0]),
            rank=int(np.flatnonzero(rank_order(logits) == ids[0])[0]),
            prob=math.exp(logits[ids[0]] - logits.max()) / float(weights.sum()),
            n_tokens=len(ids),
        )

    def score(self, asked: TextRequest, word: str, position: int) -> Word:
        """Returns a word with the log-probability of each of its tokens at a position of a text.

        A token after the first takes a pass of its own, on a copy of the text.

        Raises:
            ValueError: The word, or the position, cannot be taken; one sentence with the remedy.
        """
        word = word.strip()
        if not word:
            raise ValueError(
                Sentence("No word is written: write the one whose probability you want.")
            )
        encode(self.lm, word)  # says what is wrong with half a character
        if not 1 <= position <= len(asked.ids):
            raise ValueError(Sentence("The text has no such position: choose one of those shown."))
        _, found = self._find(asked)
        text = found.fork()
        text.turn_to(asked.ids[:position], min(asked.n_prompt, position))
        if text.finished:
            raise ValueError(
                Sentence("The text is finished, so nothing follows it: go back first.")
            )
        ids, logits = _likelier_form(text, word)
        if len(ids) > MAX_WORD:
            raise ValueError(
                Sentence(
                    "This is {n_tokens} tokens; at most {most} are read: write a shorter word.",
                    n_tokens=len(ids),
                    most=MAX_WORD,
                )
            )
        logprobs = [float(log_softmax(logits)[ids[0]])]
        for before, token_id in pairwise(ids):
            text.step(token_id=before)
            if text.finished:
                raise ValueError(
                    Sentence("The word does not fit before the end of the text: go back first.")
                )
            logprobs.append(float(log_softmax(text.logits_with([token_id]))[token_id]))
        return Word(word, ids, logprobs)

    def _find(self, asked: TextRequest) -> tuple[int, Generation]:
        """Returns a text with the ids of a request, and how many positions were in its cache.

        A text's own cache is cropped. What another text has read stays there, and is forked.
        """
        own = self._by_number.get(asked.number)
        # positions in each text's cache that these ids begin with; of equals, the text's own
        common = {
            text: length_in_common(text.ids[: text.cache_tokens], asked.ids)
            for text in [*([] if own is None else [own]), *self.generations]
        }
        best = max(common, key=lambda text: common[text], default=None)
        if best is None or common[best] < min(MIN_COMMON, len(asked.ids)):
            text = Generation(
                self.lm,
                asked.ids,
                asked.seed,
                stop=asked.stop,
                n_prompt=asked.n_prompt,
                memory=asked.memory,
            )
            n_kept = 0
        else:
            text = best if best is own else best.fork()
            text.stop = asked.stop
            n_kept = text.turn_to(asked.ids, asked.n_prompt, asked.memory)
        self._by_number[asked.number] = text
        self._by_number.move_to_end(asked.number)
        if len(self._by_number) > MAX_TEXTS:
            self._by_number.popitem(last=False)
        return n_kept, text


def _likelier_form(text: Generation, word: str) -> tuple[list[int], FloatArray]:
    """Returns the ids of a word and the logits of its first token, float64.

    A person does not say whether a space comes first: the form with the likelier token counts.
    """
    forms = [encode_bare(text.lm, form) for form in (word, f" {word}")]
    logits = text.logits_with([form[0] for form in forms]).astype(np.float64)
    return max(forms, key=lambda form: float(logits[form[0]])), logits


def _next_id(text: Generation, asked: TextRequest) -> int:
    """Chooses as the next step will, and appends nothing."""
    settings, pointer = asked.controls.settings(), uniform_at(text.seed, len(text.ids))
    try:
        stages = text.stages_for(settings, pointer=pointer)
    except EngineError:  # the press asks once more, and says why
        known = text.logits, text.ids, settings, text.n_prompt
        stages = process(*known, pointer, text.memory)
    return choose(stages, pointer)
