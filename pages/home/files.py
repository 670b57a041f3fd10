"""A run as a file: what the page says of it, and what each token was drawn from.

The page has every number of a run but the distributions of positions that are past: they are read
again here, and what was measured stays as it was measured. Knows nothing of Streamlit.
"""

import platform
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from model.generation import Generation
from model.loading import LanguageModel
from model.records import Pass, RunRecord, Step
from model.sentences import Sentence
from model.text_ahead import text_ahead
from model.tokenizing import pieces
from pages.frame.fields import echo
from pages.home.controls import Controls
from pages.home.in_page_file import live_page, runs_in_page
from pages.home.text_request import MAX_SEED, TextRequest, whole
from viz.home.run_export import to_csv, to_json

MAX_TEXT = 2_000_000  # characters of a link or a prompt
PACKAGES = ("torch", "transformers", "streamlit", "numpy")
_OF_PASS = {"phase": str, "n_input": int, "cache_tokens": int, "bytes": int, "is_shared": bool}


@dataclass(frozen=True)
class Draw:
    """How one token came about."""

    seed: int
    controls: Controls
    forced: bool


@dataclass(frozen=True)
class SavedRun:
    """A run with all that its files hold."""

    generation: Generation  # with a step for each token
    draws: list[Draw]
    last_pass: Pass | None  # that made the distribution of the next token
    prompt: str
    chat: bool
    link: str

    @property
    def record(self) -> RunRecord:
        """The run as a record."""
        text = self.generation
        return RunRecord(
            link=self.link,
            model=text.lm.name,
            device=text.lm.place,
            dtype=text.lm.dtype_name,
            seed=text.seed,
            prompt=self.prompt,
            prompt_ids=tuple(text.prompt_ids),
            pieces=pieces(text.lm.tokenizer, text.ids),
            steps=tuple(text.steps),
            settings=[_plain(draw.controls) for draw in self.draws],
            finished=text.finished,
            logprob=text.logprob,
            cache_shape=text.lm.cache_shape,
            created=datetime.now(UTC).isoformat(timespec="seconds"),
            versions={name: version(name) for name in PACKAGES}
            | {"python": platform.python_version()},
        )


def write_file(lm: LanguageModel, asked: TextRequest, fields: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a run as a file of the kind that is asked for.

    Raises:
        ValueError: It cannot be written; one sentence.
    """
    from pages.home.replay_page import replay_page

    kind, link = str(fields.get("format")), _text(fields, "link")
    if kind == "live.html" and runs_in_page(lm):
        return {"text": live_page(lm, link)}
    writers = {
        "csv": lambda run: to_csv(run.record),
        "json": lambda run: to_json(run.record),
        "html": lambda run: replay_page(run, presenter=fields.get("presenter") is True),
    }
    if kind not in writers:
        raise ValueError(Sentence("The page asked for {given}: reload the page.", given=echo(kind)))
    return {"text": writers[kind](_read_again(lm, asked, fields, link))}


def _read_again(
    lm: LanguageModel, asked: TextRequest, fields: Mapping[str, Any], link: str
) -> SavedRun:
    """Writes a text again, each token as it was drawn, for the distributions on the way."""
    ids = asked.ids[asked.n_prompt :]
    draws = _draws(fields, len(ids))
    passes = _passes(fields, len(ids))
    cached = text_ahead(lm, asked.ids)  # a block of it in each pass
    text = Generation(lm, asked.ids[: asked.n_prompt], asked.seed, cached=cached)
    for token_id, draw, measured in zip(ids, draws, passes, strict=True):
        if len(text.ids) == len(asked.ids) - 1:
            text.stop = asked.stop  # what stands further up was written before it was set
        text.seed = draw.seed
        step = text.step(draw.controls.settings(), token_id=token_id)
        text.steps[-1] = _as_measured(step, draw, measured)
    text.seed = asked.seed
    return SavedRun(
        text, draws, text.last_pass, _text(fields, "prompt"), fields.get("chat") is True, link
    )


def _as_measured(step: Step, draw: Draw, measured: Mapping[str, Any]) -> Step:
    names = {name: name for name in measured} | {"bytes": "cache_bytes"}
    return replace(step, forced=draw.forced, **{names[n]: value for n, value in measured.items()})


def _draws(fields: Mapping[str, Any], n_tokens: int) -> list[Draw]:
    """Reads how each token came about: runs of tokens that were drawn alike, and which were forced.

    Raises:
        ValueError: It cannot be read; one sentence.
    """
    alike, forced = fields.get("draws"), fields.get("forced")
    if not isinstance(alike, list) or not isinstance(forced, list) or len(alike) > n_tokens:
        raise ValueError(Sentence("The page sent no run: reload the page."))
    draws = list[Draw]()
    for one in alike:
        if not isinstance(one, Mapping) or not isinstance(one.get("controls"), Mapping):
            raise ValueError(Sentence("The page sent no settings: reload the page."))
        count, seed = whole(one, "count", 1, n_tokens), whole(one, "seed", 0, MAX_SEED)
        draws += [Draw(seed, Controls.from_page(one["controls"]), forced=False)] * count
    if len(draws) != n_tokens or len(forced) != n_tokens:
        raise ValueError(Sentence("The page sent a run of another length: reload the page."))
    pairs = zip(draws, forced, strict=True)
    return [replace(draw, forced=is_forced is True) for draw, is_forced in pairs]


def _passes(fields: Mapping[str, Any], n_tokens: int) -> list[dict[str, Any]]:
    """Reads what was measured of the pass before each token.

    Raises:
        ValueError: It cannot be read; one sentence.
    """
    columns = fields.get("passes")
    if not isinstance(columns, Mapping):
        raise ValueError(Sentence("The page sent no passes: reload the page."))
    kinds = _OF_PASS | {"seconds": float}
    rows = [columns.get(name) for name in kinds]
    for row, kind in zip(rows, kinds.values(), strict=True):
        number = (int, float) if kind is float else kind
        if not isinstance(row, list) or len(row) != n_tokens:
            raise ValueError(Sentence("The page sent passes of another length: reload the page."))
        if not all(isinstance(value, number) for value in row):
            raise ValueError(Sentence("The page sent a pass that is none: reload the page."))
    return [dict(zip(kinds, values, strict=True)) for values in zip(*rows, strict=True)]


def _text(fields: Mapping[str, Any], name: str) -> str:
    value = fields.get(name)
    if not isinstance(value, str) or len(value) > MAX_TEXT:
        raise ValueError(
            Sentence(
                "The page sent {given} for {name}: reload the page.",
                given=echo(str(value)[:99]),
                name=name,
            )
        )
    return value


def _plain(controls: Controls) -> dict[str, Any]:
    settings = controls.settings()
    return {name: getattr(settings, name) for name in settings.__dataclass_fields__}
