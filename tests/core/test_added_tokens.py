"""Tokenizers with added tokens of all kinds: the strip, the text and a link are the same.

Twelve of the library tokenizers, and five in pure Python, as a few models still have.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import ByT5Tokenizer, PreTrainedTokenizer, PreTrainedTokenizerFast

from model.token_bytes import alphabet_of
from model.tokenizing import bytes_at, label, newest_bytes, pieces, text_of
from tests.core.test_tokenizing import sentencepiece_like
from tests.tiny_models import tokenizer

FAST: Callable[..., PreTrainedTokenizerFast] = PreTrainedTokenizerFast
ADDED = ["đem", "č", "naïve", "Ġx", "▁▁", "▁x", "a b", " lead", "##ing", "x</w>", "<0x41>", "é\n"]
WORDS = ["the", "cat", "s", ".", "'", "n't", "▁", "▁the", "▁cat", "##s", "##ing", "the</w>"]


def added(words: Any) -> Any:
    """The same tokenizer with added tokens, one of them special."""
    words.add_tokens([AddedToken(text, normalized=False) for text in ADDED])
    words.add_tokens([AddedToken("norm ü", normalized=True, single_word=True, lstrip=True)])
    words.add_special_tokens({"additional_special_tokens": ["<|é|>"]})
    return words


def made(model: Any, decoder: Any, pre_tokenizer: Any = None) -> PreTrainedTokenizerFast:
    backend = Tokenizer(model)
    backend.pre_tokenizer = pre_tokenizer or pre_tokenizers.Whitespace()
    if decoder is not None:
        backend.decoder = decoder
    return FAST(tokenizer_object=backend, unk_token="<unk>")


def word_level() -> Any:
    return models.WordLevel({w: i for i, w in enumerate(["<unk>", *WORDS])}, "<unk>")


def word_piece() -> Any:
    return models.WordPiece({w: i for i, w in enumerate(["<unk>", *WORDS])}, unk_token="<unk>")


def unigram(*, byte_fallback: bool = False) -> Any:
    spare = [f"<0x{byte:02X}>" for byte in range(256)] if byte_fallback else []
    return models.Unigram([(w, -1.0) for w in ["<unk>", *WORDS, *spare]], 0, byte_fallback)


def prefixed() -> PreTrainedTokenizerFast:
    """Byte-level, with a space put before every text."""
    words = tokenizer()
    words.backend_tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
    return words


def spare_bytes() -> PreTrainedTokenizerFast:
    words = made(unigram(byte_fallback=True), None, pre_tokenizers.Metaspace())
    parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    words.backend_tokenizer.decoder = decoders.Sequence(parts)
    words.backend_tokenizer.normalizer = normalizers.Replace(" ", "▁")
    return words


def metaspace(scheme: str) -> PreTrainedTokenizerFast:
    parts: dict[str, Any] = {"replacement": "▁", "prepend_scheme": scheme}
    return made(unigram(), decoders.Metaspace(**parts), pre_tokenizers.Metaspace(**parts))


TWELVE: dict[str, Callable[[], PreTrainedTokenizerFast]] = {
    "byte-level BPE": tokenizer,
    "byte-level BPE with a prefix": prefixed,
    "Llama": lambda: sentencepiece_like(is_llama=True),
    "Gemma": lambda: sentencepiece_like(is_llama=False),
    "Unigram": lambda: metaspace("always"),
    "Unigram, first": lambda: metaspace("first"),
    "Unigram, never": lambda: metaspace("never"),
    "Unigram with bytes": spare_bytes,
    "WordPiece": lambda: made(word_piece(), decoders.WordPiece(cleanup=False)),
    "BERT": lambda: made(word_piece(), decoders.WordPiece(cleanup=True)),
    "ends of words": lambda: made(word_level(), decoders.BPEDecoder("</w>")),
    "whole words": lambda: made(word_level(), None),
}


class Spaced(PreTrainedTokenizer):
    """Written in Python: words with spaces between them."""

    words: ClassVar[list[str]] = ["<unk>", "the", "cat", "##s", "é", "<0xC3>"]

    def __init__(self) -> None:
        super().__init__(unk_token="<unk>")

    @property
    def vocab_size(self) -> int:
        return len(self.words)

    def get_vocab(self) -> dict[str, int]:
        return {word: i for i, word in enumerate(self.words)} | self.added_tokens_encoder

    def _convert_token_to_id(self, token: str) -> int:
        return self.words.index(token) if token in self.words else 0

    def _convert_id_to_token(self, index: int) -> str:
        return self.words[index] if index < len(self.words) else "<unk>"


class Continued(Spaced):
    """As CTRL's: a word goes on behind @@."""

    words: ClassVar[list[str]] = ["<unk>", "the", "cat", "th@@", "e", "c@@", "at", "."]

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        return " ".join(tokens).replace("@@ ", "")


class Ended(Spaced):
    """As XLM's: a word ends at </w>, and a text without a space."""

    words: ClassVar[list[str]] = ["<unk>", "the</w>", "c", "at</w>", "é</w>", "</w>"]

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        return "".join(tokens).replace("</w>", " ").strip()


class Barred(Spaced):
    """As SentencePiece's own."""

    words: ClassVar[list[str]] = ["<unk>", "▁the", "▁", "s", "é", "<0xC3>", "<0xA9>"]

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        return "".join(tokens).replace("▁", " ").strip()


IN_PYTHON: dict[str, Callable[[], Any]] = {
    "bytes, in Python": ByT5Tokenizer,
    "words, in Python": Spaced,
    "@@, in Python": Continued,
    "</w>, in Python": Ended,
    "▁, in Python": Barred,
}


@cache
def words_of(name: str) -> Any:
    return added((TWELVE | IN_PYTHON)[name]())


def decoded(words: Any, ids: list[int]) -> str:
    text: str = words.decode(ids, skip_special_tokens=True, clean_up_tokenization_spaces=False)
    return text


@pytest.mark.parametrize("name", TWELVE | IN_PYTHON)
@given(data=st.data())
def test_the_strip_shows_the_text_whatever_was_added(name: str, data: st.DataObject) -> None:
    words = words_of(name)
    new = st.integers(len(words) - len(ADDED) - 3, len(words) + 1)
    ids = data.draw(st.lists(new | st.integers(0, len(words) - 1), max_size=8))
    found = pieces(words, ids)
    text = "".join(piece.joined for piece in found)
    assert text == text_of(words, ids)
    assert "\ufffd" not in text
    if alphabet_of(words).kind == "decoder":  # what a stop string is looked for in
        each = [bytes_at(words, ids, i).decode() for i in range(len(ids))]
        assert each == [piece.joined for piece in found]
    behind = list(newest_bytes(words, ids, len(ids) // 2))
    assert len(behind) == len(ids) - len(ids) // 2
    # the oracle is the tokenizer's own decoder, but for bytes that are none of its own
    if name not in IN_PYTHON:
        own = decoded(words, ids)
        if "\ufffd" not in own and alphabet_of(words).literal_ids.isdisjoint(ids):
            assert text == own
    elif max(ids, default=0) < len(words):  # beyond, those in Python say "<unk>"
        own = decoded(words, ids)
        if alphabet_of(words).kind == "decoder":  # but for the spaces at both ends
            assert text.split() == own.removesuffix("@@").split()
    for n in range(len(ids)):
        assert pieces(words, ids[:n]) == found[:n], "what is shown stays when the text grows"
    for piece in found:
        assert piece.label
        if piece.joined.encode() == piece.data and piece.joined.isprintable():
            assert piece.label.replace("␣", " ") == piece.joined or not piece.data


@pytest.mark.parametrize("name", ["byte-level BPE", "Gemma", "bytes, in Python"])
@given(parts=st.lists(st.sampled_from([*ADDED, "the", " cat", "é", "🙂", "\n"]), max_size=6))
def test_a_text_is_the_same_after_a_link(name: str, parts: list[str]) -> None:
    """What is read is what was typed; ▁ is a space to SentencePiece, č a line end to bytes."""
    words, text = words_of(name), "".join(parts)
    ids = words(text, add_special_tokens=False)["input_ids"]
    written = text_of(words, ids)
    if name == "Gemma":
        assert written == text.replace("▁", " ").replace("<0x41>", "A")
    elif name in IN_PYTHON:
        assert written == text
    else:
        assert written.replace("\r", "č") == text
        assert words(written, add_special_tokens=False)["input_ids"] == ids


@pytest.mark.parametrize(
    ("name", "token", "shown"),
    [
        ("byte-level BPE", "đem", "đem"),
        ("byte-level BPE", "naïve", "naïve"),
        ("byte-level BPE", "Ġx", "Ġx"),
        ("byte-level BPE", "č", "<0x0D>"),  # its own byte, which the added token cannot change
        ("byte-level BPE", "<|é|>", "<|é|>"),
        ("Gemma", "▁▁", "␣␣"),
        ("Llama", "▁x", "␣x"),
        ("Unigram", "▁▁", "␣␣"),
        ("BERT", "đem", "␣đem"),
        ("BERT", "##ing", "ing"),
        ("BERT", ".", "."),
        ("WordPiece", ".", "␣."),
        ("ends of words", "x</w>", "x"),
        ("whole words", "đem", "␣đem"),
        ("bytes, in Python", "č", "č"),
        ("bytes, in Python", "Ã", "<0xC3>"),
        ("words, in Python", "the", "the␣"),
        ("@@, in Python", "th@@", "th"),
        ("</w>, in Python", "c", "c"),
        ("</w>, in Python", "at</w>", "at␣"),
        ("▁, in Python", "▁the", "␣the"),
    ],
)
def test_an_added_token_is_labelled_as_it_is_written(name: str, token: str, shown: str) -> None:
    words = words_of(name)
    assert label(words, words.convert_tokens_to_ids(token)) == shown


@pytest.mark.parametrize("name", IN_PYTHON)
def test_an_id_that_a_tokenizer_in_python_lacks_is_shown_as_its_number(name: str) -> None:
    words = words_of(name)
    first, beyond = pieces(words, [len(words), len(words) + 1])
    assert (first.label, beyond.label) == (f"<id {len(words)}>", f"<id {len(words) + 1}>")
