"""What one reader has in the lesson on all continuations: a tree, and how it is looked at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from secrets import token_hex
from typing import Any, NamedTuple
from urllib.parse import urlencode

import numpy as np
import numpy.typing as npt

from model.beam_search import BeamSearch
from model.futures.continuations import MAX_TOKENS, Continuations
from model.futures.records import OpenedText
from model.generation import Generation
from model.loading import LanguageModel
from model.sentences import cut
from model.settings import ORDERS
from model.tokenizing import end_of, text_of
from pages.frame.component import encode_payload
from pages.frame.fields import read_controls
from pages.frame.labels import labels_address
from pages.frame.lesson_state import HomeText, LessonState
from pages.frame.saved_run import SavedIds, ids_of, read_saved
from pages.lessons.futures.settings import VIEW

N_BEAMS = 4  # of the search that a text is looked for in, if none is laid over the tree
N_PROMPT = 48  # characters of the prompt that stand above the tree
NOTHING_CHOSEN: dict[str, Any] = {"selected": (), "top": (), "drops": 0, "seed": 0}


class Run(NamedTuple):
    """What the reader has written after the prompt."""

    name: str  # a number is a text of the first page, a letter one that was saved
    ids: list[int]  # its first tokens


@dataclass
class FuturesLesson(LessonState):
    """All that one reader has on the page."""

    prompt: str
    tree: Continuations
    view: dict[str, Any]  # by the names of VIEW
    first_view: dict[str, Any]  # later the browser has its own
    tree_id: str  # the browser takes one of another name for another tree
    runs: list[Run] = field(default_factory=list)
    saved: list[list[int]] = field(default_factory=list)  # what files hold, prompt and all
    files: dict[str, SavedIds | str] = field(default_factory=dict)  # what was read, or why not
    beam: BeamSearch | None = None  # laid over the tree

    @classmethod
    def begin(cls, lm: LanguageModel, prompt: str, view: dict[str, Any]) -> FuturesLesson:
        """Begins with a tree of which the prompt alone is open.

        Raises:
            ValueError: The prompt cannot be read; one sentence.
        """
        tree = Continuations(Generation(lm, prompt))
        tree.open_along(view.get("selected", ()))
        return cls(lm, prompt, tree, view, view, token_hex(4))

    def read(self, prompt: str) -> None:
        """Takes another prompt.

        Raises:
            ValueError: It cannot be read; the tree before it stays.
        """
        other = self.begin(self.lm, prompt, self.view | NOTHING_CHOSEN)
        self.tree, self.prompt, self.tree_id = other.tree, other.prompt, other.tree_id
        self.view = self.first_view = other.view

    def take(self, event: Mapping[str, Any]) -> None:
        """Takes what was set in the component; what cannot be set there changes nothing."""
        with self.attempt():
            told = event.get("view") or {}
            self.view = self.view | read_controls(told, VIEW)

    def read_file(self, file_id: str, data: bytes) -> list[int]:
        """Returns the tokens of a saved run, prompt and all; a file is taken apart once.

        Raises:
            ValueError: It is none, or none of this tree; one sentence.
        """
        if file_id not in self.files:
            self.files[file_id] = _read_file(data)
        read = self.files[file_id]
        if isinstance(read, str):
            raise ValueError(read)
        name, prompt, written = read
        if name != self.lm.name:
            raise ValueError(
                f"This run was written by {cut(name)}, and the tree is of {self.lm.shown}: open "
                "the run’s model on the first page."
            )
        if max(prompt + written, default=0) >= self.lm.vocab_size:
            raise ValueError(f"This run has tokens that {name} lacks: save it again.")
        if prompt != self.tree.start.ids:
            own = cut(" ".join(text_of(self.lm.tokenizer, prompt).split()))
            raise ValueError(f"This run begins with another prompt, “{own}”: write that above.")
        return prompt + written

    def take_runs(self, texts: Sequence[HomeText], n_tokens: int) -> None:
        """Puts what goes on from the same prompt into the tree: the first page's texts, and files.

        Raises:
            ValueError: A pass failed; one sentence.
        """
        ways = {str(i): ids for i, ids in enumerate(self._ways([t.ids for t in texts]), start=1)}
        ways |= {chr(ord("A") + i): ids for i, ids in enumerate(self._ways(self.saved))}
        runs = [Run(name, ids[:n_tokens]) for name, ids in ways.items()]
        for run in runs if runs != self.runs else ():
            self.tree.open_along(run.ids)
        self.runs = runs

    def _ways(self, texts: Sequence[list[int]]) -> list[list[int]]:
        """Returns what stands after the prompt in those texts that go on from it."""
        prompt = self.tree.start.ids
        n = len(prompt)
        return [ids[n:] for ids in texts if len(ids) > n and ids[:n] == prompt]

    def lay_beam(self, n_beams: int, n_tokens: int) -> None:
        """Searches the same continuations with so many beams; none where that is 0.

        Raises:
            ValueError: It cannot be searched; one sentence.
        """
        before = self.beam
        asked = (n_beams, n_tokens, self.tree.start)
        if before is None or (before.n_beams, before.max_new_tokens, before.start) != asked:
            self.beam = None
            if n_beams:
                self.beam = BeamSearch(self.tree.start, n_beams, max_new_tokens=n_tokens)
                self.beam.run()

    def search_link(self, n_beams: int, n_tokens: int) -> str:
        """Returns the address of a beam search of the same continuations, on its own page."""
        parts = {"model": self.lm.name, "prompt": self.prompt, "beams": n_beams or N_BEAMS}
        return f"./beam_search?{urlencode(parts | {'tokens': max(2, n_tokens), 'ends': 'text'})}"

    def payload(
        self,
        n_tokens: int,
        n_beams: int,
        *,
        presenter: bool,
        waits: bool,
        guided: bool,
        cools: bool = False,
    ) -> bytes:
        """Returns the message for the component: see `encode_payload` for its layout."""
        tree, lm = self.tree, self.lm
        header = {
            "treeId": self.tree_id,
            "nTexts": len(tree.texts),
            "nTokens": n_tokens,
            "nVocab": lm.vocab_size,
            "endIds": sorted(lm.end_ids),
            "labelsAt": labels_address(lm),
            "prompt": end_of(lm.tokenizer, tree.start.ids, N_PROMPT),
            "position": len(tree.start.ids),
            "order": ORDERS["transformers"],
            "homeLink": f"./?{urlencode({'model': lm.name, 'prompt': self.prompt, 'seed': 0})}",
            "searchLink": self.search_link(n_beams, n_tokens),
            "runs": [run._asdict() for run in self.runs],
            "beam": self.beam and {"kept": kept_by(self.beam)},
            "view": self.first_view,
            "presenter": presenter,
            "waits": waits,
            "guided": guided,
            "cools": cools,
        }
        return encode_payload(header, tree_arrays(tree.texts))


def kept_by(search: BeamSearch) -> list[list[int]]:
    """Returns the texts, of every length, that a search has kept."""
    return [search.ids_of(node.node_id) for node in search.nodes if node.fate != "pruned"]


def tree_arrays(texts: Sequence[OpenedText]) -> dict[str, npt.NDArray[Any]]:
    """Lays the texts' numbers end to end, and says how many are whose."""
    kept = [text.following for text in texts]
    return {
        "parents": np.array([text.parent for text in texts], dtype=np.int32),
        "token_ids": np.array([text.token_id for text in texts], dtype=np.int32),
        "n_held": np.array([len(one.logits) for one in kept], dtype=np.int32),
        "n_bins": np.array([len(one.tail_counts) for one in kept], dtype=np.int32),
        "ids": np.concatenate([text.next_ids for text in texts]),
        "logits": np.concatenate([one.logits for one in kept]),
        "tail_counts": np.concatenate([one.tail_counts for one in kept]),
        "tail_logits": np.concatenate([one.tail_logits for one in kept]),
        "tail_variances": np.concatenate([one.tail_variances for one in kept]),
    }


def _read_file(data: bytes) -> SavedIds | str:
    """Returns what a tree needs of a saved run, or why it cannot be read: no file is kept."""
    try:
        name, prompt, written = read_saved(data, ids_of)
    except ValueError as error:
        return str(error)
    return name, prompt, written[:MAX_TOKENS]
