"""A link says all that it takes to show the same text again, and no more.

Nothing random needs to travel: the coin is a function of seed and position, so a run is the prompt,
the seeds, the controls at each step and the tokens that the reader forced.

    ?model=storyteller&prompt=The+cat+sat+on+the&seed=0&top_p=0.9&run=12;5~temperature:1.2&forced=3:262
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import lru_cache
from urllib.parse import parse_qsl, urlencode

from model.weights.device import DTYPES, choose_dtype
from pages.frame.fields import MAX_LINK_TEXT, Switch, Text, Whole, read_fields
from pages.frame.fields import Choice as OneOf
from pages.frame.models import DEFAULT_PROMPT
from pages.home import controls
from pages.home.branch import Branch, Choice, Run, Shelved
from pages.home.controls import Controls
from pages.home.session import MAX_SEED, Session

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


def write_link(session: Session) -> str:
    """Return the query string that brings back what the session shows; none for a long prompt."""
    if len(session.prompt) > MAX_LINK_TEXT:
        return ""
    return "?" + write_whole(session, session.active)


def write_whole(session: Session, text: Branch | Shelved) -> str:
    """Return the query that brings back one of the session's texts, however long."""
    # what grows with the text stands last, and grows at its end: little of the link is then sent
    parts = {"model": session.lm.name}
    here = session.lm.local
    if here is not None and here.dtype != choose_dtype("auto", here.device):
        parts["dtype"] = session.lm.dtype_name
    if session.lm.has_chat_template and not text.chat:
        parts["chat"] = "0"
    return f"{_joined(parts | session.controls.encode())}&{write_text(text)}"


def write_text(text: Branch | Shelved) -> str:
    """Return the query of one text alone: all of it but the model and the controls."""
    text.run = text.run.of(text.choices)
    return _write_text(text.prompt, text.seed, text.chat, text.run)


@lru_cache(maxsize=256)
def _write_text(prompt: str, seed: int, chat: bool, run: Run) -> str:
    parts = {"prompt": prompt, "seed": str(seed), "chat": "1" if chat else ""}
    parts |= {"forced": run.forced, "run": run.stretches}
    return _joined({name: value for name, value in parts.items() if value or name == "prompt"})


def _joined(parts: Mapping[str, str]) -> str:
    return urlencode(parts, safe=":,;~")


def read_link(params: Mapping[str, str], default_model: str) -> LinkState:
    """Read a query string; what cannot be read is left at its default and named in `problems`."""
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
    """Read the query of one text, which came from a browser or a file; its prompt may be long.

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
    """Bring a session to where the link was made.

    Raises:
        ValueError: The run could be followed in part only; all else is as the link asks.
    """
    try:
        session.replay(link.choices)
    finally:
        session.controls = link.controls
        session.reseed(link.seed)


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
