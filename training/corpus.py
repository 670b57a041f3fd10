"""The text that the family is trained on: documents, the held-out split, and rows of token ids.

A corpus is a folder of `.txt` or `.txt.gz` files; each file is one *source*. A line
`<|endoftext|>` stands between documents. A file without that line is taken as a list of sentences,
one per line, and a few of them make a document.
This file does not know what a model is.
"""

import gzip
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from tokenizers import Tokenizer

END_OF_TEXT = "<|endoftext|>"
END_ID = 0
SENTENCES_PER_DOCUMENT = 12
OVERLAP_WORDS = 8

Ids = npt.NDArray[np.uint16]
Sources = dict[str, list[str]]


class CorpusError(ValueError):
    """The corpus cannot be used; the message says why and what to do."""


@dataclass(frozen=True)
class Document:
    """A held-out document."""

    ids: Ids  # behind one bos, without the closing end
    n_bytes: int  # of its text in UTF-8


@dataclass(frozen=True)
class Split:
    """Documents to learn from, documents to be judged on, and how much the two share."""

    train: Sources
    held_out: Sources  # a source of which all was dropped is missing
    overlaps: dict[
        str, list[float]
    ]  # per source: share of each held-out document's 8-grams seen in training
    dropped: dict[
        str, int
    ]  # per source: held-out documents left out of both sides, as they overlap too much


def read_sources(folder: Path) -> Sources:
    """Reads every `.txt` and `.txt.gz` file of a folder into a list of documents.

    Raises:
        CorpusError: the folder is missing, or holds no text.
    """
    if not folder.is_dir():
        remedy = "give --corpus a folder of .txt or .txt.gz files"
        raise CorpusError(f"There is no folder {folder}: {remedy}.")
    paths = sorted(path for path in folder.iterdir() if path.name.endswith((".txt", ".txt.gz")))
    sources = {path.name.split(".txt")[0]: read_documents(path) for path in paths}
    sources = {name: documents for name, documents in sources.items() if documents}
    if not sources:
        raise CorpusError(
            f"The corpus {folder} is empty: put .txt or .txt.gz files with text into it."
        )
    return sources


def read_documents(path: Path) -> list[str]:
    """Cuts one file into its documents; empty ones are left out."""
    opener = gzip.open if path.suffix == ".gz" else open
    try:
        with opener(path, "rt", encoding="utf-8") as file:
            text = file.read()
    except (OSError, EOFError, UnicodeDecodeError) as error:
        remedy = "give a whole UTF-8 text file, gzipped or plain"
        raise CorpusError(f"Cannot read {path} ({error}): {remedy}.") from error
    if f"{END_OF_TEXT}\n" in text:
        pieces = text.replace(f"{END_OF_TEXT}\n", END_OF_TEXT).split(END_OF_TEXT)
    else:
        lines = [line for line in text.splitlines() if line.strip()]
        starts = range(0, len(lines), SENTENCES_PER_DOCUMENT)
        pieces = ["\n".join(lines[i : i + SENTENCES_PER_DOCUMENT]) for i in starts]
    return [piece.strip() for piece in pieces if piece.strip()]


def split_documents(
    sources: Sources, fraction: float = 0.02, seed: int = 0, most_overlap: float = 0.25
) -> Split:
    """Sets a share of each source aside, and drops what resembles the training text too much.

    Documents that are copies of one before them, in whatever source, are dropped first.

    Args:
        sources: documents by source.
        fraction: share of each source's documents to hold out, at least one document.
        seed: the same seed gives the same split.
        most_overlap: a held-out document with a larger share of its 8-grams in training is dropped
            from both sides.
    """
    train: Sources = {}
    candidates: Sources = {}
    for name, documents in without_copies(sources).items():
        if len(documents) < 2:
            remedy = f"put a line {END_OF_TEXT} between its documents, so that one can be held out"
            raise CorpusError(
                f"The source {name} is a single document, or copies of one: {remedy}."
            )
        order = list(range(len(documents)))
        random.Random(f"{seed}/{name}").shuffle(order)
        n_held = max(1, round(fraction * len(documents)))
        candidates[name] = [documents[i] for i in sorted(order[:n_held])]
        train[name] = [documents[i] for i in sorted(order[n_held:])]
    shares = overlap_shares(candidates, train)
    kept = {
        name: [
            text for text, share in zip(texts, shares[name], strict=True) if share <= most_overlap
        ]
        for name, texts in candidates.items()
    }
    if not any(kept.values()):
        remedy = "remove repeated documents from the corpus, or add others"
        raise CorpusError(f"All held-out documents repeat the training text: {remedy}.")
    overlaps = {name: [s for s in values if s <= most_overlap] for name, values in shares.items()}
    dropped = {name: len(candidates[name]) - len(kept[name]) for name in candidates}
    held_out = {name: texts for name, texts in kept.items() if texts}
    return Split(train, held_out, overlaps, dropped)


def without_copies(sources: Sources) -> Sources:
    """Leaves each document but once, the first; white space and case do not make another."""
    seen: set[str] = set()
    left: Sources = {}
    for name, documents in sources.items():
        left[name] = []
        for text in documents:
            plain = " ".join(text.lower().split())
            if plain not in seen:
                seen.add(plain)
                left[name].append(text)
    return left


def overlap_shares(candidates: Sources, train: Sources) -> dict[str, list[float]]:
    """Tells which share of each candidate's different word 8-grams occurs in training."""
    grams = {name: [set(word_ngrams(text)) for text in texts] for name, texts in candidates.items()}
    wanted = {gram for sets in grams.values() for each in sets for gram in each}
    texts = (text for source in train.values() for text in source)
    seen = {gram for text in texts for gram in word_ngrams(text) if gram in wanted}
    return {
        name: [len(each & seen) / max(1, len(each)) for each in sets]
        for name, sets in grams.items()
    }


def word_ngrams(document: str) -> Iterator[tuple[str, ...]]:
    """Yields the runs of OVERLAP_WORDS words of a document, in lower case, split at white space."""
    words = document.lower().split()
    return zip(*(words[i:] for i in range(OVERLAP_WORDS)), strict=False)


def encode_documents(tokenizer: Tokenizer, documents: Sequence[str]) -> list[Ids]:
    """Turns documents into ids, each with its `<|endoftext|>` in front."""
    encodings = tokenizer.encode_batch_fast(list(documents), add_special_tokens=False)
    return [np.array([END_ID, *encoding.ids], dtype=np.uint16) for encoding in encodings]


def held_out_documents(tokenizer: Tokenizer, texts: Sequence[str]) -> list[Document]:
    """Pairs the ids of each text with its bytes."""
    sizes = [len(text.encode()) for text in texts]
    return [Document(*pair) for pair in zip(encode_documents(tokenizer, texts), sizes, strict=True)]


def cut_openings(
    tokenizer: Tokenizer, documents: Sequence[Document], n_tokens: int
) -> list[Document]:
    """The first n tokens of each document behind its bos, and their bytes."""
    cut = [document.ids[: n_tokens + 1] for document in documents]
    # a byte-level token has one letter for each of its bytes
    sizes = [sum(len(tokenizer.id_to_token(i) or "") for i in ids[1:].tolist()) for ids in cut]
    return [Document(ids, size) for ids, size in zip(cut, sizes, strict=True)]


class DocumentStream:
    """The documents of one source as an endless stream of ids, shuffled anew in every epoch."""

    def __init__(self, documents: list[Ids], seed: int, openings: float = 0.0) -> None:
        """Keeps the documents; the seed and an epoch's number decide its order.

        Args:
            documents: each behind its `<|endoftext|>`.
            seed: of the order and of the pointers.
            openings: share of the takings that first move on to where a document begins.
        """
        self.documents = documents
        self.seed = seed
        self.openings = openings
        self.place = (0, 0)  # epoch, and the position in it
        self.epoch_ids = self._shuffled(0)

    def _shuffled(self, epoch: int) -> Ids:
        order = np.random.default_rng([self.seed, epoch]).permutation(len(self.documents))
        return np.concatenate([self.documents[i] for i in order])

    def take(self, n_tokens: int) -> Ids:
        """Returns the next n ids and moves on; an epoch's end runs on into the next epoch."""
        if np.random.default_rng([self.seed, *self.place]).random() < self.openings:
            self._move_to_an_opening()
        epoch, position = self.place
        taken = self.epoch_ids[position : position + n_tokens]
        position += len(taken)
        while len(taken) < n_tokens:
            epoch, position = epoch + 1, n_tokens - len(taken)
            self.epoch_ids = self._shuffled(epoch)
            taken = np.concatenate([taken, self.epoch_ids[:position]])
            position = min(position, len(self.epoch_ids))
        self.place = (epoch, position)
        return taken

    def _move_to_an_opening(self) -> None:
        epoch, position = self.place
        begins = self.epoch_ids[position:] == END_ID
        self.seek((epoch, position + int(begins.argmax())) if begins.any() else (epoch + 1, 0))

    def seek(self, place: tuple[int, int]) -> None:
        """Goes back to a place noted earlier."""
        if place[0] != self.place[0]:
            self.epoch_ids = self._shuffled(place[0])
        self.place = place


class Mixture:
    """Rows of ids from several streams, each row from a source drawn by weight."""

    def __init__(self, streams: dict[str, DocumentStream], seed: int) -> None:
        """Keeps the streams and a generator of its own."""
        self.streams = streams
        self.rng = np.random.default_rng(seed)

    def rows(self, n_rows: int, n_tokens: int, weights: dict[str, float]) -> npt.NDArray[np.int64]:
        """Draws rows of n ids.

        Args:
            n_rows: how many.
            n_tokens: ids in each; a row may begin and end inside a document.
            weights: by source, in any unit; a corpus with none of these sources is mixed evenly.
        """
        names = [name for name in self.streams if weights.get(name, 0) > 0] or list(self.streams)
        shares = np.array([weights.get(name, 1.0) for name in names])
        chosen = self.rng.choice(len(names), size=n_rows, p=shares / shares.sum())
        return np.stack([self.streams[names[i]].take(n_tokens) for i in chosen]).astype(np.int64)

    def state(self) -> dict[str, Any]:
        """Tells where every stream stands, for a checkpoint."""
        return {
            "rng": self.rng.bit_generator.state,
            "places": {n: s.place for n, s in self.streams.items()},
        }

    def restore(self, state: dict[str, Any]) -> None:
        """Goes on from a state noted earlier."""
        self.rng.bit_generator.state = state["rng"]
        for name, place in state["places"].items():
            self.streams[name].seek(tuple(place))
