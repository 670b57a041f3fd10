"""What the lesson keeps for one reader. Knows nothing of Streamlit."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from model.job import Job
from model.loading import LanguageModel


@dataclass
class ServingLesson:
    """All that one reader has on the page."""

    lm: LanguageModel
    jobs: dict[str, Job[Any]] = field(default_factory=dict)
