"""Gaps in a text, and the sentinels by which an encoder-decoder of T5's kind marks them.

Span corruption (arXiv 1910.10683): each gap of the input is one sentinel, and the answer repeats
every sentinel before what its gap held.
"""

import re
from collections.abc import Sequence

from model.encoder_decoder.records import Segment
from model.language_model import LanguageModel

# how a reader marks a gap; the space before it belongs to the word that fills it
GAP = re.compile(r" ?_{2,}")
_SENTINEL = re.compile(r"<extra_id_(\d+)>")


def sentinel_ids(lm: LanguageModel) -> list[int]:
    """Lists the tokens that mark gaps, the first gap's first."""
    vocabulary = lm.tokenizer.get_vocab()
    found = {int(m[1]): i for token, i in vocabulary.items() if (m := _SENTINEL.fullmatch(token))}
    return [found[number] for number in sorted(found)]


def with_sentinels(lm: LanguageModel, text: str) -> str:
    """Returns a text with a sentinel for each gap that is marked by underscores.

    Raises:
        ValueError: where there is no gap, or more than the tokenizer has sentinels for.
    """
    sentinels = lm.tokenizer.convert_ids_to_tokens(sentinel_ids(lm))
    n_gaps = len(GAP.findall(text))
    if not n_gaps:
        raise ValueError("The text has no gap: mark one or more by three underscores, ___.")
    if n_gaps > len(sentinels):
        raise ValueError(
            f"The text has {n_gaps} gaps and {lm.shown} knows {len(sentinels)}: fill some yourself."
        )
    marks = iter(sentinels)
    return GAP.sub(lambda _: next(marks), text)


def segments(text: str, answers: Sequence[str]) -> tuple[Segment, ...]:
    """Returns a text in pieces, its gaps filled in turn; those without an answer stay marked."""
    rest, found, end = iter(answers), [], 0
    for gap in GAP.finditer(text):
        found.append(Segment(text[end : gap.start()], "given"))
        answer, end = next(rest, None), gap.end()
        if answer is None:
            found.append(Segment(gap[0], "open"))
        else:
            needs_space = gap[0].startswith(" ") and answer[:1].isalnum()
            found.append(Segment(f" {answer}" if needs_space else answer, "written"))
    return (*found, Segment(text[end:], "given"))
