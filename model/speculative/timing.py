"""Speculative against plain decoding on the clock, and what the measured parts predict.

The textbook's speed-up takes a verification for one decode step. On a CPU it costs more, so the
prediction here stands on what was measured. Both sides read with the same passes.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import mean, median
from typing import TypeAlias

import numpy as np

from model.job import Progress, Work
from model.language_model import LanguageModel
from model.speculative.decoding import RoundOutcome, decode_baseline, decode_with_draft
from model.speculative.drafting import MAX_DRAFT, Drafter, ForcedDraft, ModelDraft, new_batch
from model.speculative.records import (
    FORCED_LENGTH,
    Acceptance,
    DraftReport,
    Parts,
    RoundCost,
    Speed,
    SpeedReport,
)

ADAPTIVE = 0  # stands for "the draft decides" where a length is asked for
LENGTHS = (*range(1, MAX_DRAFT + 1), ADAPTIVE)
BEST, WORST = "best", "worst"
N_WARM_UP = 8  # tokens
# the example that textbooks give: a draft of 5 ms, a target of 50 ms, 4 draft tokens
TEXTBOOK_ROUND = RoundCost(4, draft_seconds=0.005, verify_seconds=0.050, target_seconds=0.050)

Length: TypeAlias = int | str  # of a round's draft; ADAPTIVE, BEST and WORST are among them


def tokens_per_round(acceptance: Sequence[float]) -> float:
    """Returns the tokens that a round gives: each proposal counts if all before it are accepted.

    Args:
        acceptance: of the proposals tested, the fraction that is accepted, by place; one for each.
    """
    return 1 + math.fsum(math.prod(acceptance[: place + 1]) for place in range(len(acceptance)))


def textbook_speed_up(alpha: float, n_draft: int, cost: float) -> float:
    """Returns (1 - alpha^(g+1)) / ((1 - alpha) (g c + 1)), of 2211.17192.

    Args:
        alpha: the chance that a proposal is accepted, the same at every place and independent.
        n_draft: proposals in a round, g.
        cost: seconds of a draft step over those of a target step, c.
    """
    return tokens_per_round([alpha] * n_draft) / (n_draft * cost + 1)


def round_cost(parts: Parts, n_draft: int) -> RoundCost:
    """Returns the arithmetic of one round of this length: what it takes, and what it gives."""
    return RoundCost(
        n_draft=n_draft,
        draft_seconds=parts.draft_seconds,
        verify_seconds=parts.verify_seconds[n_draft + 1],
        target_seconds=parts.decode_seconds,
        overhead_seconds=parts.overhead_seconds,
        tokens_per_round=tokens_per_round(parts.acceptance.by_place[:n_draft]),
    )


def predict_speed_up(parts: Parts, n_draft: int) -> float:
    """Returns the speed-up that the measured parts add up to, for rounds of a fixed length."""
    # gain: the tokens of a round, by the acceptance that was measured at each place
    n_tokens = tokens_per_round(parts.acceptance.by_place[:n_draft])
    # cost: the draft's steps, one verification, and what lies between them
    return n_tokens * parts.decode_seconds / round_cost(parts, n_draft).seconds


# Measuring


@dataclass(frozen=True, eq=False)
class _Sample:
    """One prompt written with drafts of one length, and plainly in the same run."""

    length: Length
    run: int
    rounds: list[RoundOutcome]
    n_tokens: int
    n_plain: int  # tokens
    plain_seconds: float
    is_same: bool

    @property
    def seconds(self) -> float:
        return math.fsum(one.seconds for one in self.rounds)


def measure_speed(
    lm: LanguageModel,
    make_drafter: Callable[[], Drafter],
    prompts: Sequence[Sequence[int]],
    n_tokens: int,
    n_runs: int,
    lengths: Sequence[int] = LENGTHS,
) -> Work[SpeedReport]:
    """Writes prompts plainly and by every draft length, in turns, so that noise is shared.

    `make_drafter` makes a draft that has read nothing; of the runs medians count; ADAPTIVE among
    the lengths lets the draft decide. A text may end before `n_tokens`.
    """
    drafter = make_drafter()
    forced = (BEST, WORST) if isinstance(drafter, ModelDraft) else ()
    ways: tuple[Length, ...] = (*lengths, *forced)
    # warm up: one short text each way, not counted
    texts = [(-1, prompts[0], N_WARM_UP)]
    texts += [(run, ids, n_tokens) for run in range(n_runs) for ids in prompts]
    samples: list[_Sample] = []

    def look() -> SpeedReport:
        return _sum_up(drafter.name, samples, lengths, len(samples) // (len(ways) * len(prompts)))

    for index, (run, ids, n) in enumerate(texts):
        n_done, n_total = index * (1 + len(ways)), len(texts) * (1 + len(ways))
        yield Progress(n_done, n_total, "plain decoding", look if samples else None)
        truth, seconds = decode_baseline(new_batch(lm), ids, n)
        # drafted: each length, beginning with another one every time
        first, made = index % len(ways), []
        for i, length in enumerate((*ways[first:], *ways[:first]), start=1):
            doing = "an adaptive draft" if length == ADAPTIVE else f"{length}"
            yield Progress(n_done + i, n_total, doing, look if samples else None)
            text, rounds = _write(lm, make_drafter(), length, ids, truth, n)
            n_written, n_plain = len(text) - len(ids), len(truth) - len(ids)
            is_same = text == truth
            made.append(_Sample(length, run, rounds, n_written, n_plain, seconds, is_same))
        samples += made if run >= 0 else []
    return look()


def _write(
    lm: LanguageModel,
    drafter: Drafter,
    length: Length,
    ids: Sequence[int],
    truth: Sequence[int],
    n_tokens: int,
) -> tuple[list[int], list[RoundOutcome]]:
    """Writes one text in rounds of one length."""
    if isinstance(length, str) and isinstance(drafter, ModelDraft):
        drafter = ForcedDraft(drafter, truth, is_right=length == BEST)
        length = FORCED_LENGTH
    n_draft = int(length) or MAX_DRAFT
    return decode_with_draft(lm, drafter, ids, n_draft, n_tokens, adaptive=length == ADAPTIVE)


def _sum_up(
    draft: str, samples: Sequence[_Sample], lengths: Sequence[int], n_runs: int
) -> SpeedReport:
    by_length = {
        length: [s for s in samples if s.length == length] for length in (*lengths, BEST, WORST)
    }
    best, worst = by_length.pop(BEST), by_length.pop(WORST)
    parts = _parts(samples, [one for some in by_length.values() for one in some])
    return SpeedReport(
        draft=draft,
        n_runs=n_runs,
        parts=parts,
        speeds=tuple(_speed(length, by_length[length], parts) for length in lengths),
        extremes=(_speed_up(best), _speed_up(worst)) if best else None,
    )


def _parts(samples: Sequence[_Sample], own: Sequence[_Sample]) -> Parts:
    """Returns what the passes took, and the acceptance of what a draft itself proposed.

    A time is the mean over a text, for means add up to what the text took, and of all texts'
    means the median, so that a moment at which the machine did something else does not count.
    """
    verify: dict[int, list[float]] = defaultdict(list)
    steps, between = [], []
    for rounds in (sample.rounds for sample in samples):
        for width in {len(one.rows) for one in rounds}:
            verify[width].append(
                mean(one.target_seconds for one in rounds if len(one.rows) == width)
            )
        if n_steps := sum(one.draft.n_steps for one in rounds):
            steps.append(math.fsum(one.draft.seconds for one in rounds) / n_steps)
        between.append(mean(one.seconds - one.target_seconds - one.draft.seconds for one in rounds))
    return Parts(
        decode_seconds=median(s.plain_seconds / s.n_plain for s in samples),
        verify_seconds=fill({width: median(times) for width, times in verify.items()}),
        draft_seconds=median(steps) if steps else 0.0,
        overhead_seconds=median(between),
        acceptance=acceptance_of([one for s in own for one in s.rounds], MAX_DRAFT),
    )


def _speed(length: int, samples: Sequence[_Sample], parts: Parts) -> Speed:
    """Returns what one draft length gave, beside what was predicted of it."""
    rounds = [one for sample in samples for one in sample.rounds]
    n_tokens = sum(sample.n_tokens for sample in samples)
    cost = parts.draft_seconds / parts.decode_seconds
    return Speed(
        n_draft=length or None,
        measured=_speed_up(samples),
        predicted=predict_speed_up(parts, length) if length else None,
        textbook=textbook_speed_up(parts.acceptance.rate, length, cost) if length else None,
        tokens_per_round=n_tokens / len(rounds),
        mean_drafted=sum(len(one.draft.ids) for one in rounds) / len(rounds),
        n_tokens=n_tokens,
        is_same=all(sample.is_same for sample in samples),
    )


def _speed_up(samples: Sequence[_Sample]) -> float:
    """Returns the median over the runs of plain seconds over these, all prompts together."""
    runs = [[s for s in samples if s.run == run] for run in {s.run for s in samples}]
    return median(
        math.fsum(s.plain_seconds for s in run) / math.fsum(s.seconds for s in run) for run in runs
    )


def acceptance_of(rounds: Sequence[RoundOutcome], n_places: int) -> Acceptance:
    """Counts what was tested and accepted at each place of some rounds."""
    places = range(n_places)
    return Acceptance(
        n_tested=tuple(sum(one.n_tested > place for one in rounds) for place in places),
        n_accepted=tuple(sum(one.n_accepted > place for one in rounds) for place in places),
    )


def fill(verify_seconds: dict[int, float]) -> dict[int, float]:
    """Fills widths that no round had with what lies between, or beside, those that were timed."""
    widths, known = range(1, MAX_DRAFT + 2), sorted(verify_seconds)
    seconds = np.interp(widths, known, [verify_seconds[width] for width in known])
    return dict(zip(widths, seconds.tolist(), strict=True))


# Drafts beside each other


def compare_drafts(
    lm: LanguageModel,
    makers: Sequence[Callable[[], Drafter]],
    prompts: Sequence[Sequence[int]],
    n_tokens: int,
    n_draft: int,
) -> Work[tuple[DraftReport, ...]]:
    """Continues the prompts greedily with each draft, and counts how much of it is accepted.

    `makers` make drafts that have read nothing.
    """
    reports: list[DraftReport] = []
    for i, make_drafter in enumerate(makers):
        rounds: list[RoundOutcome] = []
        n_written = 0
        for j, ids in enumerate(prompts):
            drafter = make_drafter()
            look = (lambda: tuple(reports)) if reports else None
            n_done, n_total = i * len(prompts) + j, len(makers) * len(prompts)
            yield Progress(n_done, n_total, drafter.name, look)
            text, more = decode_with_draft(lm, drafter, ids, n_draft, n_tokens)
            rounds += more
            n_written += len(text) - len(ids)
            acceptance = acceptance_of(rounds, n_draft)
            reports[i:] = [DraftReport(drafter.name, acceptance, len(rounds), n_written)]
    return tuple(reports)
