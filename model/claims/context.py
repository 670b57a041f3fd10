"""What the experiments stand on: a loaded model, prompts, and how much may be run."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from model.batch import Batch
from model.fast.engines import MANUAL, PLAIN, engine_names, make_engine
from model.generation import Generation
from model.language_model import LanguageModel
from model.loading import load_model
from model.masks import log_softmax
from model.prefill_decode.experiments import best_that_goes_on, request_of, stream
from model.prefill_decode.records import RequestTiming
from model.sampling import Settings
from model.snowball.instruction_position import until_end
from model.speculative.proof import PROMPTS
from model.tokenizing import encode

Floats: TypeAlias = npt.NDArray[np.float64]

GREEDY = Settings(temperature=0)
THOROUGH = 4  # times the usual numbers of prompts, runs and texts


@dataclass
class ExperimentContext:
    """One model, and the sizes of what is run on it."""

    lm: LanguageModel
    prompt: str = "The cat sat on the"
    n_tokens: int = 24  # of a short text
    scale: float = 1.0  # times the usual numbers of prompts, runs and texts
    first_seed: int = 0  # of all that is drawn: with another one other pointers fall
    load: Callable[[str], LanguageModel] = load_model  # for the models that stand beside it
    others: dict[str, LanguageModel] = field(default_factory=dict)

    def n(self, usual: int) -> int:
        """Returns how often something is run, two times at least."""
        return max(2, round(usual * self.scale))

    def prompts(self, usual: int) -> tuple[str, ...]:
        """Returns beginnings of stories that differ in how they open and in whom they name."""
        n = min(self.n(usual), len(PROMPTS))
        return tuple(PROMPTS[i * 37 % len(PROMPTS)] for i in range(n))

    def ids(self, n: int) -> list[int]:
        """Returns a text of n tokens: the prompt again and again."""
        return np.resize(encode(self.lm, self.prompt), n).tolist()

    def write(
        self, settings: Settings = GREEDY, *, prompt: str | None = None, n: int = 0, seed: int = 0
    ) -> Generation:
        """Returns a text of up to n tokens (0: `n_tokens`) after a prompt."""
        prompt = self.prompt if prompt is None else prompt
        text = Generation(self.lm, prompt, seed=self.first_seed + seed)
        while len(text.steps) < (n or self.n_tokens) and not text.finished:
            text.step(settings)
        return text

    def write_many(
        self, rows: Sequence[Sequence[int]], settings: Settings, n: int, n_each: int = 1
    ) -> list[list[int]]:
        """Writes up to n tokens after each of some prompts, side by side.

        Args:
            rows: ids, cut to the length of the shortest: what comes last stays.
            settings: how all of them choose; each text takes a seed of its own.
            n: tokens.
            n_each: texts after each prompt.

        Returns:
            What was written, up to its end: those of one prompt follow each other.
        """
        n_prompt = min(map(len, rows))
        batch = Batch(self.lm, [row[-n_prompt:] for row in rows])
        if n_each > 1:
            batch.reorder([row for row in range(len(rows)) for _ in range(n_each)])
        seeds = range(self.first_seed, self.first_seed + len(batch.ids))
        written = list[list[int]]()
        while len(written) < n:
            if written:
                batch.append(written[-1])
            written.append(batch.draw([settings] * len(seeds), seeds, n_prompt))
        return [until_end(self.lm, text) for text in zip(*written, strict=True)]

    def answer(self, ids: Sequence[int], n_out: int) -> RequestTiming:
        """Answers one request of so many tokens, none of which ends it, on the clock."""
        name = MANUAL if MANUAL in engine_names(self.lm) else PLAIN
        engine = make_engine(self.lm, name, len(ids) + n_out)
        writing = stream(engine, ids, best_that_goes_on(self.lm))
        return request_of(len(ids), [next(writing) for _ in range(n_out)])

    def other(self, name: str) -> LanguageModel:
        """Returns another model of the family, loaded once."""
        if name not in self.others:
            self.others[name] = self.lm if name == self.lm.name else self.load(name)
        return self.others[name]

    def seconds(self, *ways: Callable[[], float], n: int = 10) -> tuple[Floats, ...]:
        """Runs some ways in turns, after one of each to warm up; each gives its own seconds.

        Returns:
            For each way its n times; those of one turn belong together.
        """
        times = np.array([[run() for run in ways] for _ in range(self.n(n) + 1)])
        return tuple(times[1:].T)


def softmax_of(logits: npt.NDArray[np.floating]) -> Floats:
    """Returns the probabilities of raw logits, (vocab,) float64."""
    return np.asarray(np.exp(log_softmax(logits)))


def moved_mass(one: npt.NDArray[np.floating], other: npt.NDArray[np.floating]) -> float:
    """Returns how much probability two rows of logits place differently, from 0 to 1."""
    return float(0.5 * np.abs(softmax_of(one) - softmax_of(other)).sum())
