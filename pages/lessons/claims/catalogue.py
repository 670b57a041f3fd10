"""All that is said of generation, section by section, each with its experiment.

The page draws its table from this list, and the tests of `tests/claims/` run the same experiments.
"""

from __future__ import annotations

from pages.lessons.claims import advanced, decoding
from pages.lessons.claims.claim import Claim

__all__ = ["CLAIMS", "Claim"]

CLAIMS = decoding.CLAIMS + advanced.CLAIMS
