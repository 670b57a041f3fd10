"""An instruction that comes first, late, or never: what each text makes of it.

What is put in after m tokens cannot reach those m. The same seeds write each version, so that the
first m tokens can be compared one by one.
"""

import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from itertools import takewhile

import numpy as np

from model.batch import Batch
from model.job import Progress, Work
from model.language_model import LanguageModel
from model.passes import check_context
from model.sampling import Settings
from model.sentences import Sentence
from model.snowball.records import Floats, InstructionPosition, Version
from model.tokenizing import encode, encode_bare, text_of

FIRST, LATE, NEVER = "before the first token", "after m tokens", "never"


def place_instruction(
    lm: LanguageModel,
    beginning: str,
    instruction: str,
    words: Sequence[str],
    settings: Settings,
    *,
    n_before: int = 32,
    n_tokens: int = 96,
    n_texts: int = 16,
    first_seed: int = 0,
) -> Work[InstructionPosition]:
    """Writes texts from one beginning and one instruction, three ways by the same seeds.

    A text has followed the instruction once it holds one of the words, in any case. A late
    instruction comes after `n_before` tokens; each version has `n_tokens` without it.

    Raises:
        ValueError: where something is empty or too long.
    """
    known = tuple(word.strip() for word in words if word.strip())
    if not instruction.strip() or not known:
        raise ValueError("Write an instruction, and a word by which it can be seen in a text.")
    if not 0 < n_before < n_tokens:
        raise ValueError(f"Choose between 1 and {n_tokens - 1} tokens before it comes late.")
    spaced = instruction if instruction[:1].isspace() else f" {instruction}"
    start = encode(lm, beginning)
    put_in = encode_bare(lm, spaced)
    n_all = len(start) + len(put_in) + n_tokens
    check_context(
        lm,
        n_all,
        Sentence(
            "{n_tokens} tokens are {number} more than the {limit} that {model} reads: "
            "shorten the beginning or the instruction."
        ),
    )
    starts = {FIRST: [*start, *put_in], LATE: start, NEVER: start}
    written: dict[str, list[list[int]]] = {name: [[] for _ in range(n_texts)] for name in starts}

    def look() -> InstructionPosition:
        return _sum_up(lm, written, starts, put_in, known, n_before)

    batches: dict[str, Batch] = {}
    seeds = range(first_seed, first_seed + n_texts)
    for n_written in range(n_tokens):
        is_read = look if n_written else None
        yield Progress(n_written, n_tokens, f"tokens of {3 * n_texts} texts", is_read)
        for name, prompt in starts.items():
            if not n_written:
                batches[name] = Batch(lm, [prompt] * n_texts)
            else:
                batches[name].append([row[-1] for row in written[name]])
            if n_written == n_before and name == LATE:
                # put in: from here on the late version reads it, and not a token earlier
                batches[name].read([put_in] * n_texts)
            chosen = batches[name].draw([settings] * n_texts, seeds, len(prompt))
            for row, token_id in zip(written[name], chosen, strict=True):
                row.append(token_id)
    return look()


def _sum_up(
    lm: LanguageModel,
    written: Mapping[str, Sequence[Sequence[int]]],
    starts: Mapping[str, Sequence[int]],
    put_in: Sequence[int],
    words: tuple[str, ...],
    n_before: int,
) -> InstructionPosition:
    n_written = len(written[NEVER][0])
    first = [np.array(written[name])[:, :n_before] for name in (LATE, NEVER)]
    examples = {}
    for name, rows in written.items():
        ids = until_end(lm, rows[0])
        n_first = n_before if name == LATE else len(ids)
        is_in = name == LATE and n_written > n_before and len(ids) >= n_before
        parts = (starts[name], ids[:n_first], put_in if is_in else [], ids[n_first:])
        examples[name] = Version(*(text_of(lm.tokenizer, part) for part in parts))
    return InstructionPosition(
        n_before=n_before,
        words=words,
        followed={name: share_with(lm, rows, words) for name, rows in written.items()},
        n_same=int((first[0] == first[1]).sum()),
        n_first=first[0].size,
        examples=examples,
    )


def share_with(lm: LanguageModel, rows: Sequence[Sequence[int]], words: Sequence[str]) -> Floats:
    """Returns the share of texts that hold one of some words, after each token."""
    pattern = re.compile("|".join(map(re.escape, words)), re.IGNORECASE)
    firsts = np.array([_first_mention(lm, until_end(lm, row), pattern) for row in rows])
    shares: Floats = (firsts[:, None] <= np.arange(len(rows[0]))).mean(axis=0)
    return shares


def _first_mention(lm: LanguageModel, ids: Sequence[int], pattern: re.Pattern[str]) -> float:
    """Returns the place of the token that completes the first of the words; inf for none."""

    def is_found(last: int) -> bool:
        return pattern.search(text_of(lm.tokenizer, ids[: last + 1])) is not None

    if not is_found(len(ids)):
        return np.inf
    return bisect_left(range(len(ids)), True, key=is_found)


def until_end(lm: LanguageModel, ids: Sequence[int]) -> list[int]:
    """Returns a text up to its first end token."""
    return list(takewhile(lambda token_id: token_id not in lm.end_ids, ids))
