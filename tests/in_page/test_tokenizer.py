"""The page's tokenizer is the library's: ids, bytes and characters, on strings of every kind."""

import random
import sys
from unicodedata import category

import pytest

from model.loading import LanguageModel
from model.tokenizing import encode, pieces, text_of, vocabulary_labels
from tests.driving.in_page import InPage

EDGES = [
    *("", " ", "\n", "\t \n ", "\u0085", "\ufeff", "\u00a0", "\u2028", "\u3000", "\0", "\u200d"),
    *("It's they'll I'D 'tis ''s", "12 345,6", "a" * 3000, " " * 50, "'" * 9, "…—“quoted”"),
    *("<|endoftext|>", "a<|endoftext|><|pad|>b", "<extra_id_1><extra_id_10>", "<|endoftext"),
    *(
        "👩\u200d👩\u200d👧 🇺🇳",
        "שלום עולם",
        "مرحبا بالعالم",
        "नमस्ते",
        "ไทย",
        "안녕하세요",
        "漢字かな",
    ),
    *("Ω≈ç√∫", "e\u0301\u0323"),
]
WORDS = [
    "Once",
    "upon",
    " a",
    " time",
    " there",
    "don't",
    "we're",
    " girl",
    ".",
    ",",
    " the",
    " cat",
]
SURROGATES = range(0xD800, 0xE000)
# assigned in every Unicode version that the library or a browser may have
CHARACTERS = [
    chr(code)
    for code in range(sys.maxunicode + 1)
    if code not in SURROGATES and category(chr(code)) != "Cn"
]


def random_text(rng: random.Random) -> str:
    """Words, characters of all planes, spaces and special tokens, in any mixture."""
    kinds = [
        lambda: rng.choice(WORDS),
        lambda: rng.choice(CHARACTERS),
        lambda: chr(rng.randrange(0x20, 0x7F)),
        lambda: chr(rng.randrange(0x80, 0x800)),
        lambda: rng.choice(" \n\t\r\u00a0\u2003\u0085\ufeff") * rng.randrange(1, 4),
        lambda: rng.choice(EDGES[11:21]) if rng.random() < 0.05 else "",
        lambda: chr(rng.randrange(0x1F300, 0x1FA00)),
        lambda: chr(rng.randrange(0x590, 0x700)),
    ]
    few = rng.sample(kinds, rng.randrange(1, len(kinds)))
    return "".join(rng.choice(few)() for _ in range(rng.randrange(40)))


def test_five_thousand_texts_have_the_ids_of_the_library(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    rng = random.Random(31)
    texts = EDGES + [random_text(rng) for _ in range(5000)]
    wrong = [
        text for text in texts if in_page("encode", text=text)["ids"] != encode(storyteller, text)
    ]
    assert not wrong
    assert len(set(texts)) > 4500


def test_ids_taken_apart_are_the_pieces_of_python(
    in_page: InPage, storyteller: LanguageModel
) -> None:
    """Ids in any order: most of them leave bytes that are no character."""
    rng = random.Random(31)
    alone = [i for i, label in enumerate(vocabulary_labels(storyteller)) if "<0x" in label]
    for n in range(400):
        ids = rng.choices([alone, range(storyteller.vocab_size)][n % 2], k=rng.randrange(30))
        told = in_page("pieces", ids=ids)
        ours = pieces(storyteller.tokenizer, ids)
        assert told["text"] == text_of(storyteller.tokenizer, ids)
        for theirs, piece in zip(told["pieces"], ours, strict=True):
            assert theirs["id"] == piece.token_id
            assert theirs["label"] == piece.label
            assert bytes(theirs["bytes"]) == piece.data
            assert theirs["joined"] == piece.joined
            assert theirs["special"] == piece.special


@pytest.mark.parametrize("text", ["\ud83d", "a🎈b\udc00c", "\udfff\ud800"])
def test_half_a_character_is_refused_as_in_the_app(
    in_page: InPage, storyteller: LanguageModel, text: str
) -> None:
    with pytest.raises(ValueError, match="half of one") as refused:
        encode(storyteller, text)
    assert in_page("encode", text=text) == {"refused": str(refused.value)}
