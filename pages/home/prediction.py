"""What the reader expects next, weighed by the model: predict, then reveal."""

import math

import numpy as np

from model.draw import rank_order
from model.generation import Generation
from model.tokenizing import encode, encode_bare, label
from pages.home.branch import Guess

MAX_GUESS = 200  # characters


def weigh_guess(generation: Generation, text: str) -> Guess:
    """Returns a guess with its rank and its probability at temperature 1.

    Args:
        generation: The text whose next token is guessed.
        text: The word that is expected; only its first token is compared.

    Raises:
        ValueError: There is no guess; one sentence with the remedy.
    """
    text = text.strip()
    if not text:
        raise ValueError("The guess is empty: write the word that you expect next.")
    if len(text) > MAX_GUESS:
        raise ValueError(f"The guess has more than {MAX_GUESS} characters: write one word.")
    lm = generation.lm
    encode(lm, text)  # says what is wrong with half a character
    # a person does not say whether a space comes first: the likelier one counts
    forms = (text, f" {text}")
    readings = [encode_bare(lm, form) for form in forms]
    logits = generation.logits_with([reading[0] for reading in readings]).astype(np.float64)
    ids = max(readings, key=lambda reading: float(logits[reading[0]]))
    weights = np.exp(logits - logits.max())
    return Guess(
        text=text,
        label=label(lm.tokenizer, ids[0]),
        rank=int(np.flatnonzero(rank_order(logits) == ids[0])[0]),
        prob=math.exp(logits[ids[0]] - logits.max()) / float(weights.sum()),
        n_tokens=len(ids),
    )
