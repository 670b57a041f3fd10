"""Experiments on filling a page: what a fill looks like, its order, few passes against many.

This module knows models and their fills; it knows no page of the app and draws nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from model.diffusion.denoising import Diffusion
from model.diffusion.quality import measure_clashes, second_look
from model.diffusion.race import write_by_loop
from model.diffusion.records import DenoiseHistory, Fill, Finisher, Order, Sheet
from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import label

BETWEEN, EMPTY = "between a beginning and an end", "on an empty page"


# What is seen of it


def sheet_of(page: Diffusion, second: npt.NDArray[np.float64] | None = None) -> Sheet:
    """Returns the sequence as it stands, with what the last pass proposes where it is open."""
    lm, n_after = page.lm, len(page.ids) - page.start - page.length
    shown, is_open = list(page.ids), page.is_open
    confidence = np.full(page.length, np.nan)
    for one in page.passes:
        confidence[list(one.committed)] = one.confidence[list(one.committed)]
    if page.passes:
        last = page.passes[-1]
        confidence[is_open] = last.confidence[is_open]
        shown[page.start : page.start + page.length] = last.proposal_ids.tolist()
    around = (page.start, n_after)
    return Sheet(
        labels=_labels(lm, shown),
        given=tuple(np.pad(np.zeros(page.length, bool), around, constant_values=True).tolist()),
        filled_in=tuple(np.pad(page.filled_in, around).tolist()),
        confidence=np.pad(confidence, around, constant_values=np.nan),
        n_passes=len(page.passes),
        n_planned=len(page.plan),
        second_look=None if second is None else np.pad(second, around, constant_values=np.nan),
    )


def history_of(page: Diffusion) -> DenoiseHistory:
    """Returns all passes so far as a matrix."""
    rows = [one.confidence for one in page.passes]
    return DenoiseHistory(
        confidence=np.array(rows, dtype=np.float64).reshape(len(rows), page.length),
        filled_in=page.filled_in,
        proposals=tuple(_labels(page.lm, one.proposal_ids.tolist()) for one in page.passes),
        labels=_labels(page.lm, page.filled_ids),
        n_planned=len(page.plan),
    )


def _labels(lm: LanguageModel, ids: Sequence[int]) -> tuple[str, ...]:
    return tuple(label(lm.tokenizer, token_id, lm.vocab_size) for token_id in ids)


def left_first(filled_in: npt.NDArray[np.integer]) -> float | None:
    """Returns how often the left one of two positions was filled in an earlier pass.

    Over all pairs of positions that were filled in different passes: 1 is left to right, 0.5 no
    preference, 0 right to left. It is (tau + 1) / 2 of Kendall's tau with ties left out.

    Args:
        filled_in: (length,) the number of the pass that filled each position, 0 where it is open.

    Returns:
        None where no two positions were filled in different passes.
    """
    numbers = filled_in[filled_in > 0]
    later = np.sign(numbers[None, :] - numbers[:, None])[np.triu_indices(len(numbers), 1)]
    n_pairs = int(np.count_nonzero(later))
    return float(np.count_nonzero(later > 0) / n_pairs) if n_pairs else None


# Few passes against many


class Sweep:
    """Fills of one length in few passes and in many, measured one after another.

    Attributes:
        fills: what has been measured so far.
        loop: the judge's own text of the same length, one token a pass; None until it is written.
        n_jobs: fills in all.
    """

    def __init__(
        self,
        lm: LanguageModel,
        judge: LanguageModel,
        length: int,
        prompt: str,
        ending: str,
        *,
        order: Order = "confidence",
        temperature: float = 0.0,
        n_seeds: int = 1,
    ) -> None:
        """Lays out the fills; nothing runs here.

        Args:
            lm: a masked model.
            judge: a causal model, which says how well each text reads and writes one itself.
            length: positions of each fill.
            prompt: the beginning of one half of the fills; the other half has an empty page.
            ending: the end of them.
            order: which proposals a pass commits.
            temperature: of the draws, the judge's own included.
            n_seeds: fills for each number of passes; one where all would come out alike.

        Raises:
            ValueError: where a model, a length or a text will not do.
        """
        self.lm, self.judge, self.length = lm, judge, length
        self.n_seeds = n_seeds if temperature > 0 or order == "random" else 1
        self.fills: list[Fill] = []
        self.loop: Finisher | None = None
        self._places = {BETWEEN: (prompt, ending), EMPTY: ("", "")}
        self._wishes = {"order": order, "temperature": temperature}
        self._settings = Settings(temperature=temperature)
        self._jobs = [
            (place, n_passes, seed)
            for seed in range(self.n_seeds)
            for n_passes in pass_counts(length)
            for place in self._places
        ]
        self.n_jobs = len(self._jobs)
        self._page(*self._jobs[0])  # refuses now what could not be filled later
        self._work = self._run()

    @property
    def is_done(self) -> bool:
        """Whether all has been measured."""
        return len(self.fills) == self.n_jobs

    def advance(self) -> None:
        """Runs one more pass of one of the models."""
        next(self._work, None)

    def _page(self, place: str, n_passes: int, seed: int) -> Diffusion:
        prompt, ending = self._places[place]
        wishes: dict[str, object] = {"n_passes": n_passes, "seed": seed, **self._wishes}
        return Diffusion(self.lm, self.length, prompt, ending, **wishes)  # type: ignore[arg-type]  # wishes by name

    def _run(self) -> Iterator[None]:
        """Measures job after job, and hands back after every pass."""
        yield from self._write_by_loop()
        self._page(*self._jobs[0]).step()  # warms the model up: this one is not counted
        for place, n_passes, seed in self._jobs:
            page = self._page(place, n_passes, seed)
            while not page.finished:
                page.step()
                yield
            seen: list[float] = []
            places = range(page.start, page.start + page.length)
            for some in second_look(self.lm, page.ids, places):
                seen += some
                yield
            second = np.array(seen)
            self.fills.append(
                Fill(
                    place=place,
                    n_passes=n_passes,
                    length=self.length,
                    seed=seed,
                    seconds=page.seconds,
                    left_first=left_first(page.filled_in),
                    clashes=measure_clashes(self.judge, page, second),
                    text=page.filled_text,
                    sheet=sheet_of(page, second),
                )
            )
            yield

    def _write_by_loop(self) -> Iterator[None]:
        prompt, _ = self._places[BETWEEN]
        for written in write_by_loop(self.judge, self.lm, prompt, self.length, self._settings):
            self.loop = written
            yield


def pass_counts(length: int) -> tuple[int, ...]:
    """Lists the numbers of passes that are tried: 1, 2, 4, ... and one for each position."""
    powers = [1 << i for i in range(length.bit_length()) if 1 << i < length]
    return (*powers, length)
