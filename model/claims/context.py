"""What the experiments stand on: a loaded model, a prompt, and how much may be run."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from statistics import median
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from model.claims.records import Finding, Quantity, Unit, Verdict
from model.generation import Generation
from model.loading import LanguageModel, load_model
from model.masks import log_softmax
from model.sampling import Settings

Experiment: TypeAlias = Callable[["ExperimentContext"], Finding]

GREEDY = Settings(temperature=0)


@dataclass
class ExperimentContext:
    """One model, and the sizes of what is run on it."""

    lm: LanguageModel
    prompt: str = "The cat sat on the"
    n_tokens: int = 24  # of a short text
    n_runs: int = 5  # of which a time is the median
    n_draws: int = 2000  # where draws are counted
    load: Callable[[str], LanguageModel] = load_model  # for the models that stand beside it
    others: dict[str, LanguageModel] = field(default_factory=dict)

    def write(
        self, settings: Settings = GREEDY, *, prompt: str | None = None, n: int = 0, seed: int = 0
    ) -> Generation:
        """Returns a text of up to n tokens (0: `n_tokens`) after a prompt."""
        text = Generation(self.lm, self.prompt if prompt is None else prompt, seed=seed)
        for _ in range(n or self.n_tokens):
            if text.finished:
                break
            text.step(settings)
        return text

    def other(self, name: str) -> LanguageModel:
        """Returns another model of the family, loaded once."""
        if name not in self.others:
            self.others[name] = self.lm if name == self.lm.name else self.load(name)
        return self.others[name]

    def seconds(self, run: Callable[[], float]) -> float:
        """Returns the median of several runs that give their own seconds, after one to warm up."""
        run()
        return median(run() for _ in range(self.n_runs))


def finding(
    holds: bool | Verdict, says: str, why: str = "", **numbers: tuple[float | str, Unit]
) -> Finding:
    """Returns a finding; `why` is kept only where the claim does not simply hold."""
    verdict: Verdict = ("holds" if holds else "does not hold") if isinstance(holds, bool) else holds
    quantities: Mapping[str, Quantity] = {
        name: Quantity(value, unit) for name, (value, unit) in numbers.items()
    }
    return Finding(verdict, says, quantities, why if verdict != "holds" else "")


def softmax_of(logits: npt.NDArray[np.floating]) -> npt.NDArray[np.float64]:
    """Returns the probabilities of raw logits, (vocab,) float64."""
    return np.asarray(np.exp(log_softmax(logits)))
