"""What a person types becomes confidence in tokens: `mat 60 floor 20`.

A line is split into guesses and numbers, a guess is spelt as it would follow the text, and its
first token is the one that counts. This module knows a tokenizer; it runs no model.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, TypeAlias

from model.guess.records import GuessRead
from model.language_model import LanguageModel
from model.sentences import apart
from model.tokenizing import encode_bare, label, text_of
from model.typed import number_typed

GuessUnit: TypeAlias = Literal["percent", "hands"]

MAX_CONFIDENCE = 0.99  # the rest is for the other tokens, so that no miss is infinite
MAX_CHARACTERS = 300  # characters

MAX_NUMBER = 999_999  # behind a guess
_ENDS = ",;،、，؛；"  # of a part of a line


# What was typed, as confidence


def read_line(line: str, unit: GuessUnit = "percent") -> dict[str, float]:
    """Reads what a player typed, `mat 60 floor 20`, as shares of confidence by guess.

    In percent, guesses without a number share half of what the others leave. Hands are counted:
    one where no number follows, and one more hand points to all other tokens together.

    Returns:
        The shares; they sum to `MAX_CONFIDENCE` at most in percent, below 1 by hands.

    Raises:
        ValueError: One sentence with the remedy.
    """
    if len(line) > MAX_CHARACTERS:
        raise ValueError(
            f"A line of guesses holds {MAX_CHARACTERS} characters: write fewer guesses."
        )
    numbers = _numbers_by_guess(line)
    if unit == "hands":
        hands = {guess: 1.0 if n is None else n for guess, n in numbers.items()}
        return {guess: n / (sum(hands.values()) + 1) for guess, n in hands.items() if n}
    shares = {guess: n / 100 for guess, n in numbers.items() if n is not None}
    total = sum(shares.values())
    if total > 1 + 1e-9:
        told, most = apart(100 * total, 100, 0)
        raise ValueError(f"The confidences sum to {told} %: keep them at {most} or below.")
    unnumbered = [guess for guess, n in numbers.items() if n is None]
    shares |= {guess: (1 - total) / 2 / len(unnumbered) for guess in unnumbered}
    scale = min(1.0, MAX_CONFIDENCE / max(sum(shares.values()), 1e-12))
    return {guess: share * scale for guess, share in shares.items() if share > 0}


def _numbers_by_guess(line: str) -> dict[str, float | None]:
    """Splits a line into guesses and the number after each; a guess that comes twice is summed."""
    numbers: dict[str, float | None] = {}
    newest = ""
    for part in line.split():
        word = part.rstrip(_ENDS)
        number = number_typed(word)
        if numbers and not newest and word in ("%", "٪", "％"):
            continue  # a sign that stands apart from its number
        if newest and number is not None and 0 <= number <= MAX_NUMBER:
            numbers[newest] = (numbers[newest] or 0.0) + number
            newest = ""
        else:
            newest = word or part
            numbers.setdefault(newest, None)
    return numbers


# What was typed, as a token


def spell_out(before: str, typed: str) -> str:
    """Returns a guess as it would follow a text: with a space, or without.

    A word or an opening mark takes a space, punctuation takes none; a hyphen in front, as in -ing,
    goes on with the word before.
    """
    if len(typed) > 1 and typed[0] == "-" and typed[1].isalnum():
        return typed[1:]
    is_opening = typed[0].isalnum() or typed[0] in "([{“‘«$£€#@&"
    if typed[0] == '"':
        is_opening = before.count('"') % 2 == 0
    sticks = not before or before[-1].isspace() or before[-1] in "([{“‘«-–—/"
    sticks = sticks or (before[-1] == '"' and before.count('"') % 2 == 1)
    return f" {typed}" if is_opening and not sticks else typed


def tokens_of_guess(lm: LanguageModel, before: Sequence[int], typed: str) -> list[int]:
    """Returns the tokens of a guess, read by the tokenizer behind the text so far.

    Where the two would grow together, as pieces of one word do, the guess is read behind a bracket,
    and at last by itself.
    """
    text = text_of(lm.tokenizer, before)
    form = spell_out(text, typed)
    special = set(lm.tokenizer.all_special_ids)
    own = [token_id for token_id in before if token_id not in special]
    for context, ids in ((text, own), ("(", encode_bare(lm, "("))):
        joined = encode_bare(lm, context + form)
        if len(joined) > len(ids) and joined[: len(ids)] == ids:
            return joined[len(ids) :]
    return encode_bare(lm, form)


def read_guesses(
    lm: LanguageModel, before: Sequence[int], shares: Mapping[str, float]
) -> tuple[GuessRead, ...]:
    """Turns shares by typed guess into shares by token, the largest first.

    Guesses that begin with the same token are one: their shares add up.
    """
    read: dict[int, GuessRead] = {}
    for typed, share in shares.items():
        ids = tokens_of_guess(lm, before, typed)
        if not ids:
            continue  # nothing that this tokenizer can write
        known = read.get(ids[0])
        read[ids[0]] = GuessRead(
            typed=f"{known.typed}, {typed}" if known else typed,
            label=label(lm.tokenizer, ids[0]),
            token_id=ids[0],
            n_tokens=max(len(ids), known.n_tokens if known else 0),
            share=share + (known.share if known else 0.0),
        )
    return tuple(sorted(read.values(), key=lambda guess: -guess.share))
