"""All experiments, by the id of their claim: each module enters its own."""

from model.claims import (  # noqa: F401  imported for what they enter
    advanced,
    cache,
    choosing,
    errors,
    loop,
    phases,
    reuse,
    search,
    stopping,
    training,
)
from model.claims.registry import EXPERIMENTS as EXPERIMENTS
