"""A run as a record: all that is shown of it, for a file, and what a file says of it."""

import platform
from datetime import UTC, datetime
from importlib.metadata import version

from model.records import RunRecord
from model.tokenizing import pieces
from pages.frame.saved_run import read_saved
from pages.home.branch import ParkedBranch
from pages.home.link import LinkState, read_whole, write_whole
from pages.home.session import Session

SAVED_RUN = "saved_run"  # what a file asks for, until the page has gone there
PACKAGES = ("torch", "transformers", "streamlit", "numpy")


def run_record(session: Session) -> RunRecord:
    """Returns the active branch with all that it takes to understand and repeat it.

    A file is made in a thread of its own, and tokens may be written meanwhile: what is recorded is
    as much as was there when it began.
    """
    lm, branch = session.lm, session.active
    generation, choices = branch.generation, list(branch.choices)
    n_steps = min(len(choices), len(generation.steps))
    steps = tuple(generation.steps[:n_steps])
    ids = generation.ids[: generation.n_prompt + n_steps]
    is_whole = len(generation.steps) == n_steps
    text = ParkedBranch(0, branch.prompt, branch.seed, branch.chat, choices[:n_steps], ids, 0.0)
    return RunRecord(
        link=write_whole(session, text),
        model=lm.name,
        device=lm.place,
        dtype=lm.dtype_name,
        seed=branch.seed,
        prompt=branch.prompt,
        prompt_ids=tuple(generation.prompt_ids),
        pieces=pieces(lm.tokenizer, ids),
        steps=steps,
        settings=[
            {name: getattr(choice.settings, name) for name in choice.settings.__dataclass_fields__}
            for choice in choices[:n_steps]
        ],
        finished=generation.finished if is_whole else None,
        logprob=steps[-1].text_logprob if steps else 0.0,
        cache_shape=lm.cache_shape,
        created=datetime.now(UTC).isoformat(timespec="seconds"),
        versions={name: version(name) for name in PACKAGES} | {"python": platform.python_version()},
    )


def read_run(data: bytes) -> LinkState:
    """Returns what a saved run asks for.

    Raises:
        ValueError: It is no saved run; one sentence with the remedy.
    """
    return read_saved(data, lambda saved: read_whole(saved["link"]))
