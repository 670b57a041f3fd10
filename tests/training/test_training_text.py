"""What the family is taught with: the tokenizer, and the corpus that is read, split and packed."""

import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from transformers import AutoTokenizer

from model.weights.locate import SHIPPED
from training.corpus import (
    CorpusError,
    DocumentStream,
    Mixture,
    encode_documents,
    overlap_shares,
    read_sources,
    split_documents,
    without_copies,
)
from training.tokenizer import MASK, PAD, SENTINELS, VOCAB_SIZE


@pytest.fixture(scope="module")
def shipped():
    return AutoTokenizer.from_pretrained(SHIPPED["storyteller"], local_files_only=True)


# ---- the tokenizer


@settings(max_examples=100, deadline=None)
@given(text=st.text() | st.just(bytes(range(256)).decode("latin-1")))
def test_any_text_comes_back_as_it_was(shipped, text):
    for special in shipped.all_special_tokens:
        text = text.replace(special, "")
    ids = shipped(text).input_ids
    assert shipped.decode(ids, skip_special_tokens=True) == text


def test_a_text_begins_with_one_bos_and_special_tokens_have_their_places(shipped):
    bare = shipped("The cat", add_special_tokens=False).input_ids
    assert shipped("The cat").input_ids == [0, *bare]
    assert 0 not in bare
    assert shipped.bos_token_id == shipped.eos_token_id == 0
    assert shipped.convert_tokens_to_ids([PAD, MASK, SENTINELS[0], SENTINELS[-1]]) == [1, 2, 3, 34]
    assert (shipped.pad_token, shipped.mask_token) == (PAD, MASK)
    assert shipped.model_max_length == 2048
    assert len(shipped) == VOCAB_SIZE == 4096


# ---- the corpus


def test_documents_are_read_from_plain_and_gzipped_files(tmp_path):
    (tmp_path / "tales.txt").write_text("one\n<|endoftext|>\ntwo\nlines\n<|endoftext|>\n\n")
    with gzip.open(tmp_path / "sentences.txt.gz", "wt") as file:
        file.write("".join(f"line {i}.\n" for i in range(13)))
    sources = read_sources(tmp_path)
    assert sources["tales"] == ["one", "two\nlines"]
    assert [len(text.splitlines()) for text in sources["sentences"]] == [12, 1]


def test_the_split_is_by_document_disjoint_and_the_same_every_time(stories):
    split = split_documents(stories, fraction=0.1, most_overlap=1.0)
    assert split == split_documents(stories, fraction=0.1, most_overlap=1.0)
    assert split != split_documents(stories, fraction=0.1, most_overlap=1.0, seed=1)
    for name, texts in stories.items():
        assert sorted(split.train[name] + split.held_out[name]) == sorted(texts)
        assert len(split.held_out[name]) == 5


def test_a_copy_of_a_short_document_is_never_on_both_sides():
    texts = [f"Tom has {n} hats." for n in range(20)]
    copies = [text.upper().replace(" ", "\n") for text in texts]
    assert without_copies({"a": texts, "b": [*copies, "new"]}) == {"a": texts, "b": ["new"]}
    split = split_documents({"a": texts + copies, "b": ["one", "two"]}, fraction=0.5)
    held_out = {" ".join(text.lower().split()) for text in split.held_out["a"]}
    assert held_out
    assert held_out.isdisjoint(" ".join(text.lower().split()) for text in split.train["a"])


def test_overlap_counts_the_shared_word_8grams():
    train = {"a": ["x one two three four five six seven eight y"]}
    candidates = {"a": ["One two three four five six seven eight nine ten", "too short to share"]}
    # three 8-grams, the first of which is in training; upper case does not hide it
    assert overlap_shares(candidates, train) == {"a": [pytest.approx(1 / 3), 0.0]}


def test_a_held_out_document_that_training_knows_is_dropped_from_both_sides():
    words = "one two three four five six seven eight nine"
    nearly_alike = [f"{words} {n}" for n in range(10)]
    split = split_documents({"a": nearly_alike, "b": ["this", "that"]}, fraction=0.2)
    assert split.dropped == {"a": 2, "b": 0}
    assert list(split.held_out) == ["b"]
    assert len(split.train["a"]) == 8
    with pytest.raises(CorpusError, match="remove repeated documents"):
        split_documents({"a": nearly_alike})
    with pytest.raises(CorpusError, match="or copies of one"):
        split_documents({"a": [words] * 10})


def test_documents_are_packed_whole_behind_their_end_token(tokenizer):
    documents = encode_documents(tokenizer, ["Tom ran.", "Lily sang."])
    assert all(ids[0] == 0 and 0 not in ids[1:] for ids in documents)
    n_tokens = sum(map(len, documents))
    stream = DocumentStream(documents, seed=0)
    epochs = [stream.take(n_tokens) for _ in range(3)]
    assert all(sorted(epoch) == sorted(np.concatenate(documents)) for epoch in epochs)


@pytest.mark.parametrize("openings", [0.0, 0.5])
def test_a_stream_runs_over_an_epochs_end_and_finds_its_place_again(openings):
    documents = [np.array([0, i], dtype=np.uint16) for i in range(1, 6)]
    stream, other, again = (DocumentStream(documents, seed=3, openings=openings) for _ in range(3))
    sizes = (7, 10, 3, 17)
    taken = [stream.take(n).tolist() for n in sizes]
    assert [other.take(n).tolist() for n in sizes[:3]] == taken[:3]
    again.seek(other.place)
    assert again.take(17).tolist() == taken[3]
    if not openings:  # in whatever pieces it is taken
        assert np.array_equal(DocumentStream(documents, seed=3).take(37), np.concatenate(taken))


def test_a_mixture_keeps_its_weights_and_serves_a_corpus_that_has_none_of_them():
    streams = {name: DocumentStream([np.full(9, i, np.uint16)], 0) for i, name in enumerate("abc")}
    rows = Mixture(streams, seed=0).rows(2000, 2, {"a": 3, "b": 1, "elsewhere": 9})
    assert set(rows[:, 0]) == {0, 1}
    assert (rows[:, 0] == 0).mean() == pytest.approx(0.75, abs=0.04)
    assert set(Mixture(streams, seed=0).rows(90, 2, {"elsewhere": 1})[:, 0]) == {0, 1, 2}
