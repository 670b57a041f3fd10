"""Where each experiment is entered by its claim's id: EXPERIMENTS["C24"] runs that of C24.

A claim that is true by definition has none.
"""

from collections.abc import Callable
from typing import Final, TypeAlias

from model.claims.context import ExperimentContext
from model.claims.records import Finding

ClaimExperiment: TypeAlias = Callable[[ExperimentContext], Finding]

EXPERIMENTS: Final[dict[str, ClaimExperiment]] = {}


def experiment(claim_id: str) -> Callable[[ClaimExperiment], ClaimExperiment]:
    """Enters the function below it as the experiment of a claim."""

    def enter(function: ClaimExperiment) -> ClaimExperiment:
        assert claim_id not in EXPERIMENTS, f"{claim_id} has two experiments"
        EXPERIMENTS[claim_id] = function
        return function

    return enter
