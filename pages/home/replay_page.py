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
from pages.home.branch import Choice
from pages.home.payload import (
    columns_of,
    describe_cache,
    describe_model,
    describe_piece,
    describe_text,
    joined,
    name_arrays,
)
from pages.home.run_export import run_record
from pages.home.session import Session
from viz.palette import FONT, MONO, declarations

FOLDER = Path(__file__).parent / "replay"
LIVE = Path(__file__).parent / "live"
ENOUGH = 0.99  # of the probability is held token by token, the rest as a histogram
MIN_HELD = 64  # tokens


def replay_page(session: Session, *, presenter: bool) -> str:
    """Returns a page that replays the active branch in any browser."""
    return to_page(record(session, presenter=presenter))


def record(session: Session, *, presenter: bool) -> dict[str, Any]:
    """Returns what the page is told of the run, and of each position that was drawn from.

    A file is made in a thread of its own, and tokens may be written meanwhile: what is recorded is
    as much as was there when it began.
    """
    generation, choices = session.generation, list(session.active.choices)
    passes = [vars(each) for each in generation.passes]
    run = run_record(session)
    steps = run.steps[: len(choices)]
    positions = [_position(*pair) for pair in zip(steps, choices, strict=False)]
    columns = columns_of(session, 0, len(steps))
    del columns["joined"]
    ids = [*run.prompt_ids, *columns.pop("id")]
    header = describe_text(session) | {
        "model": describe_model(session.lm),
        "branch": session.active.number,
        "ids": ids,
        "joined": joined(session.lm, ids),
        "steps": columns,
        "finished": run.finished or "recorded",
        "controls": session.controls.to_page(),
        "cache": describe_cache(generation),
        "branches": (),
        "pieces": [describe_piece(piece) for piece in run.pieces[: generation.n_prompt]],
        "pieces_of": session.prompt,
        "guess": None,
        "hide_bars": False,
        "presenter": presenter,
        "address": "",
    }
    used = {*header["ids"], *(token_id for _, held in positions for token_id in held)}
    labels = vocabulary_labels(session.lm)
    return {
        "header": header,
        "passes": passes,
        "positions": [payload for payload, _ in positions],
        "labels": {str(i): labels[i] for i in sorted(used) if i < len(labels)},
        "created": run.created,
        "seed": run.seed,
        "versions": run.versions,
    }


def to_page(recording: Mapping[str, Any]) -> str:
    """Puts a recording into its page."""
    style = f":root{{{declarations()}--st-font:{FONT};--st-code-font:{MONO};}}\n" + source(
        "home/replay/replay.css"
    )
    return one_file(
        (FOLDER / "replay.html").read_text("utf-8"),
        name_of(FOLDER / "mount.js"),
        style=style,
        sheets=style_sheets(SHARED, LIVE, FOLDER),
        blocks={"run": strict_json(recording)},
    )


def _position(step: Step, choice: Choice) -> tuple[str, Iterable[int]]:
    """Packs what one token was drawn from, and names the ids that are held of it."""
    kept = as_far_as_needed(step)
    described, arrays = name_arrays(kept)
    drawn = {"coin": step.coin, "memory": vars(step.memory)}
    header = described | drawn | {"controls": choice.controls.to_page()}
    held = range(kept.n_vocab) if kept.ids is None else kept.ids.tolist()
    return b64encode(encode_payload(header, arrays)).decode(), held


def as_far_as_needed(step: Step) -> Distribution:
    """Cuts a distribution to what the masks kept, the token that was taken, and nearly all mass.

    Where no mask cut, the coin could fall on any token: all stay.
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
