"""Ids and text: what a token looks like, which text a row of tokens is.

Ids are the state and text is a view of it. A token may be a piece of a character: it shows its
bytes, and the character appears with the token that completes it. Nothing here ever shows U+FFFD
for bytes, and nothing here knows a model beyond its tokenizer and the size of its vocabulary.
"""

from __future__ import annotations

import operator
import threading
from collections.abc import Iterable, Iterator, Sequence
from contextlib import nullcontext
from functools import lru_cache
from itertools import islice
from typing import TYPE_CHECKING, Any, TypeGuard, cast
from unicodedata import category
from weakref import WeakKeyDictionary

import numpy as np

from model.chat_template import write_in_template, writes_date
from model.machine.text_trial import try_text
from model.records import Piece
from model.sentences import Sentence, cut, is_failure, reason
from model.token_bytes import (
    alphabet_of,
    characters,
    joiner,
    n_unfinished,
    text_behind,
    token_bytes,
)

if TYPE_CHECKING:
    from model.language_model import LanguageModel

MAX_CHARACTERS = 200_000  # of a text, whatever reads it: some fifty thousand tokens
MIN_CHARACTERS = 50_000  # of a text that is read in parts, however little a model reads at once
CHARACTERS_PER_TOKEN = 100  # of the longest tokens: a text of more characters has too many tokens
MAX_BITS = 256  # of a number that a sentence repeats
LONG_TEXT = 10_000  # characters from which on one text at a time is taken apart
_one_at_a_time = threading.Lock()
START = "start"  # stands for the token that begins a text
_VISIBLE = {" ": "␣", "\n": "⏎", "\t": "⇥"}
# characters that print as nothing although Unicode calls them letters or symbols
_BLANK = frozenset("\u115f\u1160\u2800\u3164\uffa0\ufffd")
_LABELS: WeakKeyDictionary[Any, dict[int, str]] = WeakKeyDictionary()  # by tokenizer and id


def label(tokenizer: Any, token_id: int) -> str:
    """Returns a token as visible text: "␣the", "⏎", "<0xE2>", "<|endoftext|>", "<id 290>".

    The last is an id that the tokenizer lacks: logits may be wider than what it knows.
    """
    known = _LABELS.setdefault(tokenizer, {})
    if token_id not in known:
        known[token_id] = _label(tokenizer, token_id)
    return known[token_id]


def _label(tokenizer: Any, token_id: int) -> str:
    token = _token(tokenizer, token_id)
    if not token:
        return f"<id {token_id}>"
    if token_id in alphabet_of(tokenizer).special_ids:
        return _visible(token)
    return _visible(characters(token_bytes(tokenizer, token_id, token))) or f"<id {token_id}>"


def labels_of(lm: LanguageModel, ids: Iterable[int]) -> tuple[str, ...]:
    """Returns the label of each id."""
    return tuple(label(lm.tokenizer, token_id) for token_id in ids)


def labels_of_text(lm: LanguageModel, ids: Sequence[int]) -> tuple[str, ...]:
    """Returns the label of each token of a text; the one that begins every text is the start."""
    labels = labels_of(lm, ids)
    return (START, *labels[1:]) if ids and ids[0] == lm.bos_id else labels


def pieces(tokenizer: Any, ids: Sequence[int]) -> tuple[Piece, ...]:
    """Takes a text apart into its tokens, bytes joined into characters where they complete one.

    The `joined` of all pieces, one after another, are the text without its special tokens. Bytes
    that can no longer become a character are written `<0xE2>`; bytes that still can are left out.
    """
    alphabet = alphabet_of(tokenizer)
    unfinished = joiner()
    parts: list[Piece] = []
    before: str | None = None  # the last token that is text
    for token_id in ids:
        token = _token(tokenizer, token_id) or ""
        is_special = token_id in alphabet.special_ids
        data = b"" if is_special else token_bytes(tokenizer, token_id, token)
        own = _added(tokenizer, before, token, data) if data else data
        parts.append(
            Piece(
                token_id=token_id,
                label=label(tokenizer, token_id),
                joined=unfinished.decode(own, final=is_special),
                data=data,
                special=is_special,
            )
        )
        before = before if is_special else token or before
    return tuple(parts)


def bytes_at(tokenizer: Any, ids: Sequence[int], position: int) -> bytes:
    """Returns the bytes that a token adds to a text; none for a special token."""
    special_ids = alphabet_of(tokenizer).special_ids
    token = _token(tokenizer, ids[position])
    if not token or ids[position] in special_ids:
        return b""
    others = (ids[i] for i in range(position - 1, -1, -1) if ids[i] not in special_ids)
    before = next(filter(None, (_token(tokenizer, token_id) for token_id in others)), None)
    return _added(tokenizer, before, token, token_bytes(tokenizer, ids[position], token))


def newest_bytes(tokenizer: Any, ids: Sequence[int], n_before: int) -> Iterator[bytes]:
    """Yields the bytes of the tokens behind the first ones, from the last to the first."""
    for position in range(len(ids) - 1, n_before - 1, -1):
        yield bytes_at(tokenizer, ids, position)


def _added(tokenizer: Any, before: str | None, token: str, data: bytes) -> bytes:
    """Returns what is added to a text by a token with these bytes behind another, or none."""
    alphabet = alphabet_of(tokenizer)
    if alphabet.kind == "decoder":
        return text_behind(tokenizer, before, token).encode()
    return data.removeprefix(b" ") if before is None and alphabet.drops_first_space else data


def text_of(tokenizer: Any, ids: Sequence[int]) -> str:
    """Returns the text of ids without special tokens; an unfinished last character is left out."""
    alphabet = alphabet_of(tokenizer)
    if alphabet.has_backend:
        text: str = tokenizer.decode(
            list(ids), skip_special_tokens=True, clean_up_tokenization_spaces=False
        )
        is_whole = "\ufffd" not in text and not _breaks_off(tokenizer, ids)
        if is_whole and alphabet.literal_ids.isdisjoint(ids):
            return text
    return "".join(piece.joined for piece in pieces(tokenizer, ids))


def _breaks_off(tokenizer: Any, ids: Sequence[int]) -> bool:
    """Returns whether a special token stands inside of a character, over which a decoder joins."""
    special_ids = alphabet_of(tokenizer).special_ids
    if special_ids.isdisjoint(ids[1:]):
        return False
    ends = (ids[:i] for i, token_id in enumerate(ids) if token_id in special_ids)
    before = ([*islice(newest_bytes(tokenizer, end, 0), 3)][::-1] for end in ends)
    return any(n_unfinished(b"".join(newest)) for newest in before)


def end_of(tokenizer: Any, ids: Sequence[int], n_characters: int) -> str:
    """Returns the end of a text as it was read, in one line."""
    text = "".join(piece.joined for piece in pieces(tokenizer, ids))
    shown = text if len(text) <= n_characters else f"…{text[-n_characters:]}"
    return shown.replace("\n", "⏎")


def encode(lm: LanguageModel, text: str) -> list[int]:
    """Returns the ids of a text, with the special tokens that its tokenizer puts around one.

    Raises:
        ValueError: for half a surrogate pair, which is no character, for a text without a
            token where the model has no token to begin with, and as `encode_bare` does.
    """
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ValueError(
            Sentence(
                "Character {position} of the text is half of one (the lone surrogate U+{code}): "
                "delete it or paste the text again.",
                position=error.start + 1,
                code=format(ord(text[error.start]), "04X"),
            )
        ) from None
    ids = _ids(lm, text)
    if ids:
        return ids
    if lm.bos_id is None:
        raise ValueError(
            Sentence(
                "The prompt is empty and {model} has no token to begin a text with: write a word.",
                model=lm.shown,
            )
        )
    return [lm.bos_id]


def encode_within(lm: LanguageModel, text: str, limit: int) -> list[int]:
    """Returns the ids of a text for which a page, and the model, has room.

    Raises:
        ValueError: as `encode` does, and for a text of more tokens than `limit`.
    """
    limit = min(limit, lm.context_length or limit)
    _check_length(lm, text, CHARACTERS_PER_TOKEN * limit)
    ids = encode(lm, text)
    if len(ids) > limit:
        raise ValueError(
            Sentence(
                "A text has {n_ids} tokens, and there is room for {limit}: shorten it.",
                n_ids=format(len(ids), ","),
                limit=format(limit, ","),
            )
        )
    return ids


def encode_bare(lm: LanguageModel, text: str) -> list[int]:
    """Returns the ids of a text without the special tokens that its tokenizer puts around one.

    Raises:
        ValueError: for a text that is longer than what is taken apart, or cannot be.
    """
    return _ids(lm, text, add_special_tokens=False)


def _check_length(lm: LanguageModel, text: str, limit: int) -> None:
    """Refuses a text by its length alone, before a tokenizer works on it.

    Raises:
        ValueError: for a text of more characters than `limit`.
    """
    if len(text) > limit:
        raise ValueError(
            Sentence(
                "A text has {n_text} characters, and {model} reads up to {limit} here: shorten it.",
                n_text=format(len(text), ","),
                model=lm.shown,
                limit=format(limit, ","),
            )
        )


def _ids(lm: LanguageModel, text: str, **more: Any) -> list[int]:
    room = CHARACTERS_PER_TOKEN * (lm.context_length or MAX_CHARACTERS)
    _check_length(lm, text, min(MAX_CHARACTERS, max(MIN_CHARACTERS, room)))
    turn = _one_at_a_time if len(text) > LONG_TEXT else nullcontext()
    try:
        with turn:
            try_text(lm.tokenizer, text)
            ids: list[int] = lm.tokenizer(text, verbose=False, **more)["input_ids"]
    except BaseException as error:
        if not is_failure(error):
            raise
        raise ValueError(
            Sentence(
                "The tokenizer of {model} cannot read this text ({reason}): change it.",
                model=lm.shown,
                reason=reason(error),
            )
        ) from error
    return ids


def are_ids(values: Sequence[object], vocab_size: int) -> TypeGuard[list[int]]:
    """Returns whether all of a list are plain ints of a vocabulary, without a look at each."""
    if set(map(type, values)) != {int}:
        return False
    numbers = cast("Sequence[int]", values)
    return min(numbers) >= 0 and max(numbers) < vocab_size


def known_ids(lm: LanguageModel, ids: Iterable[object]) -> list[int]:
    """Returns ids as plain ints, once they are sure to be tokens of the model.

    Raises:
        ValueError: for the first that is not.
    """
    ids = list(ids)
    if are_ids(ids, lm.vocab_size):
        return ids
    known: list[int] = []
    for token_id in ids:
        number = -1
        if hasattr(token_id, "__index__") and not isinstance(token_id, bool):
            number = operator.index(token_id)
        if not 0 <= number < lm.vocab_size:
            given = cut(repr(token_id)) if number.bit_length() < MAX_BITS else "That"
            raise ValueError(
                Sentence(
                    "{id} is no token of {model}: use ids from 0 to {highest}.",
                    id=given,
                    model=lm.shown,
                    highest=lm.vocab_size - 1,
                )
            )
        known.append(number)
    return known


def random_ids(lm: LanguageModel, n_tokens: int) -> list[int]:
    """Returns so many tokens of no meaning, no end among them: time does not depend on which."""
    allowed = np.setdiff1d(np.arange(lm.vocab_size), list(lm.end_ids))
    drawn: list[int] = np.random.default_rng(0).choice(allowed, n_tokens).tolist()
    return drawn


def encode_chat(lm: LanguageModel, text: str) -> list[int]:
    """Returns the ids of one user message in the model's chat template, ready for the answer.

    Raises:
        ValueError: where the model has no chat template, or its template refuses the message.
    """
    if not lm.has_chat_template:
        raise ValueError(
            Sentence(
                "{model} has no chat template: write the text that it should continue.",
                model=lm.shown,
            )
        )
    encode(lm, text)
    try:
        written = write_in_template(lm.tokenizer, text)
    except Exception as error:  # a template is a program of the model's author
        raise ValueError(
            Sentence(
                "The chat template of {model} failed ({reason}): use the prompt without it.",
                model=lm.shown,
                reason=reason(error),
            )
        ) from error
    return encode_bare(lm, written)


def explain_chat_difference(lm: LanguageModel, text: str, ids: Sequence[int]) -> str | None:
    """Compares the ids of a run with what the chat template makes of its message today.

    Args:
        lm: the model.
        text: the user's message.
        ids: of the prompt, template included, as the run has them.

    Returns:
        None where they are the same; else one sentence that says why the run keeps its own.
    """
    try:
        if encode_chat(lm, text) == list(ids):
            return None
    except ValueError:
        return f"The chat template of {lm.name} refuses this prompt: this run keeps its own ids."
    if writes_date(lm.tokenizer):
        return (
            f"The chat template of {lm.name} writes today’s date: this run keeps the ids of its "
            "own day."
        )
    return f"The chat template of {lm.name} writes this prompt otherwise: this run keeps its ids."


def shares_vocabulary(first: LanguageModel, second: LanguageModel) -> bool:
    """Tells whether two models speak of the same tokens, so that one can judge the other's."""
    if first is second:
        return True
    tokens = (first.tokenizer.get_vocab(), second.tokenizer.get_vocab())
    return first.vocab_size == second.vocab_size and tokens[0] == tokens[1]


_VOCABULARIES: WeakKeyDictionary[LanguageModel, tuple[str, ...]] = WeakKeyDictionary()


def vocabulary_labels(lm: LanguageModel) -> tuple[str, ...]:
    """Returns the label of every id below the model's vocabulary size, made once per model."""
    if lm not in _VOCABULARIES:
        _VOCABULARIES[lm] = labels_of(lm, range(lm.vocab_size))
    return _VOCABULARIES[lm]


def _token(tokenizer: Any, token_id: int) -> str | None:
    """Returns a token as its tokenizer writes it; None for an id that it lacks."""
    if not alphabet_of(tokenizer).has_backend and token_id >= len(tokenizer):
        return None  # those in Python say "<unk>", which is another token
    token: str | None = tokenizer.convert_ids_to_tokens(token_id)
    return token


def _visible(text: str) -> str:
    """Makes every character of a token visible, spaces, controls and zero widths included."""
    if text.isascii() and text.isprintable():
        return text.replace(" ", "␣")
    first = "◌" if text and category(text[0])[0] == "M" else ""
    return first + "".join(map(_visible_character, text))


@lru_cache(maxsize=65_536)
def _visible_character(character: str) -> str:
    """Returns one character as something that can be seen."""
    if character in _VISIBLE:
        return _VISIBLE[character]
    if character.isprintable() and character not in _BLANK:
        return character
    if ord(character) < 0x80:
        return f"<0x{ord(character):02X}>"
    return f"<U+{ord(character):04X}>"
