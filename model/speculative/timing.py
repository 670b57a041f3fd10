"""Speculative against plain decoding on the clock, and what the measured parts predict.

The textbook's speed-up takes a verification for one decode step. On a CPU it costs more, so the
prediction here stands on what was measured: acceptance by place in the round, the seconds of a
verification by its width, of a draft step, and of what lies between the passes. Both sides read
with the same passes and stop by the same rules. This module knows rounds and clocks, and no page.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from statistics import mean, median

from model.loading import LanguageModel
from model.speculative.decoding import GREEDY, Outcome, Speculation, decode_baseline
from model.speculative.drafting import MOST_DRAFTED, Drafter, ForcedDraft, ModelDraft, new_reader
from model.speculative.records import DraftReport, Parts, RoundCost, Speed

LENGTHS = (1, 2, 3, 4, 5, 6, 7, 8)
ADAPTIVE = 0  # stands for "the draft decides" where a length is asked for
BEST, WORST = "best", "worst"


def tokens_per_round(acceptance: Sequence[float]) -> float:
    """Returns the tokens that a round gives: each proposal counts if all before it stayed.

    Args:
        acceptance: of the proposals looked at, the fraction that stays, by place; one for each.
    """
    return 1 + math.fsum(math.prod(acceptance[: place + 1]) for place in range(len(acceptance)))


def textbook_speed_up(alpha: float, n_draft: int, cost: float) -> float:
    """Returns (1 - alpha^(g+1)) / ((1 - alpha) (g c + 1)), of 2211.17192.

    Args:
        alpha: the chance that a proposal stays, the same at every place and independent.
        n_draft: proposals in a round, g.
        cost: seconds of a draft step over those of a target step, c.
    """
    return tokens_per_round([alpha] * n_draft) / (n_draft * cost + 1)


def predict_speed_up(parts: Parts, n_draft: int) -> float:
    """Returns the speed-up that the measured parts add up to, for rounds of a fixed length."""
    # gain: the tokens of a round, by the acceptance that was measured at each place
    n_tokens = tokens_per_round(parts.acceptance[:n_draft])
    # cost: the draft's steps, one verification, and what lies between them
    seconds = (
        n_draft * parts.draft_seconds + parts.verify_seconds[n_draft + 1] + parts.overhead_seconds
    )
    return n_tokens * parts.decode_seconds / seconds


class SpeedTest:
    """Some prompts written plainly and by every draft length, in turns, so that noise is shared."""

    def __init__(
        self,
        lm: LanguageModel,
        make_drafter: Callable[[], Drafter],
        prompts: Sequence[Sequence[int]],
        n_tokens: int = 48,
        n_runs: int = 3,
        lengths: Sequence[int] = (*LENGTHS, ADAPTIVE),
        extremes_at: int = 4,
    ) -> None:
        """Takes what is to be timed.

        Args:
            lm: The target.
            make_drafter: Makes a draft that has read nothing.
            prompts: Ids.
            n_tokens: Written after each, or fewer where an end token comes.
            n_runs: Times that each is written, of which medians count.
            lengths: Of drafts; ADAPTIVE lets the draft decide.
            extremes_at: Length at which best and worst case are run.
        """
        self.lm, self.make_drafter = lm, make_drafter
        self.prompts, self.n_tokens, self.n_runs = list(prompts), n_tokens, n_runs
        self.lengths, self.extremes_at = tuple(lengths), extremes_at
        self.n_done = 0
        self.n_units = n_runs * len(self.prompts)
        self._plain: dict[tuple[int, int], float] = {}  # (run, prompt) -> seconds
        self._texts: dict[tuple[int | str, int, int], list[Outcome]] = {}  # way, run, prompt
        self._same: dict[int | str, bool] = defaultdict(lambda: True)
        self._n_written: dict[int | str, int] = defaultdict(int)
        self._decode: list[float] = []
        self._work = self._measure()

    @property
    def is_done(self) -> bool:
        """Whether all has been measured."""
        return self.n_done >= self.n_units

    @property
    def n_runs_done(self) -> int:
        """Counts the runs in which every prompt has been written in every way."""
        return self.n_done // len(self.prompts)

    @property
    def ways(self) -> list[int | str]:
        """Lists what a text is written with: each length, and a draft that is right or wrong."""
        forced = [BEST, WORST] if isinstance(self.make_drafter(), ModelDraft) else []
        return [*self.lengths, *forced]

    @property
    def n_texts(self) -> int:
        """Counts the texts that are written in all, those of the warm-up included."""
        return (1 + self.n_units) * (1 + len(self.ways))

    def advance(self) -> bool:
        """Writes one more text, plainly or with drafts; tells whether anything is left."""
        return next(self._work, self) is not self

    def _measure(self) -> Iterator[None]:
        ways, n_tokens = self.ways, self.n_tokens
        # warm up: one short text each way, not counted
        ids = self.prompts[0]
        truth = decode_baseline(new_reader(self.lm), ids, n_tokens=8)[0]
        yield
        for way in ways:
            self._write(way, ids, truth, 8)
            yield
        for run in range(self.n_runs):
            for index, ids in enumerate(self.prompts):
                # plain: the text that all others must equal
                truth, _, seconds = decode_baseline(new_reader(self.lm), ids, n_tokens=n_tokens)
                self._plain[run, index] = seconds
                self._decode.append(seconds / (len(truth) - len(ids)))
                yield
                # drafted: each length, beginning with another one every time
                first = (run * len(self.prompts) + index) % len(ways)
                for way in (*ways[first:], *ways[:first]):
                    text, rounds = self._write(way, ids, truth, self.n_tokens)
                    self._note(way, (run, index), rounds, len(text) - len(ids), text == truth)
                    yield
                self.n_done += 1

    def _write(
        self, way: int | str, ids: Sequence[int], truth: Sequence[int], n_tokens: int
    ) -> tuple[list[int], list[Outcome]]:
        """Writes one text in rounds of one kind."""
        drafter = self.make_drafter()
        n_draft = {BEST: self.extremes_at, WORST: self.extremes_at, ADAPTIVE: MOST_DRAFTED}.get(way)
        if way in (BEST, WORST) and isinstance(drafter, ModelDraft):
            drafter = ForcedDraft(drafter, truth, is_right=way == BEST)
        text = Speculation(new_reader(self.lm), drafter, ids, GREEDY, max_new_tokens=n_tokens)
        rounds = []
        while text.finished is None:
            rounds.append(text.round(n_draft or int(way), adaptive=way == ADAPTIVE))
        return text.ids, rounds

    def _note(
        self, way: int | str, place: tuple[int, int], rounds: list[Outcome], n: int, is_same: bool
    ) -> None:
        self._texts[way, *place] = rounds
        self._n_written[way] += n
        self._same[way] &= is_same

    def parts(self) -> Parts:
        """Returns what the passes took, and acceptance by place over all rounds.

        A time is the mean over a text, for means add up to what the text took, and of all texts'
        means the median, so that a moment at which the machine did something else does not count.
        """
        own = [one for way in self.lengths for one in self._rounds(way)]
        verify: dict[int, list[float]] = defaultdict(list)
        steps, between = [], []
        for rounds in self._texts.values():
            widths = {len(one.rows) for one in rounds}
            for width in widths:
                verify[width].append(
                    mean(one.target_seconds for one in rounds if len(one.rows) == width)
                )
            n_steps = sum(one.draft.n_steps for one in rounds)
            steps += [math.fsum(one.draft.seconds for one in rounds) / n_steps] if n_steps else []
            between.append(
                mean(one.seconds - one.target_seconds - one.draft.seconds for one in rounds)
            )
        places = range(MOST_DRAFTED)
        return Parts(
            decode_seconds=median(self._decode),
            verify_seconds=fill({width: median(times) for width, times in verify.items()}),
            draft_seconds=median(steps) if steps else 0.0,
            overhead_seconds=median(between),
            n_tested=tuple(sum(one.n_tested > place for one in own) for place in places),
            n_accepted=tuple(sum(one.n_accepted > place for one in own) for place in places),
        )

    def _rounds(self, way: int | str) -> list[Outcome]:
        """Returns all rounds of one kind."""
        return [one for key, rounds in self._texts.items() if key[0] == way for one in rounds]

    def speeds(self) -> tuple[Speed, ...]:
        """Returns what each draft length gave, beside what was predicted of it."""
        parts = self.parts()
        cost = parts.draft_seconds / parts.decode_seconds
        found = []
        for way in self.lengths:
            rounds = self._rounds(way)
            found.append(
                Speed(
                    n_draft=way or None,
                    measured=self._ratio(way),
                    predicted=predict_speed_up(parts, way) if way else None,
                    textbook=textbook_speed_up(parts.overall, way, cost) if way else None,
                    tokens_per_round=self._n_written[way] / len(rounds),
                    mean_proposed=sum(len(one.draft.ids) for one in rounds) / len(rounds),
                    n_tokens=self._n_written[way],
                    is_same=self._same[way],
                )
            )
        return tuple(found)

    def extremes(self) -> tuple[float, float] | None:
        """Returns the measured speed-up where all stay, and where none does."""
        if not self._rounds(BEST) or not self._rounds(WORST):
            return None
        return self._ratio(BEST), self._ratio(WORST)

    def cost(self, n_draft: int) -> RoundCost:
        """Returns the arithmetic of one round of this length."""
        parts = self.parts()
        return RoundCost(
            n_draft=n_draft,
            draft_seconds=parts.draft_seconds,
            verify_seconds=parts.verify_seconds[n_draft + 1],
            target_seconds=parts.decode_seconds,
            overhead_seconds=parts.overhead_seconds,
            tokens_per_round=tokens_per_round(parts.acceptance[:n_draft]),
            is_measured=True,
        )

    def _ratio(self, way: int | str) -> float:
        """Returns the median over the runs of plain seconds over these, all prompts together."""
        plain: dict[int, list[float]] = defaultdict(list)
        drafted: dict[int, list[float]] = defaultdict(list)
        for (kind, run, prompt), rounds in self._texts.items():
            if kind == way:
                plain[run].append(self._plain[run, prompt])
                drafted[run] += [one.seconds for one in rounds]
        return median(math.fsum(plain[run]) / math.fsum(drafted[run]) for run in plain)


def report_draft(
    lm: LanguageModel,
    make_drafter: Callable[[], Drafter],
    name: str,
    prompts: Sequence[Sequence[int]],
    n_tokens: int,
    n_draft: int,
) -> Iterator[DraftReport]:
    """Writes the prompts greedily with one draft, and yields how far it was believed so far."""
    rounds: list[Outcome] = []
    n_written = 0
    for ids in prompts:
        text = Speculation(new_reader(lm), make_drafter(), ids, GREEDY, max_new_tokens=n_tokens)
        while text.finished is None:
            rounds.append(text.round(n_draft))
        n_written += len(text.ids) - len(ids)
        yield DraftReport(
            name=name,
            n_tested=tuple(sum(one.n_tested > place for one in rounds) for place in range(n_draft)),
            n_accepted=tuple(
                sum(one.n_accepted > place for one in rounds) for place in range(n_draft)
            ),
            n_rounds=len(rounds),
            n_tokens=n_written,
        )


def fill(verify_seconds: dict[int, float]) -> dict[int, float]:
    """Fills widths that no round had with what lies between, or beside, those that were timed."""
    known = sorted(verify_seconds)
    filled = {}
    for width in range(1, MOST_DRAFTED + 2):
        below = max((one for one in known if one <= width), default=known[0])
        above = min((one for one in known if one >= width), default=known[-1])
        share = (width - below) / (above - below) if above > below else 0.0
        low, high = verify_seconds[below], verify_seconds[above]
        filled[width] = low + share * (high - low)
    return filled


def textbook_round() -> RoundCost:
    """Returns the example that textbooks give: a draft of 5 ms, a target of 50 ms, 4 proposals."""
    return RoundCost(
        n_draft=4,
        draft_seconds=0.005,
        verify_seconds=0.050,
        target_seconds=0.050,
        overhead_seconds=0.0,
        tokens_per_round=None,
        is_measured=False,
    )
