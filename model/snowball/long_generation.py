"""Texts that are made to go on to a length: surprise and repeats, position by position.

A story that could end would end; so the end tokens are taken out before each draw. Texts written by
people are read beside them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from model.batch import Batch, score
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.sampling import Settings
from model.snowball.records import Bools, LongTexts
from model.tokenizing import text_of

PHRASE = 4  # tokens that make a repeat
ENDING = 60  # tokens of a text's end that are shown


@dataclass(frozen=True)
class TextKind:
    """One way to write, and how often it is tried."""

    name: str
    settings: Settings
    n_texts: int


def generate_long(
    lm: LanguageModel,
    prompt_ids: Sequence[int],
    kinds: Sequence[TextKind],
    n_tokens: int,
    human: Sequence[Sequence[int]],
    human_name: str,
) -> Work[LongTexts]:
    """Writes several long texts side by side, and reads texts by people beside them.

    Each text has `n_tokens`, prompt included; those by people are cut to that length.

    Raises:
        ValueError: where the length does not fit the model or the prompt.
    """
    n_prompt, limit = len(prompt_ids), lm.context_length or n_tokens
    if not n_prompt < n_tokens <= limit:
        raise ValueError(
            f"{n_tokens:,} tokens do not fit: choose more than the prompt's {n_prompt} "
            f"and at most {limit:,}."
        )
    rows = [(i, kind.settings) for i, kind in enumerate(kinds) for _ in range(kind.n_texts)]
    ids = [list(prompt_ids) for _ in rows] + [list(text[:n_tokens]) for text in human]
    names = (*(kind.name for kind in kinds), human_name)
    kind_of = tuple([i for i, _ in rows] + [len(kinds)] * len(human))
    surprise = np.full((len(ids), n_tokens), np.nan)

    def look() -> LongTexts:
        repeated = np.full(surprise.shape, np.nan)
        for row, text in enumerate(ids):
            repeated[row, : len(text)] = repeats(text)
        firsts = [ids[kind_of.index(i)] for i in range(len(names))]
        endings = tuple(text_of(lm.tokenizer, text[-ENDING:]) for text in firsts)
        return LongTexts(names, kind_of, surprise.copy(), repeated, endings)

    yield Progress(n_prompt, n_tokens, "tokens of each text")
    for row, text in enumerate(ids[len(rows) :], start=len(rows)):
        (logprobs,), _ = score(lm, text[:1], [text[1:]])
        surprise[row, 1 : len(text)] = -logprobs
    batch = Batch(lm, [prompt_ids] * len(rows))
    for n_written in range(n_prompt, n_tokens):
        # no text may end here
        drawn_by = [settings for _, settings in rows]
        chosen = batch.draw(drawn_by, range(len(rows)), n_prompt, banned=lm.end_ids)
        surprise[: len(rows), n_written] = -batch.logprobs[np.arange(len(rows)), chosen]
        for text, token_id in zip(ids, chosen, strict=False):
            text.append(token_id)
        if n_written + 1 < n_tokens:
            yield Progress(n_written + 1, n_tokens, "tokens of each text", look)
            batch.append(chosen)
    return look()


def repeats(ids: Sequence[int], n: int = PHRASE) -> Bools:
    """Tells for each token whether it and the n - 1 before it stood in the text before, in a row.

    A repeat may overlap what it repeats, as in "la la la la la".
    """
    seen: set[tuple[int, ...]] = set()
    is_repeat = np.zeros(len(ids), dtype=bool)
    for end in range(n, len(ids) + 1):
        phrase = tuple(ids[end - n : end])
        is_repeat[end - 1] = phrase in seen
        seen.add(phrase)
    return is_repeat
