"""The thread of a text: of what its opening names, how much comes back later.

Whatever says few things says some of them again, a source that remembers nothing too. So what comes
back counts only as far as it does more often than what other texts of the same kind opened with.
"""

import re
from collections import Counter
from collections.abc import Sequence

import numpy as np

from model.batch import Batch
from model.job import Progress, Work
from model.loading import LanguageModel
from model.passes import check_context
from model.sampling import Settings
from model.sentences import Sentence
from model.snowball.records import Floats, Thread
from model.tokenizing import text_of

PART = 64  # tokens: of the opening, and of each part after it
N_PARTS = 3  # after the opening
LENGTH = PART * (1 + N_PARTS)
RARE = 0.25  # of the openings: a word that more of them hold names nothing
_WORD = re.compile(r"[^\W\d_]+")


def measure_thread(
    lm: LanguageModel,
    prompt_ids: Sequence[int],
    settings: Settings,
    n_texts: int,
    books: Sequence[Sequence[int]],
    first_seed: int = 0,
) -> Work[Thread]:
    """Writes texts side by side, and reads books in pieces of the same length beside them.

    No text may end. Pieces of one book have their thread in common, so each is held against pieces
    of the other books.

    Raises:
        ValueError: where the model's context is too short.
    """
    check_context(
        lm,
        LENGTH,
        Sentence(
            "{n_tokens} tokens are {number} more than the {limit} that {model} reads: "
            "choose a model with a longer context."
        ),
    )
    seeds = range(first_seed, first_seed + n_texts)
    batch = Batch(lm, [prompt_ids] * n_texts)
    while len(batch.ids[0]) < LENGTH:
        yield Progress(len(batch.ids[0]), LENGTH, f"tokens of each of {n_texts} texts")
        batch.append(batch.draw([settings] * n_texts, seeds, len(prompt_ids), banned=lm.end_ids))
    pieces = [
        (number, book[start : start + LENGTH])
        for number, book in enumerate(books)
        for start in range(0, len(book) - LENGTH + 1, LENGTH)
    ]
    return Thread(
        written=returning(lm, batch.ids, range(n_texts)),
        books=returning(lm, [ids for _, ids in pieces], [number for number, _ in pieces]),
    )


def returning(lm: LanguageModel, texts: Sequence[Sequence[int]], sources: Sequence[int]) -> Floats:
    """Returns what share of its opening's rare words each part of a text holds, less chance.

    Args:
        lm: the model, whose tokenizer reads the texts.
        texts: ids, of `LENGTH` tokens each.
        sources: of each text; chance is what openings of other sources hold in common with it.

    Returns:
        (texts, N_PARTS) shares; 0 where nothing comes back more often than by chance.
    """
    words = [[_words(lm, ids, part) for part in range(1 + N_PARTS)] for ids in texts]
    count = Counter(word for opening, *_ in words for word in opening)
    rare = [{w for w in opening if count[w] <= RARE * len(texts)} for opening, *_ in words]
    # [i, j, p]: of the rare words of opening i, the share that part p of text j holds
    shares = np.array(
        [
            [[len(named & part) / max(1, len(named)) for part in parts] for _, *parts in words]
            for named in rare
        ]
    )
    others = np.array(sources)[:, None] != np.array(sources)
    chance = (shares * others[..., None]).sum(axis=1) / np.maximum(1, others.sum(axis=1))[:, None]
    each = np.arange(len(texts))
    above_chance: Floats = shares[each, each] - chance
    return above_chance


def _words(lm: LanguageModel, ids: Sequence[int], part: int) -> set[str]:
    text = text_of(lm.tokenizer, ids[part * PART : (part + 1) * PART])
    return {word.lower() for word in _WORD.findall(text)}
