"""A run as a record: all that is shown of it, for a file."""

from __future__ import annotations

import platform
from datetime import UTC, datetime
from importlib.metadata import version

from model.records import RunRecord
from model.tokenizing import pieces
from pages.parts.session import Session

PACKAGES = ("torch", "transformers", "streamlit", "numpy")


def run_record(session: Session) -> RunRecord:
    """Return the active branch with all that it takes to understand and repeat it."""
    lm, generation = session.lm, session.generation
    return RunRecord(
        model=lm.name,
        device=str(lm.device),
        dtype=lm.dtype_name,
        seed=session.active.seed,
        prompt=session.prompt,
        prompt_ids=tuple(generation.prompt_ids),
        pieces=pieces(lm.tokenizer, generation.ids),
        steps=tuple(generation.steps),
        settings=[
            {name: getattr(choice.settings, name) for name in choice.settings.__dataclass_fields__}
            for choice in session.active.choices
        ],
        finished=generation.finished,
        logprob=generation.logprob,
        cache_shape=lm.cache_shape,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={name: version(name) for name in PACKAGES} | {"python": platform.python_version()},
    )
