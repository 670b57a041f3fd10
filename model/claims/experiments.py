"""All experiments by the id of their claim: EXPERIMENTS["C24"] runs the experiment of C24."""

from __future__ import annotations

from typing import Final

from model.claims import advanced, cache, choosing, errors, loop, phases, search, training
from model.claims.context import Experiment

EXPERIMENTS: Final[dict[str, Experiment]] = {
    name[:3].upper(): experiment
    for module in (loop, choosing, cache, phases, search, advanced, errors, training)
    for name, experiment in vars(module).items()
    if name[0] == "c" and name[1:3].isdigit()
}
