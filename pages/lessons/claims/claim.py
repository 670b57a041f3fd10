"""One thing that is said of generation: the sentence, where to see it, how to measure it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from model.claims.context import Experiment


@dataclass(frozen=True)
class Claim:
    """One thing that is said, and how it is measured here."""

    id: str  # "C01", never given to another
    section: str
    says: str
    page: str  # file of the page that shows it
    where: str  # what to look at there, or to press
    run: Experiment
    query: str = ""  # of the link that opens the page set up
    is_timed: bool = False  # its figures are of this device


# pages and sections, by the names that the lists use
HOME, LAB = "pages/generate.py", "pages/sampling.py"
KV, PHASES = "pages/kv_cache.py", "pages/prefill_decode.py"
BEAMS, CORNER = "pages/beam_search.py", "pages/constraints.py"
SPEC, FILL = "pages/speculative.py", "pages/diffusion.py"
MASK, SNOW = "pages/causal_mask.py", "pages/snowball.py"
CLAIMS_PAGE = "pages/claims.py"
LOOP, CHOOSING = "The loop", "Sampling"
CACHE = "Prefill, decode and the KV cache"
SEARCH, AHEAD = "Search", "Past one token per pass"
ERRORS = "Errors, training and architecture"
CAT, LOOK = "prompt=The+cat+sat+on+the", "prompt=She+looked+at+the"
