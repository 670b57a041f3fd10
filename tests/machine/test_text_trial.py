"""A tokenizer that passed its model's trial, and waits for a text that the trial did not have."""

import dataclasses
from collections.abc import Iterator
from typing import Any

import pytest
from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers
from transformers import PreTrainedTokenizerFast

from model.language_model import LanguageModel
from model.machine import text_trial
from model.machine.text_trial import guard
from model.tokenizing import encode
from model.weights.trial import try_words
from tests.tiny_models import tiny, tokenizer


def with_rules(backend: Tokenizer) -> Any:
    return PreTrainedTokenizerFast(tokenizer_object=backend, unk_token="u")


def growing() -> Any:
    """Makes millions of letters of a digit, which no rule of it names."""
    backend = Tokenizer(models.WordLevel({"u": 0, "x": 1}, unk_token="u"))
    backend.normalizer = normalizers.Replace(Regex(r"\p{Nd}"), "x " * 1_000_000)
    backend.pre_tokenizer = pre_tokenizers.Whitespace()
    return with_rules(backend)


def endless() -> Any:
    """Compares every part of a word with its vocabulary, and takes words of any length."""
    return with_rules(
        Tokenizer(
            models.WordPiece(
                {"u": 0, "a": 1, "##a": 2}, unk_token="u", max_input_chars_per_word=10**9
            )
        )
    )


@pytest.fixture(autouse=True)
def _no_child_is_left() -> Iterator[None]:
    yield
    text_trial._child.__exit__()
    text_trial._child._process = None


@pytest.mark.parametrize(
    ("words", "harmless", "hostile"),
    [(growing(), "xx", "7" * 200), (endless(), "aaa", "a" * 5_000)],
)
def test_a_text_that_takes_too_much_is_refused_and_the_next_is_read(
    words: Any, harmless: str, hostile: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    try_words(words, "stranger")
    monkeypatch.setattr(text_trial, "TEXT_SECONDS", 0.5)
    guard(words)
    lm: LanguageModel = dataclasses.replace(tiny("llama"), tokenizer=words, context_length=2_000)
    ids = words(harmless)["input_ids"]
    for text in (harmless, hostile, harmless, hostile):
        if text == harmless:
            assert encode(lm, text) == ids
            continue
        with pytest.raises(ValueError, match=r"cannot read this text .it (took|ended)") as caught:
            encode(lm, text)
        assert str(caught.value).endswith("change it.")


def test_few_tokenizers_are_held_and_each_is_read_again_where_it_is_asked() -> None:
    lms = [dataclasses.replace(tiny("llama"), tokenizer=tokenizer()) for _ in range(4)]
    expected = encode(lms[0], "the cat")
    for lm in lms:
        guard(lm.tokenizer)
    for lm in (*lms, *lms[::-1]):
        assert encode(lm, "the cat") == expected
