"""Beam search: several texts at once, the likeliest kept (Lowerre 1976; arXiv 1409.3215).

Each step weighs every token after every beam, ranks all of them in one list by joint
log-probability, and goes on with the best. All beams are rows of one batch: one pass reads their
new tokens, and the cache's rows are put in the order of the parents that were chosen. What ends is
set aside and scored by sum log p / length ^ a (1609.08144 in a simpler form). The ranking of what
ends and the rule for stopping are transformers', so that the two can be held against each other.
"""

import re
from collections.abc import Sequence
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from model import kv_cache
from model.batch import Batch
from model.beam_search.records import ROOT, BeamNode, BeamStep, Fate, FinishedBeam, lineage
from model.draw import best_ids, place_of
from model.generation import Generation
from model.language_model import LanguageModel
from model.masks import log_softmax
from model.passes import check_context
from model.sentences import Sentence
from model.tokenizing import label, text_of, vocabulary_labels

MAX_BEAMS = 8
N_SHOWN = 3  # best tokens of each beam that are on record, however far they are from being kept
_SENTENCE_END = re.compile(r"[␣⏎]*[.!?]+[\"'”’]*[␣⏎]*")

Totals: TypeAlias = npt.NDArray[np.float64]


class BeamSearch:
    """One search after one prompt: the tree so far, the beams that go on, what is finished.

    Attributes:
        lm: the model.
        start: the prompt as it was read; it stays as it is.
        nodes: every candidate on record; ids are places.
        steps: one record per step.
        beams: ids of the nodes that go on, best first.
        finished: what has ended, in the order in which it did.
    """

    def __init__(
        self,
        start: Generation,
        n_beams: int = 4,
        length_penalty: float = 0.0,
        max_new_tokens: int = 12,
        end_ids: frozenset[int] | None = None,
    ) -> None:
        """Takes a prompt that has been read; its cache and its logits are where the beams begin.

        Args:
            start: any text of a causal model.
            n_beams: how many texts go on after each step, at most MAX_BEAMS; 1 is greedy.
            length_penalty: a in sum log p / length ^ a, by which finished texts are ranked.
            max_new_tokens: length at which every text ends.
            end_ids: tokens that end a text; the model's own by default.

        Raises:
            ValueError: where there is no room, or a number makes no sense.
        """
        lm = start.lm
        if start.finished is not None:
            raise ValueError("The text before the search is finished: shorten it, or begin anew.")
        if max_new_tokens < 1:
            raise ValueError(f"max_new_tokens is {max_new_tokens}: choose 1 or more.")
        check_context(
            lm,
            len(start.ids) + max_new_tokens,
            Sentence(
                "{n_tokens} tokens are {number} more than the {limit} that {model} reads: "
                "write fewer, or shorten the prompt."
            ),
        )
        self.lm, self.start = lm, start
        self.n_beams, self.length_penalty = n_beams, length_penalty
        self.max_new_tokens = max_new_tokens
        self.end_ids = lm.end_ids if end_ids is None else end_ids
        self.nodes: list[BeamNode] = []
        self.steps: list[BeamStep] = []
        self.finished: list[FinishedBeam] = []
        self.beams: list[int] = [ROOT]
        self._totals: Totals = np.zeros(1)
        self._batch = Batch.after(start)
        self._is_settled = False

    @property
    def is_done(self) -> bool:
        """Whether nothing is left to weigh, or nothing of it could win any more."""
        return self._is_settled or not self.beams

    def step(self) -> BeamStep:
        """Makes every beam one token longer and keeps the best."""
        # score: joint log-probability of every token after every beam, (beams, vocab)
        logprobs = log_softmax(self._batch.logits)
        totals = np.where(self.allowed(), self._totals[:, None] + logprobs, -np.inf)

        # rank: the candidates of all beams in one list, best first
        n_possible = int(np.count_nonzero(totals > -np.inf))
        # so many that n_beams go on if all the others end
        n_ranked = self.n_beams * max(2, 1 + len(self.end_ids))
        ranked = best_ids(totals.ravel(), min(n_possible, n_ranked))

        # keep: the best that go on; what ends counts if it is among the first n_beams
        fates = self._divide(ranked, totals.shape[1])
        parents, before = self.beams, len(self.nodes)
        self._grow(totals, logprobs, ranked, fates)
        made = self.nodes[before:]
        kept = [node for node in made if node.fate == "kept"]
        self.finished += [self._finish(node) for node in made if node.fate == "finished"]
        self.beams = [node.node_id for node in kept]
        self._totals = np.array([node.total for node in kept])

        # stop: where no beam can beat what is finished
        self._is_settled = self._cannot_win()

        # reorder: each beam takes the row of its parent, then one pass reads all the new tokens
        seconds = 0.0
        if not self.is_done:
            self._batch.reorder([parents.index(node.parent) for node in kept])
            seconds = self._batch.append([node.token_id for node in kept])
        self.steps.append(self._record(made, parents, totals.size, seconds))
        return self.steps[-1]

    def run(self) -> list[FinishedBeam]:
        """Goes on to the end, and returns the finished texts by score, best first."""
        while not self.is_done:
            self.step()
        return rank_finished(self.finished, self.length_penalty)[: self.n_beams]

    def allowed(self) -> npt.NDArray[np.bool_] | Literal[True]:
        """Tells which tokens may follow which beam: all of them, where nothing constrains them."""
        return True

    def is_end(self, row: int, token_id: int) -> bool:  # noqa: ARG002  a constraint asks for the row
        """Tells whether a token after one of the beams ends that text."""
        return token_id in self.end_ids

    def _divide(self, ranked: npt.NDArray[np.intp], n_vocab: int) -> list[Fate]:
        """Tells what becomes of each candidate, best first."""
        fates: list[Fate] = []
        is_last = len(self.steps) + 1 == self.max_new_tokens
        n_kept = 0
        for rank, flat in enumerate(ranked.tolist()):
            if is_last or self.is_end(*divmod(flat, n_vocab)):
                fates.append("finished" if rank < self.n_beams else "pruned")
            else:
                fates.append("kept" if n_kept < self.n_beams else "pruned")
                n_kept += 1
        return fates

    def _grow(
        self, totals: Totals, logprobs: Totals, ranked: npt.NDArray[np.intp], fates: Sequence[Fate]
    ) -> None:
        """Adds to the tree what was kept, what ended, the runners-up, and each beam's best."""
        n_vocab = totals.shape[1]
        best = [(row, i) for row in range(len(totals)) for i in best_ids(totals[row], N_SHOWN)]
        shown = {row * n_vocab + int(i) for row, i in best if totals[row, i] > -np.inf}
        fate_of: dict[int, Fate] = dict(zip(ranked.tolist(), fates, strict=True))
        shown |= {flat for flat, fate in fate_of.items() if fate != "pruned"}
        shown |= set(ranked[: 2 * self.n_beams].tolist())
        for flat in sorted(shown, key=lambda flat: (-totals.ravel()[flat], flat)):
            row, token_id = divmod(flat, n_vocab)
            total = totals[row, token_id]
            self.nodes.append(
                BeamNode(
                    node_id=len(self.nodes),
                    parent=self.beams[row],
                    depth=len(self.steps) + 1,
                    token_id=token_id,
                    label=label(self.lm.tokenizer, token_id),
                    logprob=float(logprobs[row, token_id]),
                    total=float(total),
                    rank=place_of(totals.ravel(), flat),
                    place=place_of(totals[row], token_id),
                    fate=fate_of.get(flat, "pruned"),
                )
            )

    def _finish(self, node: BeamNode) -> FinishedBeam:
        ids = self.ids_of(node.node_id)
        return FinishedBeam(
            node_id=node.node_id,
            token_ids=tuple(ids),
            text=text_of(self.lm.tokenizer, ids),
            logprobs=tuple(self.nodes[i].logprob for i in lineage(self.nodes, node.node_id)),
            ended=self._is_end_of(node),
        )

    def _is_end_of(self, node: BeamNode) -> bool:
        return node.token_id in self.end_ids

    def _cannot_win(self) -> bool:
        """Tells whether the best beam, as long as it is, loses to the n_beams best finished."""
        best = rank_finished(self.finished, self.length_penalty)[: self.n_beams]
        if not self.beams or len(best) < self.n_beams:
            return False
        hope = self._totals[0] / float(len(self.steps) + 1) ** self.length_penalty
        return bool(hope <= best[-1].score(self.length_penalty))

    def _record(
        self, made: Sequence[BeamNode], parents: Sequence[int], n_candidates: int, seconds: float
    ) -> BeamStep:
        alive = {node.parent for node in made if node.fate != "pruned"}
        cache = self._batch.cache
        held = 0 if cache is None else self._batch.n_read
        return BeamStep(
            depth=len(self.steps) + 1,
            node_ids=tuple(node.node_id for node in made),
            beams=tuple(self.beams),
            dropped=tuple(parent for parent in parents if parent not in alive),
            n_candidates=n_candidates,
            seconds=seconds,
            cache_tokens=held,
            cache_bytes=kv_cache.bytes_in_use(cache, held),
        )

    def ids_of(self, node_id: int) -> list[int]:
        """Returns the generated tokens up to a node."""
        return [self.nodes[i].token_id for i in lineage(self.nodes, node_id)]


def rank_finished(finished: Sequence[FinishedBeam], length_penalty: float) -> list[FinishedBeam]:
    """Ranks finished texts by sum log p / length ^ a, best first; of equals the earlier one."""
    return sorted(finished, key=lambda beam: -beam.score(length_penalty))


def sentence_ends(lm: LanguageModel) -> frozenset[int]:
    """Lists the tokens that end a sentence, and those that end a text."""
    labels = vocabulary_labels(lm)
    marks = {i for i, text in enumerate(labels) if _SENTENCE_END.fullmatch(text)}
    return lm.end_ids | marks
