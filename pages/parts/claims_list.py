"""All that is said of generation, section by section, each with its experiment.

The page draws its table from this list, and the tests of `tests/claims/` run the same experiments.
"""

from __future__ import annotations

from pages.parts import claims_basic, claims_beyond
from pages.parts.claims_claim import Claim

__all__ = ["CLAIMS", "Claim"]

CLAIMS = claims_basic.CLAIMS + claims_beyond.CLAIMS
