"""Tokens are shown as what they are: spaces, controls, bytes, unfinished characters."""

import dataclasses
from collections.abc import Callable
from functools import partial
from typing import Any, ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tokenizers import AddedToken, Tokenizer, decoders, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from model.loading import LanguageModel
from model.token_bytes import token_bytes
from model.tokenizing import (
    MAX_CHARACTERS,
    encode,
    encode_bare,
    encode_chat,
    encode_within,
    end_of,
    explain_chat_difference,
    known_ids,
    label,
    labels_of,
    labels_of_text,
    pieces,
    text_of,
    vocabulary_labels,
)
from tests.tiny_models import END, VOCAB_SIZE, tiny, tokenizer

BYTE_LEVEL = tokenizer()
FAST: Callable[..., PreTrainedTokenizerFast] = PreTrainedTokenizerFast
BYTES = [f"<0x{byte:02X}>" for byte in range(256)]


def sentencepiece_like(is_llama: bool) -> PreTrainedTokenizerFast:
    """Llama 2 drops the space that it puts before a text; Gemma puts none there."""
    merges = [("t", "h"), ("th", "e"), ("▁", "the"), ("a", "t"), ("c", "at"), ("▁", "cat")]
    words = [*"▁thecasé", *map("".join, merges)]
    vocab = {token: index for index, token in enumerate(["<unk>", "</s>", *BYTES, *words])}
    backend = Tokenizer(models.BPE(vocab, merges, unk_token="<unk>", byte_fallback=True))
    replace = normalizers.Replace(" ", "▁")
    backend.normalizer = (
        normalizers.Sequence([normalizers.Prepend("▁"), replace]) if is_llama else replace
    )
    parts = [decoders.Replace("▁", " "), decoders.ByteFallback(), decoders.Fuse()]
    backend.decoder = decoders.Sequence([*parts, decoders.Strip(" ", 1, 0)] if is_llama else parts)
    return FAST(tokenizer_object=backend, unk_token="<unk>", eos_token="</s>")


def metaspace() -> PreTrainedTokenizerFast:
    """The decoder of T5 and other unigram models."""
    vocab = [("<unk>", 0.0), ("▁the", -1.0), ("▁", -2.0), ("t", -3.0), ("s", -3.0)]
    backend = Tokenizer(models.Unigram(vocab, unk_id=0))
    backend.pre_tokenizer = pre_tokenizers.Metaspace()
    backend.decoder = decoders.Metaspace()
    return FAST(tokenizer_object=backend, unk_token="<unk>")


def wordpiece() -> PreTrainedTokenizerFast:
    """The decoder of BERT."""
    vocab = {token: i for i, token in enumerate(["[UNK]", "[SEP]", "the", "walk", "##ing", "."])}
    backend = Tokenizer(models.WordPiece(vocab, unk_token="[UNK]"))
    backend.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    backend.decoder = decoders.WordPiece(cleanup=False)
    return FAST(tokenizer_object=backend, unk_token="[UNK]", sep_token="[SEP]")


LLAMA, GEMMA = sentencepiece_like(is_llama=True), sentencepiece_like(is_llama=False)


def ids_of(words: Any, text: str) -> list[int]:
    return words(text, add_special_tokens=False)["input_ids"]


@pytest.mark.parametrize(
    ("words", "text", "shown"),
    [
        (BYTE_LEVEL, " the the", ["␣the", "␣the"]),
        (BYTE_LEVEL, "\n\t\r\x00", ["⏎", "⇥", "<0x0D>", "<0x00>"]),
        (BYTE_LEVEL, "é", ["<0xC3>", "<0xA9>"]),
        (BYTE_LEVEL, END, [END]),
        (BYTE_LEVEL, "<script>", list("<script>")),
        (LLAMA, "the cat", ["␣the", "␣cat"]),
        (LLAMA, "é\n", ["␣", "é", "⏎"]),  # <0x0A> is a whole character by itself
        (LLAMA, "ü", ["␣", "<0xC3>", "<0xBC>"]),
        (GEMMA, "the cats", ["the", "␣cat", "s"]),
        (metaspace(), "the ts", ["␣the", "␣", "t", "s"]),
        (wordpiece(), "the walking.", ["␣the", "␣walk", "ing", "␣."]),
    ],
)
def test_each_alphabet_is_read_in_its_own_way(words: Any, text: str, shown: list[str]) -> None:
    assert [label(words, token_id) for token_id in ids_of(words, text)] == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a b", "a␣b"),
        ("\u00a0", "<U+00A0>"),  # no-break space
        ("\u200b", "<U+200B>"),  # zero width
        ("\u202e", "<U+202E>"),  # turns the writing direction
        ("\u3164", "<U+3164>"),  # a letter that prints as nothing
        ("\ufffd", "<U+FFFD>"),
        ("\u0301", "◌\u0301"),  # an accent without its letter
        ("e\u0301", "e\u0301"),
        ("שלום", "שלום"),
        ("日本🙂", "日本🙂"),
        ("$x$ **b** :smile:", "$x$␣**b**␣:smile:"),
    ],
)
def test_every_character_of_a_token_can_be_seen(text: str, shown: str) -> None:
    words = tokenizer()
    words.add_tokens([AddedToken(text, normalized=False)])
    assert label(words, len(words) - 1) == shown


class Slow:
    """A tokenizer without a backend, as a few models still have: a list of tokens."""

    added_tokens_decoder: ClassVar[dict[int, Any]] = {}
    all_special_ids: ClassVar[list[int]] = []

    def __init__(self, *tokens: str) -> None:
        self.tokens = tokens

    def get_vocab(self) -> dict[str, int]:
        return {token: index for index, token in enumerate(self.tokens)}

    def convert_ids_to_tokens(self, token_id: int) -> str | None:
        return self.tokens[token_id] if token_id < len(self.tokens) else None

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        return "".join(token.replace("</w>", " ") for token in tokens)

    def __len__(self) -> int:
        return len(self.tokens)


@pytest.mark.parametrize(
    ("tokens", "shown"),
    [
        (["▁the", "<0x0A>", "cat"], ["␣the", "⏎", "cat"]),  # SentencePiece by the look of it
        (["the</w>", "cat"], ["the␣", "cat"]),  # its own decoder knows best
        (["a\ufffd"], ["a<U+FFFD>"]),
    ],
)
def test_a_tokenizer_without_a_backend_is_read_too(tokens: list[str], shown: list[str]) -> None:
    words = Slow(*tokens)
    assert [label(words, token_id) for token_id in range(len(tokens))] == shown
    assert label(words, 8) == "<id 8>"
    assert text_of(words, [0, 8]) == pieces(words, [0, 8])[0].joined


class Mute(Slow):
    """One whose decoder does not take tokens."""

    def convert_tokens_to_string(self, tokens: list[str]) -> str:
        raise NotImplementedError(tokens)


def test_a_tokenizer_that_joins_no_tokens_shows_them_as_they_stand() -> None:
    words = Mute("the", " cat")
    assert [piece.joined for piece in pieces(words, [0, 1])] == ["the", " cat"]
    assert text_of(words, [0, 1]) == "the cat"


E, SMILE = ids_of(BYTE_LEVEL, "é"), ids_of(BYTE_LEVEL, "🙂")
B, EOS, LACKING = ids_of(BYTE_LEVEL, "b")[0], BYTE_LEVEL.eos_token_id, VOCAB_SIZE - 1


@pytest.mark.parametrize(
    ("ids", "joined"),
    [
        ([*E, *SMILE], ["", "é", "", "", "", "🙂"]),
        ([SMILE[0], B, SMILE[0]], ["", "<0xF0>b", ""]),  # bytes that can be no character
        ([EOS, B, EOS], ["", "b", ""]),  # a special token is no text
        ([E[0], EOS, B], ["", "<0xC3>", "b"]),  # and breaks off an unfinished character
        ([E[0], EOS, E[1]], ["", "<0xC3>", "<0xA9>"]),  # which what follows does not complete
        ([LACKING, B], ["", "b"]),
    ],
)
def test_bytes_become_a_character_with_the_token_that_completes_it(
    ids: list[int], joined: list[str]
) -> None:
    found = pieces(BYTE_LEVEL, ids)
    assert [piece.joined for piece in found] == joined
    assert [piece.label for piece in found] == [label(BYTE_LEVEL, token_id) for token_id in ids]
    assert [piece.special for piece in found] == [token_id == EOS for token_id in ids]
    assert not any(piece.data for piece in found if piece.token_id in (EOS, LACKING))
    assert text_of(BYTE_LEVEL, ids) == "".join(joined)


def test_only_bytes_are_ever_shown_as_bytes() -> None:
    """What the bytes are shown by must not hide half a character on the way out."""
    with pytest.raises(UnicodeEncodeError):
        "\ud83d".encode(errors="one-token-stray-bytes")


@pytest.mark.parametrize("words", [BYTE_LEVEL, LLAMA, GEMMA])
@given(text=st.text())
def test_what_the_tokens_complete_is_the_text(words: Any, text: str) -> None:
    ids = ids_of(words, text)
    found = pieces(words, [words.eos_token_id, *ids])
    assert "".join(piece.joined for piece in found) == text_of(words, ids) == text
    assert b"".join(piece.data for piece in found).strip(b" ") == text.encode().strip(b" ")


@given(ids=st.lists(st.integers(0, VOCAB_SIZE + 10), max_size=30))
def test_no_ids_whatever_show_a_replacement_character(ids: list[int]) -> None:
    shown = [label(BYTE_LEVEL, token_id) for token_id in ids]
    assert "\ufffd" not in "".join(shown) + text_of(BYTE_LEVEL, ids)
    assert all(shown)


def test_the_table_of_labels_covers_the_whole_vocabulary_and_is_made_once() -> None:
    lm = tiny("llama")
    table = vocabulary_labels(lm)
    assert len(table) == VOCAB_SIZE == lm.vocab_size
    assert table[LACKING] == f"<id {LACKING}>"
    assert table[lm.tokenizer.eos_token_id] == END
    assert vocabulary_labels(lm) is table


def test_a_prompt_of_nothing_begins_with_the_first_token_and_half_a_character_is_refused() -> None:
    lm = tiny("llama")
    assert encode(lm, "") == [lm.bos_id]
    assert encode(lm, " ") == ids_of(BYTE_LEVEL, " ")
    with pytest.raises(ValueError, match=r"prompt is empty.*write a word"):
        encode(dataclasses.replace(lm, bos_id=None), "")
    with pytest.raises(ValueError, match=r"Character 3 .*U\+D83D.*delete it"):
        encode(lm, "ab\ud83d")


def test_any_whole_number_is_an_id() -> None:
    given = [np.int64(0), np.int32(VOCAB_SIZE - 1), 0]
    assert known_ids(tiny("llama"), given) == [0, VOCAB_SIZE - 1, 0]


@pytest.mark.parametrize("wrong", [-1, VOCAB_SIZE, "a", 1.0, True, None])
def test_what_is_no_id_of_the_model_is_refused(wrong: object) -> None:
    with pytest.raises(ValueError, match=f"no token of .* from 0 to {VOCAB_SIZE - 1}"):
        known_ids(tiny("llama"), [1, wrong])


def chat_model(template: str | None) -> LanguageModel:
    words = tokenizer(chat_template=template)
    return dataclasses.replace(
        tiny("llama"), tokenizer=words, has_chat_template=template is not None
    )


def test_a_chat_model_reads_its_template_special_tokens_and_all_and_others_say_why() -> None:
    template = "<|user|>{{ messages[0].content }}<|end|>{% if add_generation_prompt %}a:{% endif %}"
    lm = chat_model(template)
    shown = [piece.label for piece in pieces(lm.tokenizer, encode_chat(lm, " the"))]
    assert shown == ["<|user|>", "␣the", "<|end|>", "a", ":"]
    with pytest.raises(ValueError, match="no chat template"):
        encode_chat(chat_model(None), "hi")
    with pytest.raises(ValueError, match=r"template of .* failed .*without it"):
        encode_chat(chat_model("{{ raise_exception('no system role') }}"), "hi")


def test_each_stand_in_of_byte_level_bpe_is_the_byte_that_tokenizers_reads() -> None:
    splits = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    starts = *range(0x800), *range(0x800, 0xD800, 0x800), *range(0xE000, 0x110000, 0x1000)
    words, seen = tokenizer(), set[str]()
    for character in map(chr, starts):
        stand_ins = "".join(text for text, _ in splits.pre_tokenize_str(character))
        assert token_bytes(words, VOCAB_SIZE - 1, stand_ins) == character.encode()
        seen |= set(stand_ins)
    assert len(seen) == 256 - len(b"\xc0\xc1") - len(range(0xF5, 0x100)), "all that UTF-8 has"


def test_a_number_is_repeated_as_far_as_it_can_be_read() -> None:
    for number, is_said in ((2**255 - 1, True), (2**255, False), (2**100_000, False)):
        with pytest.raises(ValueError, match="is no token") as refused:
            known_ids(tiny("llama"), [number])
        assert str(refused.value).startswith("That") != is_said


def test_a_run_keeps_its_ids_where_the_template_writes_another_day() -> None:
    dated = chat_model("{{ strftime_now('%Y-%m-%d') }} {{ messages[0].content }}")
    today = encode_chat(dated, "hi")
    assert explain_chat_difference(dated, "hi", today) is None
    yesterday = ids_of(BYTE_LEVEL, "2020-01-01 hi")
    assert "date" in str(explain_chat_difference(dated, "hi", yesterday))
    plain = chat_model("{{ messages[0].content }}")
    assert explain_chat_difference(plain, "hi", ids_of(BYTE_LEVEL, "hi")) is None
    assert "date" not in str(explain_chat_difference(plain, "hi", yesterday))
    assert "refuses" in str(explain_chat_difference(chat_model(None), "hi", yesterday))


def test_the_token_that_begins_a_text_is_its_start_and_no_other_is(
    storyteller: LanguageModel,
) -> None:
    ids = encode(storyteller, "The cat")
    assert labels_of_text(storyteller, ids) == ("start", "The", "␣cat")
    assert labels_of_text(storyteller, [*ids, ids[0]])[-1] == labels_of(storyteller, ids[:1])[0]
    assert labels_of_text(storyteller, ids[1:]) == labels_of(storyteller, ids[1:])
    assert labels_of_text(storyteller, []) == ()


@pytest.mark.parametrize("read", [encode, encode_bare, partial(encode_within, limit=10**6)])
def test_no_tokenizer_works_on_millions_of_characters(
    storyteller: LanguageModel, read: Callable[[LanguageModel, str], list[int]]
) -> None:
    lm = dataclasses.replace(storyteller, tokenizer=None)  # whoever asks it fails
    for n_characters in (7_900_000, MAX_CHARACTERS + 1):
        with pytest.raises(ValueError, match="shorten it"):
            read(lm, "a" * n_characters)


def test_a_text_longer_than_the_tokenizer_expects_is_read_without_a_warning() -> None:
    words = tiny("llama").tokenizer
    before, words.model_max_length = words.model_max_length, 2
    try:
        assert len(encode_bare(tiny("llama"), "the cat sat")) > 2
        assert not words.deprecation_warnings, "the page says what is too long"
    finally:
        words.model_max_length = before


def test_a_text_for_few_tokens_is_refused_by_its_length(storyteller: LanguageModel) -> None:
    lm = dataclasses.replace(storyteller, tokenizer=None)
    with pytest.raises(ValueError, match="reads up to 1,000 here"):
        encode_within(lm, "a" * 1_001, 10)
    ids = encode(storyteller, "The cat sat.")
    assert encode_within(storyteller, "The cat sat.", len(ids)) == ids
    for text, limit in (("The cat sat.", len(ids) - 1), ("a" * 1_000, 10)):
        with pytest.raises(ValueError, match=f"room for {limit}: shorten it"):
            encode_within(storyteller, text, limit)


def test_the_end_of_a_text_is_marked_where_something_stands_before_it() -> None:
    ids = ids_of(BYTE_LEVEL, "the\ncat")
    assert [end_of(BYTE_LEVEL, ids, n) for n in (99, 7, 6)] == ["the⏎cat", "the⏎cat", "…he⏎cat"]
