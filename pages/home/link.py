"""A link says all that it takes to show the same text again, and no more.

Nothing random needs to travel: the pointer is a function of seed and position, so a run is the
prompt, the seeds, the controls at each step and the tokens that the reader forced.

    ?model=storyteller&prompt=The+cat+sat+on+the&seed=0&top_p=0.9&run=12;5~temperature:1.2&forced=3:262
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import groupby
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from model.sentences import MAX_SENTENCE, as_many_as_fit
from model.server.logits import EngineError
from model.weights.device import DTYPES, choose_dtype
from pages.frame.fields import MAX_LINK_TEXT, Switch, Text, Whole, read_fields
from pages.frame.fields import Choice as OneOf
from pages.frame.offers import DEFAULT_PROMPT
from pages.home import controls
from pages.home.branch import MAX_SEED, Branch, Choice, Notice, ParkedBranch
from pages.home.controls import Controls

if TYPE_CHECKING:
    from pages.home.session import Session

MAX_TOKENS = 4_096  # generated tokens that a link may ask for
MAX_QUERY = 500_000  # characters of a text that a browser or a file keeps
SEED = Whole("seed", "Seed", 0, high=MAX_SEED)
FIELDS = (
    Text("model", "Model", max_characters=200),
    Text("prompt", "Prompt", DEFAULT_PROMPT),
    SEED,
    Switch("chat", "Chat template", None),
    OneOf("dtype", "Number format", options=tuple(DTYPES)),
    *controls.FIELDS,
)
COUNT = Whole("run", "A number of tokens", high=MAX_TOKENS)
PLACE, TOKEN = Whole("forced", "A forced place"), Whole("forced", "A forced token")


@dataclass
class LinkState:
    """What a link asks for, as far as it could be read."""

    model: str
    prompt: str = DEFAULT_PROMPT
    seed: int = 0
    chat: bool | None = None  # whether a chat template is wanted; None leaves it to the model
    controls: Controls = field(default_factory=Controls)
    choices: list[Choice] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # one sentence each
    dtype: str = "auto"  # the format of the model's numbers


def write_address(session: Session) -> str:
    """Returns what a link to the session's text begins with; empty for a long prompt.

    The page writes the rest, which grows with the text (`live/link.js`).
    """
    return "" if len(session.prompt) > MAX_LINK_TEXT else _write_model(session, session.chat)


def write_whole(session: Session, text: Branch | ParkedBranch) -> str:
    """Returns the query that brings back one of the session's texts, however long."""
    return f"{_write_model(session, text.chat)}&{write_text(text)}"


def _write_model(session: Session, chat: bool) -> str:
    """Returns the part of a query that says the model and the controls."""
    parts = {"model": session.lm.name}
    here = session.lm.local
    if here is not None and here.dtype != choose_dtype("auto", here.device):
        parts["dtype"] = session.lm.dtype_name
    if session.lm.has_chat_template and not chat:
        parts["chat"] = "0"
    return _joined(parts | session.controls.encode())


def write_text(text: Branch | ParkedBranch) -> str:
    """Returns the query of one text alone: all of it but the model and the controls."""
    alike = groupby(choice.how for choice in text.choices)
    run = ";".join(f"{len(list(same))}~{how}" for how, same in alike)
    forced = [f"{i}:{choice.token_id}" for i, choice in enumerate(text.choices) if choice.forced]
    parts = {"prompt": text.prompt, "seed": str(text.seed), "chat": "1" if text.chat else ""}
    parts |= {"forced": ",".join(forced), "run": run}
    return _joined({name: value for name, value in parts.items() if value or name == "prompt"})


def _joined(parts: Mapping[str, str]) -> str:
    return urlencode(parts, safe=":,;~")


def read_link(params: Mapping[str, str], default_model: str) -> LinkState:
    """Reads a query string; what cannot be read is left at its default and named in `problems`."""
    link = read_fields({name: (text,) for name, text in params.items()}, FIELDS)
    values = link.values
    state = LinkState(
        values.get("model", "").strip() or default_model,
        # a browser's field knows one kind of line end
        values.get("prompt", DEFAULT_PROMPT).replace("\r\n", "\n").replace("\r", "\n"),
        values.get("seed", 0),
        values.get("chat"),
        dtype=values.get("dtype", "auto"),
    )
    state.controls = Controls(**{name: values[name] for name in vars(Controls()) if name in values})
    state.problems += filter(None, [link.sentence()])
    try:
        state.choices = _read_run(params.get("run", ""), params.get("forced", ""), state.seed)
    except ValueError as error:
        state.problems.append(f"The link’s run was left out: {str(error).rstrip('.')}.")
    return state


def read_whole(query: object) -> LinkState:
    """Reads the query of one text, which came from a browser or a file; its prompt may be long.

    Raises:
        ValueError: It is none, or too long.
    """
    if not isinstance(query, str) or len(query) > MAX_QUERY:
        raise ValueError(f"a text is said in at most {MAX_QUERY:,} characters")
    parts = dict(parse_qsl(query, keep_blank_values=True))
    if "prompt" not in parts:
        raise ValueError("its prompt is missing")
    return replace(read_link(parts | {"prompt": ""}, ""), prompt=parts["prompt"])


def follow(session: Session, link: LinkState) -> None:
    """Brings a session to where the link was made.

    Raises:
        ValueError: The run could be followed in part only; all else is as the link asks.
    """
    try:
        session.replay(link.choices)
    finally:
        session.controls = link.controls
        session.reseed(link.seed)


def follow_or_say(session: Session, link: LinkState, problems: Sequence[str] = ()) -> None:
    """Brings a session to where the link was made, and says what was not as it asks.

    Raises:
        EngineError: The model's server does not answer: later it may.
    """
    told = list(problems)
    try:
        follow(session, link)
    except EngineError:
        raise
    except ValueError as error:
        told.append(f"The link's run was followed in part: {error}")
    if told:
        sentence = as_many_as_fit(list(dict.fromkeys(told)), MAX_SENTENCE, " ")
        session.notice = Notice("error", sentence)


def _read_run(run: str, forced: str, seed: int) -> list[Choice]:
    ids = _read_forced(forced)
    choices: list[Choice] = []
    for stretch in filter(None, run.split(";")):
        count, *parts = stretch.split("~")
        values = dict(part.partition(":")[::2] for part in parts)
        own_seed = SEED.read(values["seed"]) if "seed" in values else seed
        controls = Controls.from_page(values)
        places = range(len(choices), len(choices) + COUNT.read(count))
        if places.stop > MAX_TOKENS:
            raise ValueError(f"it asks for more than {MAX_TOKENS:,} tokens")
        settings = controls.settings()
        choices += [Choice(own_seed, settings, controls, ids.get(i, -1), i in ids) for i in places]
    return choices


def _read_forced(text: str) -> dict[int, int]:
    pairs = [part.partition(":") for part in filter(None, text.split(","))]
    return {PLACE.read(place): TOKEN.read(token_id) for place, _, token_id in pairs}
