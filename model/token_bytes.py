"""Which bytes a token stands for, in the alphabet of its tokenizer.

A token string is not text. Byte-level BPE (GPT-2) writes every byte as a printable stand-in,
SentencePiece writes a space as ▁ and a byte without a piece as <0xE2>, ByT5 a byte as the character
of its number. This module knows these three; of all others (WordPiece, Metaspace, </w> at the end
of a word, those in Python) it asks the tokenizer's own decoder, two tokens at a time: what a token
becomes may depend on the one before it.
"""

import codecs
import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, TypeAlias
from weakref import WeakKeyDictionary

VocabularyKind: TypeAlias = Literal["bytes", "latin", "pieces", "decoder"]

_BYTE_PIECE = re.compile(r"<0x([0-9A-Fa-f]{2})>")
_LATIN = frozenset(map(chr, range(256)))  # ByT5's tokens, a byte each
_STRAY = "one-token-stray-bytes"


@dataclass(frozen=True)
class Alphabet:
    """How a tokenizer writes bytes as token strings."""

    kind: VocabularyKind
    drops_first_space: bool  # the space before the first word is the tokenizer's, not the text's
    literal_ids: frozenset[int]  # added tokens that stand for themselves, whatever a decoder says
    special_ids: frozenset[int]  # tokens that are no text
    has_backend: bool  # of the library tokenizers; others are written in Python
    follower: str  # of one without a backend: a token that changes nothing before it


_ALPHABETS: WeakKeyDictionary[Any, Alphabet] = WeakKeyDictionary()


def alphabet_of(tokenizer: Any) -> Alphabet:
    """Finds out, once per tokenizer, how it writes bytes."""
    alphabet = _ALPHABETS.get(tokenizer)
    if alphabet is None:
        added, has_backend = tokenizer.added_tokens_decoder, _has_backend(tokenizer)
        special = {token_id for token_id, token in added.items() if token.special}
        decoders = list(_decoders(tokenizer))
        kind = _kind(tokenizer, decoders)
        alphabet = _ALPHABETS[tokenizer] = Alphabet(
            kind=kind,
            drops_first_space=any(map(_drops_first_space, decoders)),
            literal_ids=frozenset(_literal_ids(tokenizer) if kind in ("bytes", "latin") else ()),
            special_ids=frozenset(special | set(tokenizer.all_special_ids)),
            has_backend=has_backend,
            follower="" if has_backend else _follower(tokenizer),
        )
    return alphabet


def _decoders(tokenizer: Any) -> Iterable[dict[str, Any]]:
    """Yields the parts of a fast tokenizer's decoder, which is where its alphabet is written."""
    backend = getattr(tokenizer, "backend_tokenizer", None)
    if backend is None or backend.decoder is None:
        return
    decoder = json.loads(backend.decoder.__getstate__())
    yield from decoder.get("decoders", [decoder])


def _has_backend(tokenizer: Any) -> bool:
    return getattr(tokenizer, "backend_tokenizer", None) is not None


def _literal_ids(tokenizer: Any) -> set[int]:
    """Returns the ids of added tokens that are not of the vocabulary proper."""
    added = set(tokenizer.added_tokens_decoder)
    if not _has_backend(tokenizer):
        return added
    return added - set(tokenizer.backend_tokenizer.get_vocab(with_added_tokens=False).values())


def _follower(tokenizer: Any) -> str:
    """Returns a word of the vocabulary that is written as it stands, also behind itself."""
    for token in tokenizer.get_vocab():
        is_plain = token.isascii() and token.isalpha()
        if is_plain and _decoded(tokenizer, [token] * 2).endswith(token):
            return str(token)
    return ""


def _kind(tokenizer: Any, decoders: list[dict[str, Any]]) -> VocabularyKind:
    """Names the alphabet by the parts of the decoder, or by the look of the vocabulary."""
    types = {part["type"] for part in decoders}
    replaces_bar = any("▁" in str(part.get("pattern")) for part in decoders)
    if "ByteLevel" in types:
        return "bytes"
    if "ByteFallback" in types or replaces_bar:
        return "pieces"
    if _has_backend(tokenizer):
        return "decoder"
    added = {str(token) for token in tokenizer.added_tokens_decoder.values()}
    vocabulary = tokenizer.get_vocab().keys() - added
    if vocabulary >= _LATIN:
        return "latin"
    return "pieces" if any("▁" in token for token in vocabulary) else "decoder"


def _drops_first_space(part: dict[str, Any]) -> bool:
    """Tells whether this part of a decoder takes a space off the front of a text."""
    if part["type"] == "Metaspace":
        return bool(part.get("prepend_scheme") != "never")
    return part["type"] == "WordPiece" or bool(part["type"] == "Strip" and part["start"])


def token_bytes(tokenizer: Any, token_id: int, token: str) -> bytes:
    """Returns the bytes that a token stands for in the middle of a text."""
    alphabet = alphabet_of(tokenizer)
    if not token or token_id in alphabet.literal_ids:
        return token.encode()
    if alphabet.kind == "bytes":
        stand_ins = _stand_ins()
        known = all(character in stand_ins for character in token)
        return bytes(stand_ins[character] for character in token) if known else token.encode()
    if alphabet.kind == "pieces":
        byte = _BYTE_PIECE.fullmatch(token)
        return bytes([int(byte[1], 16)]) if byte else token.replace("▁", " ").encode()
    if alphabet.kind == "latin":
        return bytes([ord(token)]) if token in _LATIN else token.encode()
    return text_behind(tokenizer, "a", token).encode()


def text_behind(tokenizer: Any, before: str | None, token: str) -> str:
    """Returns what a token adds to a text by the tokenizer's decoder.

    One without a backend may change the end of a text (a space that is taken off, a sign that the
    word goes on), so what stands before another word is asked for.

    Args:
        tokenizer: of the kind "decoder".
        before: the token before it; None for the first of a text.
        token: as the tokenizer writes it.
    """
    tokens = [token] if before is None else [before, token]
    follower = list(filter(None, [alphabet_of(tokenizer).follower]))
    first, both = (
        _decoded(tokenizer, [*some, *follower]).removesuffix("".join(follower)) if some else ""
        for some in (tokens[:-1], tokens)
    )
    return both.removeprefix(first)


def _decoded(tokenizer: Any, tokens: list[str]) -> str:
    if not _has_backend(tokenizer):
        try:
            text: str = tokenizer.convert_tokens_to_string(tokens)
        except (NotImplementedError, ValueError, KeyError):  # some cannot, or not of every token
            text = "".join(tokens)
        return text
    decoder = tokenizer.backend_tokenizer.decoder
    return " ".join(tokens) if decoder is None else str(decoder.decode(tokens))


@lru_cache(maxsize=1)
def _stand_ins() -> dict[str, int]:
    """Maps each printable stand-in of byte-level BPE to its byte, as GPT-2's encoder.py has it."""
    printable = [*range(0x21, 0x7F), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    others = [byte for byte in range(256) if byte not in printable]
    return {chr(byte): byte for byte in printable} | {chr(256 + i): b for i, b in enumerate(others)}


def _stray_bytes(error: UnicodeError) -> tuple[str, int]:
    """Writes bytes that are no character as `<0xE2>`, for the decoder below."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    stray = error.object[error.start : error.end]
    return "".join(f"<0x{byte:02X}>" for byte in stray), error.end


codecs.register_error(_STRAY, _stray_bytes)


def joiner() -> codecs.IncrementalDecoder:
    """Returns what joins bytes into characters and keeps an unfinished one for the next bytes."""
    return codecs.getincrementaldecoder("utf-8")(_STRAY)


def characters(data: bytes) -> str:
    """Returns bytes as characters, what is none as `<0xE2>`."""
    return data.decode("utf-8", errors=_STRAY)


def n_unfinished(data: bytes) -> int:
    """Returns how many bytes at the end are the beginning of a character that is not complete."""
    decoder = joiner()
    decoder.decode(data[-3:])
    return len(decoder.getstate()[0])
