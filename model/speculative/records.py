"""Records of speculative decoding: a round as it went, and what many rounds took and gave."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

FORCED_LENGTH = 4  # tokens in a round of the draft that is always right, or always wrong

PROPOSE, VERIFY, DECIDE, CROP = 1, 2, 3, 4  # the stages of a round, as they are shown

Verdict: TypeAlias = Literal["accepted", "rejected", "not tested"]
TokenSource: TypeAlias = Literal["residual", "bonus"]


@dataclass(frozen=True)
class Proposal:
    """One token that the draft proposed, and what became of it."""

    label: str  # visible text
    draft_prob: float  # after the masks; what the draft gave the token that it proposed
    target_prob: float  # after the same masks
    accept_prob: float  # min(1, target / draft)
    pointer: float  # in [0, 1); the proposal is accepted where it is below accept_prob
    verdict: Verdict
    overlap: float  # sum over the vocabulary of min(target, draft): the chance of any proposal here


@dataclass(frozen=True)
class Drawn:
    """The token of a round that the target itself chose."""

    label: str
    source: TokenSource  # from what the draft left of the target's distribution, or all accepted
    prob: float  # in the distribution that it was drawn from
    pointer: float


@dataclass(frozen=True)
class RoundBar:
    """One token of one position, as both models see it."""

    label: str
    probs: tuple[float, ...]  # of target, draft and residual, after the same masks
    is_proposed: bool = False
    is_drawn: bool = False


@dataclass(frozen=True)
class CacheMark:
    """How many positions a cache held before a round, after its passes and after the crop."""

    name: str  # of the model
    n_before: int
    n_read: int
    n_kept: int
    bytes_per_token: int
    bytes_held: int  # of storage after the crop, its room included


@dataclass(frozen=True)
class Round:
    """One round: proposals, the target's verdict on them, its own token, both caches."""

    n_text: int  # tokens of the text before it
    proposals: tuple[Proposal, ...]
    drawn: Drawn | None  # None where an accepted end token ended the text
    bars: tuple[tuple[RoundBar, ...], ...]  # by position: the likeliest tokens, then all others
    caches: tuple[CacheMark, ...]  # target's; draft's, where it is a model
    is_greedy: bool
    n_steps: int  # passes of the draft
    draft_seconds: float
    target_seconds: float

    @property
    def n_accepted(self) -> int:
        """Proposals that were accepted."""
        return sum(one.verdict == "accepted" for one in self.proposals)


@dataclass(frozen=True)
class Acceptance:
    """How many draft tokens were tested, and how many of them accepted, by place in the round."""

    n_tested: tuple[int, ...]  # all before it in its round were accepted
    n_accepted: tuple[int, ...]

    @property
    def by_place(self) -> tuple[float, ...]:
        """Accepted of those tested, by place in the round."""
        pairs = zip(self.n_accepted, self.n_tested, strict=True)
        return tuple(accepted / tested if tested else 0.0 for accepted, tested in pairs)

    @property
    def rate(self) -> float:
        """Accepted of all that were tested."""
        return sum(self.n_accepted) / max(1, sum(self.n_tested))


@dataclass(frozen=True)
class Parts:
    """What a round is made of, measured: medians of seconds, and acceptance by place."""

    decode_seconds: float  # plain decoding, one token, its own overhead included
    verify_seconds: Mapping[int, float]  # tokens read in one pass -> seconds of the target
    draft_seconds: float  # one step
    overhead_seconds: float  # of a round: choosing, comparing, cropping
    acceptance: Acceptance


@dataclass(frozen=True)
class Speed:
    """Drafts of one length against plain decoding, on the same texts."""

    n_draft: int | None  # draft tokens in a round; None where the draft decides
    measured: float  # seconds of plain decoding / seconds of this
    predicted: float | None  # from the measured parts
    textbook: float | None  # by the formula that takes a verification for one decode step
    tokens_per_round: float
    mean_drafted: float  # draft tokens in a round
    n_tokens: int  # written, in all texts
    is_same: bool  # every text is the one that plain decoding wrote


@dataclass(frozen=True)
class SpeedReport:
    """Drafts of several lengths against plain decoding."""

    draft: str  # its name
    n_runs: int  # in which every prompt was written in every way
    parts: Parts
    speeds: tuple[Speed, ...]
    extremes: tuple[float, float] | None  # speed-up where all is accepted, and where nothing is


@dataclass(frozen=True)
class DraftRace:
    """One text written greedily twice, on one clock: plainly, and in rounds with a draft."""

    draft: str  # its name
    prompt_ids: tuple[int, ...]
    token_ids: tuple[int, ...]  # that plain decoding wrote
    plain_seconds: float  # of all of them
    rounds: tuple[tuple[float, int], ...]  # seconds of each round, and the tokens that it gave
    is_same: bool  # the rounds wrote the same tokens
    guesses: tuple[tuple[int, int | None], ...]  # of each round: how many were accepted, and the
    # token that was rejected, if one was

    @property
    def seconds(self) -> float:
        """Seconds with the draft."""
        return sum(seconds for seconds, _ in self.rounds)


@dataclass(frozen=True)
class RoundCost:
    """The arithmetic of one round, as seconds."""

    n_draft: int
    draft_seconds: float  # one step
    verify_seconds: float  # n_draft + 1 tokens in one pass
    target_seconds: float  # one step of plain decoding
    overhead_seconds: float = 0.0
    tokens_per_round: float | None = None  # as measured; None in an example that nobody measured

    @property
    def seconds(self) -> float:
        """Seconds of the whole round."""
        return self.n_draft * self.draft_seconds + self.verify_seconds + self.overhead_seconds


@dataclass(frozen=True)
class DraftReport:
    """How many tokens of one draft were accepted on some texts."""

    name: str
    acceptance: Acceptance
    n_rounds: int
    n_tokens: int


@dataclass(frozen=True)
class GreedyCheck:
    """One prompt continued greedily, with a draft and without."""

    draft: str  # its name
    prompt: str
    n_tokens: int
    n_rounds: int
    first_difference: int | None  # place among the generated tokens; None where there is none
    text: str
