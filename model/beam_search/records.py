"""The records of a beam search: the tree of candidates, the steps, what searches came to.

A node is one token in the tree; its text is the prompt and the tokens on the way to it. Nodes stand
in the order in which they were made, parents before children, and a node's id is its place.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

Fate: TypeAlias = Literal["kept", "finished", "pruned"]
ROOT = -1  # parent of the first generated tokens: the end of the prompt


@dataclass(frozen=True)
class BeamNode:
    """One candidate: a token after a beam, and what became of it."""

    node_id: int  # its place among the search's nodes
    parent: int  # id of the node before it, or ROOT
    depth: int  # generated tokens up to and with it, 1 for the first
    token_id: int
    label: str  # visible text
    logprob: float  # nats, of this token after its parent
    total: float  # nats, sum over the tokens from the prompt on: the joint log-probability
    rank: int  # among all candidates of its step, 0 is best
    place: int  # among its parent's candidates, 0 is the parent's best token
    fate: Fate


@dataclass(frozen=True)
class BeamStep:
    """One step of a search: the candidates of all beams, ranked, and the pass that followed."""

    depth: int  # tokens that each beam has after it
    node_ids: tuple[int, ...]  # candidates on record, by rank
    beams: tuple[int, ...]  # those that go on, best first: the rows of the next pass
    dropped: tuple[int, ...]  # beams of the step before that none of the kept candidates extends
    n_candidates: int  # scored: beams times vocabulary
    seconds: float  # of the pass that read the beams' new tokens; 0 where none followed
    cache_tokens: int  # positions that the cache holds for each beam
    cache_bytes: int  # measured, of all beams together


@dataclass(frozen=True)
class FinishedBeam:
    """A text that the search has completed."""

    node_id: int
    token_ids: tuple[int, ...]  # generated
    text: str  # generated
    logprobs: tuple[float, ...]  # nats, of each token
    ended: bool  # by an end token; else by the limit on length

    @property
    def total(self) -> float:
        """Joint log-probability, nats."""
        return math.fsum(self.logprobs)

    @property
    def depth(self) -> int:
        """Tokens generated."""
        return len(self.token_ids)

    def score(self, length_penalty: float) -> float:
        """Returns sum log p / length ^ a: a above 0 favours longer texts, below 0 shorter ones."""
        return self.total / math.pow(self.depth, length_penalty)


@dataclass(frozen=True)
class ScoredText:
    """The text that a search came to, what it scores and what it cost."""

    name: str  # of the search: "greedy", "4 beams", "exact best"
    labels: tuple[str, ...]  # of the generated tokens
    text: str
    logprobs: tuple[float, ...]  # nats, of each token
    n_expanded: int  # prefixes whose next tokens were scored
    seconds: float

    @property
    def total(self) -> float:
        """Joint log-probability, nats."""
        return math.fsum(self.logprobs)


@dataclass(frozen=True)
class SearchComparison:
    """Greedy decoding, beam search and the exact best from one prompt, for one length."""

    prompt: str
    greedy: ScoredText
    beam: ScoredText
    best: ScoredText  # that the exact search has found so far
    limit: int  # prefixes that it may expand
    is_proved: bool  # no other text of this length is likelier
    upper_bound: float  # nats: no text that was not scored is likelier than that


@dataclass(frozen=True)
class DecodingCost:
    """What a decoding method costs over some prompts, and what its texts are like."""

    name: str
    n_texts: int
    n_tokens: int  # generated, over all texts
    seconds: float  # of the model's passes and the choosing, over all texts
    logprob: float  # nats per token, mean over all tokens
    distinct: Mapping[int, float]  # n -> different n-grams as a fraction of all, mean over texts
    repeated: float  # fraction of 4-grams that the text had before, mean over texts
    sample: str  # the last text


def lineage(nodes: Sequence[BeamNode], node_id: int) -> list[int]:
    """Lists the ids from the first generated token down to a node."""
    path = []
    while node_id != ROOT:
        path.append(node_id)
        node_id = nodes[node_id].parent
    return path[::-1]


def greedy_path(nodes: Sequence[BeamNode]) -> list[int]:
    """Lists the ids of greedy decoding's text, as far as it is on record."""
    path, parent = [], ROOT
    while best := next((n for n in nodes if n.parent == parent and n.place == 0), None):
        parent = best.node_id
        path.append(parent)
    return path
