"""Drafts of speculative decoding: who proposes the next tokens, and how many.

A small model with the target's tokenizer (2211.17192, 2302.01318), or no model at all: prompt
lookup copies what followed the same words earlier in the text.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias

import numpy as np

from model.batch import Batch, check_crop
from model.draw import best_except
from model.language_model import LanguageModel
from model.masks import log_softmax
from model.passes import Logits
from model.records import FloatArray

MAX_DRAFT = 8  # tokens in a round
MIN_CONFIDENCE = 0.25  # in all that was proposed in a round: below, an adaptive draft stops
MAX_MATCH = 3  # tokens of the end of the text that prompt lookup looks for

# from raw logits and the text before to the token that is proposed and its distribution, which
# is None where only the best token counts
Choose = Callable[[Logits, Sequence[int]], tuple[int, FloatArray | None]]


@dataclass(frozen=True, eq=False)
class Draft:
    """What was proposed in one round."""

    ids: tuple[int, ...]
    probs: tuple[FloatArray | None, ...]  # what each was drawn from, (vocab,); None when greedy
    seconds: float  # of the passes
    n_steps: int  # passes


def new_batch(lm: LanguageModel) -> Batch:
    """Returns a text of one row of which nothing is read, and whose end can be cropped.

    Raises:
        ValueError: where what was read cannot be taken back; one sentence with the remedy.
    """
    if lm.kind != "causal":
        raise ValueError(f"{lm.shown} is a {lm.kind} model: choose a causal one.")
    check_crop(lm)
    return Batch(lm, by_hand=True)


class ModelDraft:
    """A small model that writes ahead, token by token."""

    def __init__(self, lm: LanguageModel, width: int) -> None:
        """Begins with nothing read; its logits will be as wide as the target's."""
        self.name, self.batch, self.width = lm.name, new_batch(lm), width

    def propose(self, ids: Sequence[int], n: int, choose: Choose, *, adaptive: bool) -> Draft:
        """Writes up to n tokens; an adaptive draft stops when it is no longer confident."""
        text, batch, confidence = list(ids), self.batch, 1.0
        probs, seconds = [], 0.0
        for _ in range(n):
            # read: what the draft has not read, at least its own last proposal
            rows, spent = batch.read([text[batch.n_read :]])
            row = fit(rows[0, 0], self.width)
            seconds += spent
            # propose: as plain decoding would
            token_id, drawn_from = choose(row, text)
            text.append(token_id)
            probs.append(drawn_from)
            # stop: by the draft's own confidence, never by what it drew
            if adaptive:
                confidence *= float(np.exp(log_softmax(row).max()))
                if confidence < MIN_CONFIDENCE:
                    break
        return Draft(tuple(text[len(ids) :]), tuple(probs), seconds, len(probs))


class PromptLookup:
    """No model: what followed the same words earlier in the text will follow again."""

    name = "prompt lookup"
    batch = None  # no model is asked

    def __init__(self, width: int) -> None:
        self.width = width

    def propose(self, ids: Sequence[int], n: int, choose: Choose, *, adaptive: bool) -> Draft:
        """Copies up to n tokens, each with the whole distribution on it."""
        del choose, adaptive  # it chooses nothing, and copies as far as it may
        found = look_up(ids, n)
        probs = tuple(one_hot(token_id, self.width) for token_id in found)
        return Draft(found, probs, 0.0, 0)


class ForcedDraft:
    """A draft whose passes run as ever while its tokens are replaced: best case or worst case."""

    def __init__(self, inner: ModelDraft, truth: Sequence[int], *, is_right: bool) -> None:
        """Takes the text that greedy decoding will write, prompt included."""
        self.name, self.batch = inner.name, inner.batch
        self._inner, self._truth, self._is_right = inner, list(truth), is_right

    def propose(self, ids: Sequence[int], n: int, choose: Choose, *, adaptive: bool) -> Draft:
        """Lets the draft work, and hands on what the target will say, or what it will not."""
        del adaptive
        wanted = iter(self._truth[len(ids) :])

        def replace(row: Logits, text: Sequence[int]) -> tuple[int, None]:
            best = next(wanted, None)
            own = choose(row, text)[0]
            if best is None:
                return own, None
            return (best if self._is_right else best_except(row, [best])), None

        return self._inner.propose(ids, n, replace, adaptive=False)


Drafter: TypeAlias = ModelDraft | PromptLookup | ForcedDraft


def look_up(ids: Sequence[int], n: int) -> tuple[int, ...]:
    """Returns what followed the last occurrence of the text's last words, at most n tokens.

    The longest end of the text that occurs before is looked for, three tokens down to one.
    """
    text = list(ids)
    for length in range(MAX_MATCH, 0, -1):
        end = text[-length:]
        for start in range(len(text) - length - 1, -1, -1):
            if text[start : start + length] == end:
                return tuple(text[start + length : start + length + n])
    return ()


def fit(row: Logits, width: int) -> Logits:
    """Cuts a row of logits to a width, or fills it up with tokens that cannot come."""
    if len(row) == width:
        return row
    return np.pad(row[:width], (0, max(0, width - len(row))), constant_values=-np.inf)


def one_hot(token_id: int, width: int) -> FloatArray:
    """Returns a distribution that is all on one token."""
    probs = np.zeros(width)
    probs[token_id] = 1.0
    return probs


def check_pair(target: LanguageModel, draft: LanguageModel) -> None:
    """Refuses a draft whose tokens are not the target's.

    Raises:
        ValueError: names the ids that differ.
    """
    tokens = [
        lm.tokenizer.convert_ids_to_tokens(list(range(len(lm.tokenizer)))) for lm in (target, draft)
    ]
    wrong = [i for i, (ours, theirs) in enumerate(zip_longest(*tokens)) if ours != theirs]
    if not wrong:
        return
    first = wrong[0]
    ours, theirs = (repr(names[first]) if first < len(names) else "nothing" for names in tokens)
    listed = ", ".join(str(i) for i in wrong[:3])
    more = f" and {len(wrong) - 3:,} more" if len(wrong) > 3 else ""
    raise ValueError(
        f"{draft.name} has another tokenizer than {target.name}: ids {listed}{more} differ "
        f"({first} is {ours} here and {theirs} there). Choose a draft with the same tokenizer, or "
        "prompt lookup."
    )
