"""A page before its first pass: what is given, what each pass fills, what may be written at all."""

import numpy as np
import numpy.typing as npt

from model.diffusion.records import PassPlan
from model.language_model import LanguageModel
from model.tokenizing import encode, encode_bare


def plan_passes(length: int, n_passes: int, block_length: int = 0) -> tuple[PassPlan, ...]:
    """Spreads the positions over the passes, as evenly as whole numbers go.

    Each block gets at least one pass, the largest number of positions a pass first; a block is
    filled before the next one begins.

    Raises:
        ValueError: where the positions cannot be spread so.
    """
    if not 1 <= n_passes <= length:
        raise ValueError(
            f"{n_passes} passes cannot fill {length} positions, for each pass fills one or more: "
            f"choose from 1 to {length}."
        )
    size = block_length or length
    if not 1 <= size <= length:
        raise ValueError(f"A block has {size} positions: choose from 1 to {length}, or 0 for none.")
    starts = list(range(0, length, size))
    if n_passes < len(starts):
        raise ValueError(
            f"{n_passes} passes are too few for {len(starts)} blocks, each of which takes one or "
            f"more: choose {len(starts)} passes or more, or longer blocks."
        )
    sizes = [min(size, length - start) for start in starts]
    shares = [1] * len(starts)
    for _ in range(n_passes - len(starts)):
        ratios = [n / share for n, share in zip(sizes, shares, strict=True)]
        shares[ratios.index(max(ratios))] += 1
    return tuple(
        PassPlan(start, start + n, n * (i + 1) // share - n * i // share)
        for start, n, share in zip(starts, sizes, shares, strict=True)
        for i in range(share)
    )


def writable_ids(lm: LanguageModel) -> npt.NDArray[np.bool_]:
    """Tells which tokens may be written, (vocab,): all that are text, no special ones.

    The length is the reader's, so that the end token is ruled out as well.
    """
    words = np.zeros(lm.vocab_size, dtype=bool)
    words[: len(lm.tokenizer)] = True
    words[[i for i in lm.tokenizer.all_special_ids if i < lm.vocab_size]] = False
    words[sorted(lm.end_ids)] = False
    return words


def frame_ids(lm: LanguageModel, prompt: str, ending: str) -> tuple[list[int], list[int]]:
    """Returns the ids before and after the positions to fill, the tokenizer's own ends included.

    Raises:
        ValueError: where one of the texts holds the mask token, or half a character.
    """
    around: list[int] = lm.tokenizer("", verbose=False)["input_ids"]
    opening, closing = around[:1], around[1:]
    given = [_plain_ids(lm, text) for text in (prompt, ending)]
    return [*opening, *given[0]], [*given[1], *closing]


def _plain_ids(lm: LanguageModel, text: str) -> list[int]:
    """Returns the ids of a text without anything around it."""
    if not text:
        return []
    encode(lm, text)  # refuses half a character
    ids = encode_bare(lm, text)
    if mask_id_of(lm) in ids:
        raise ValueError(
            f"The given text holds {lm.tokenizer.mask_token}, which stands for a position to "
            "fill: delete it."
        )
    return ids


def mask_id_of(lm: LanguageModel) -> int:
    """Returns the id of the token that stands for a position to fill."""
    mask_id: int = lm.tokenizer.mask_token_id
    return mask_id


def refuse_other_kinds(lm: LanguageModel) -> None:
    """Raises ValueError for a model that fills no masks."""
    if lm.kind != "masked":
        raise ValueError(
            f"{lm.shown} is a {lm.kind} model, which does not fill masks: choose a masked one, "
            "such as unmasker."
        )
    if lm.tokenizer.mask_token_id is None:
        raise ValueError(f"The tokenizer of {lm.shown} has no mask token: choose another model.")
