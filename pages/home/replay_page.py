"""A run as one HTML file: the live component's own scripts, on a recording of what Python told it.

The file asks nothing of any network, and its content policy runs no script but its own. Text is
data in it: no `<` is left in the recording, and the scripts put text into text nodes only.
"""

from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from model.draw import rank_order, summarise
from model.records import Distribution, Step
from model.tokenizing import vocabulary_labels
from pages.frame.assets import SHARED, name_of, source, style_sheets
from pages.frame.component import encode_payload, strict_json
from pages.frame.one_file import one_file
from pages.home.facts import facts
from pages.home.files import SavedRun
from pages.home.payload import columns_of, describe_pass, describe_piece, joined, name_arrays
from viz.palette import root_rule

FOLDER = Path(__file__).parent / "replay"
LIVE = Path(__file__).parent / "live"
ENOUGH = 0.99  # of the probability is held token by token, the rest as a histogram
MIN_HELD = 64  # tokens


def replay_page(run: SavedRun, *, presenter: bool) -> str:
    """Returns a page that replays a run in any browser."""
    return to_page(recording_of(run), presenter=presenter)


def recording_of(run: SavedRun) -> dict[str, Any]:
    """Returns what the page is told of the run, and of each position that was drawn from."""
    text, lm, record = run.generation, run.generation.lm, run.record
    positions = [_position(step) for step in text.steps]
    used = {*text.ids, *(token_id for _, held in positions for token_id in held)}
    labels = vocabulary_labels(lm)
    choices = [{"seed": draw.seed, "controls": draw.controls.to_page()} for draw in run.draws]
    held = [one.bytes_held for one in text.passes]
    last = [] if text.finished or run.last_pass is None else [describe_pass(run.last_pass)]
    passes = [*map(describe_pass, text.steps), *last]
    return {
        "facts": facts(lm) | {"prompt": run.prompt, "trained_on": None},
        "prompt": run.prompt,
        "ids": text.ids,
        "n_prompt": text.n_prompt,
        "seed": text.seed,
        "chat": run.chat,
        "pieces": [describe_piece(piece) for piece in record.pieces[: text.n_prompt]],
        "rows": columns_of(text.steps) | {"choice": choices},
        "joined": joined(lm, text.ids),
        "passes": [one | {"bytes_held": n} for one, n in zip(passes, held, strict=True)],
        "positions": [packed for packed, _ in positions],
        "finished": text.finished or "recorded",
        "stopped_by": text.stopped_by,
        "labels": {str(i): labels[i] for i in sorted(used) if i < len(labels)},
        "created": record.created,
        "versions": record.versions,
    }


def to_page(recording: Mapping[str, Any], *, presenter: bool) -> str:
    """Puts a recording into its page."""
    return one_file(
        (FOLDER / "replay.html").read_text("utf-8"),
        name_of(FOLDER / "mount.js"),
        style=root_rule() + source("home/alone.css") + source("home/replay/replay.css"),
        sheets=style_sheets(SHARED, LIVE, FOLDER),
        blocks={"run": strict_json({**recording, "presenter": presenter})},
    )


def _position(step: Step) -> tuple[str, Iterable[int]]:
    """Packs what one token was drawn from, and names the ids that are held of it."""
    kept = as_far_as_needed(step)
    described, arrays = name_arrays(kept)
    held = range(kept.n_vocab) if kept.ids is None else kept.ids.tolist()
    return b64encode(encode_payload(described, arrays)).decode(), held


def as_far_as_needed(step: Step) -> Distribution:
    """Cuts a distribution to what the masks kept, the token that was taken, and nearly all mass.

    Where no mask cut, the pointer could fall on any token: all stay.
    """
    whole = step.distribution
    order = rank_order(whole.logits)
    logits = whole.logits[order]
    mass = np.cumsum(np.exp(logits.astype(np.float64) - logits[0]))
    n_likely = int(np.searchsorted(mass, ENOUGH * mass[-1])) + 1
    n_held = max(MIN_HELD, n_likely, step.n_kept, step.rank + 1)
    if 2 * n_held >= len(logits):
        return whole
    held = summarise(logits, limit=n_held, order=np.arange(len(logits)))
    return replace(
        held,
        n_vocab=whole.n_vocab,
        ids=(order if whole.ids is None else whole.ids[order])[:n_held],
        tail_counts=np.append(held.tail_counts, whole.tail_counts),
        tail_logits=np.append(held.tail_logits, whole.tail_logits),
        tail_variances=np.append(held.tail_variances, whole.tail_variances),
        n_unsent=whole.n_unsent,
    )
