"""How well the tokens of a filled page fit: leave-one-out, a judge, repeats, names.

A token fits where the model, shown all the rest of the finished page, would still write it: that is
its leave-one-out probability. How well the text reads is said by a causal judge.
"""

import re
from collections.abc import Generator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from model.batch import score
from model.diffusion.denoising import Diffusion
from model.diffusion.layout import writable_ids
from model.diffusion.records import CLASH, Clashes
from model.job import Progress
from model.language_model import LanguageModel
from model.masks import log_softmax
from model.passes import forward
from model.records import FloatArray
from model.tokenizing import encode_bare, shares_vocabulary, text_of

_ROWS = 8  # texts that one pass reads
_WORD = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_NEW_SENTENCE = re.compile(r"(?:^|[.!?…:\n])[\s\"'”’“‘]*$|[\"“‘]$")
_NO_NAMES = frozenset({"I", "I'm", "I’m", "I'll", "I’ll", "I've", "I’ve", "I'd", "I’d"})


def leave_one_out(
    lm: LanguageModel, ids: Sequence[int], positions: Sequence[int]
) -> Generator[Progress[Any], None, FloatArray]:
    """Masks one position after another; finds the probability of the token that stood there.

    Each row of a pass is the whole text with one mask in it, so that the model knows all but that
    one token (the terms of a pseudo-log-likelihood, arXiv 1910.14659).

    Returns:
        (positions,) probabilities.
    """
    words = writable_ids(lm)
    probs: list[float] = []
    for first in range(0, len(positions), _ROWS):
        yield Progress(first, len(positions))
        places = list(positions[first : first + _ROWS])
        each = range(len(places))
        rows = np.array([list(ids)] * len(places))
        rows[each, places] = lm.tokenizer.mask_token_id
        logits, _ = forward(lm, rows.tolist(), n_logits=0, at=(list(each), places))
        logits[:, ~words] = -np.inf
        tokens = [ids[place] for place in places]
        probs += np.exp(log_softmax(logits)[each, tokens]).tolist()
    return np.array(probs)


def judge_tokens(judge: LanguageModel, before: Sequence[int], after: Sequence[int]) -> FloatArray:
    """Returns the log-probability of each token of `after`, (n,) nats, given all that precedes it.

    Where nothing does, the judge's own beginning is given, or else the first token.

    Raises:
        ValueError: where the text is longer than the judge reads.
    """
    if not before and judge.bos_id is not None:
        before = [judge.bos_id]
    elif not before:
        before, after = after[:1], after[1:]
    return score(judge, before, [after])[0][0] if after else np.zeros(0)


def measure_clashes(judge: LanguageModel, page: Diffusion, loo_probs: FloatArray | None) -> Clashes:
    """Measures how well the filled part of a page fits itself and what is given around it."""
    before, after = page.ids[: page.start], page.ids[page.start + page.length :]
    return clashes_of(judge, page.lm, before, page.filled_ids, after, loo_probs)


def clashes_of(
    judge: LanguageModel,
    lm: LanguageModel,
    before: Sequence[int],
    filled: Sequence[int],
    after: Sequence[int],
    loo_probs: FloatArray | None = None,
) -> Clashes:
    """Measures how well some tokens of a model's fit each other and what is given around them.

    The judge reads tokens of its own where its tokenizer is another; leave-one-out probabilities
    are counted where they are known.
    """
    words = lm.tokenizer
    parts = [_for_judge(judge, lm, ids) for ids in (before, filled, after)]
    own = judge_tokens(judge, parts[0], parts[1])
    rest = judge_tokens(judge, [*parts[0], *parts[1]], parts[2])
    pairs = list(pairwise(filled))
    names = find_names(text_of(words, [*before, *filled]), len(text_of(words, before)))
    known = set(_WORD.findall(text_of(words, before) + " " + text_of(words, after)))
    known_names = {word for word in known if word[0].isupper()}
    return Clashes(
        logprob=float(own.mean()) if own.size else 0.0,
        ending_logprob=float(rest.mean()) if rest.size else None,
        n_doubled=sum(a == b for a, b in pairwise([*before[-1:], *filled, *after[:1]])),
        repeated=1 - len(set(pairs)) / len(pairs) if pairs else 0.0,
        n_clashes=None if loo_probs is None else int(np.count_nonzero(loo_probs < CLASH)),
        n_names=len(set(names)),
        agreement=(
            sum(name in known_names for name in names) / len(names)
            if names and known_names
            else None
        ),
    )


def _for_judge(judge: LanguageModel, lm: LanguageModel, ids: Sequence[int]) -> list[int]:
    """Returns ids as the judge reads them: the same where both have one tokenizer."""
    if shares_vocabulary(judge, lm):
        return list(ids)
    text = text_of(lm.tokenizer, ids)
    return encode_bare(judge, text)


def find_names(text: str, start: int = 0) -> list[str]:
    """Lists the words from `start` on that begin with a capital without beginning a sentence."""
    found = []
    for match in _WORD.finditer(text):
        word = match[0]
        is_capital = word[0].isupper() and word not in _NO_NAMES
        if (
            match.start() >= start
            and is_capital
            and not _NEW_SENTENCE.search(text[: match.start()])
        ):
            found.append(re.sub(r"['’]s$", "", word))
    return found
