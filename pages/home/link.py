"""A link says all that it takes to show the same text again, and no more.

Nothing random needs to travel: the coin is a function of seed and position, so a run is the prompt,
the seeds, the controls at each step and the tokens that the reader forced.

    ?model=storyteller&prompt=The+cat+sat+on+the&seed=0&top_p=0.9&run=12;5~temperature:1.2&forced=3:262
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import groupby
from urllib.parse import urlencode

from pages.frame.models import DEFAULT_PROMPT
from pages.home.branch import Choice
from pages.home.controls import Controls
from pages.home.session import LARGEST_SEED, Session

LONGEST_PROMPT = 4_000  # characters that a link carries
MOST_TOKENS = 4_096  # generated tokens that a link may ask for


@dataclass
class Wish:
    """What a link asks for, as far as it could be read."""

    model: str
    prompt: str = DEFAULT_PROMPT
    seed: int = 0
    chat: bool | None = None  # whether a chat template is wanted; None leaves it to the model
    controls: Controls = field(default_factory=Controls)
    choices: list[Choice] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)  # one sentence each


def write_link(session: Session) -> str:
    """Return the query string that brings back what the session shows."""
    if len(session.prompt) > LONGEST_PROMPT:
        return ""
    parts = {"model": session.lm.name, "prompt": session.prompt, "seed": str(session.seed)}
    if session.lm.has_chat_template:
        parts["chat"] = "1" if session.chat else "0"
    parts |= session.controls.encode()
    choices = session.active.choices
    if choices:
        parts["run"] = ";".join(_write_stretch(list(run)) for _, run in groupby(choices, _how))
    forced = [f"{i}:{choice.token_id}" for i, choice in enumerate(choices) if choice.forced]
    if forced:
        parts["forced"] = ",".join(forced)
    return "?" + urlencode(parts)


def read_link(params: Mapping[str, str], default_model: str) -> Wish:
    """Read a query string; what cannot be read is left at its default and named in `problems`."""
    wish = Wish(model=params.get("model", "").strip() or default_model)
    # a browser's field knows one kind of line end
    wish.prompt = params.get("prompt", DEFAULT_PROMPT).replace("\r\n", "\n").replace("\r", "\n")
    wish.chat = {"0": False, "1": True}.get(params.get("chat", ""))
    try:
        wish.seed = _seed(params.get("seed", "0"))
    except ValueError as error:
        wish.problems.append(str(error))
    values = {name: text for name, text in params.items() if name in Controls.__dataclass_fields__}
    for name, text in values.items():
        try:
            Controls.from_page({name: text})
        except ValueError as error:
            wish.problems.append(f"The link was not followed in one point: {error}")
        else:
            wish.controls = Controls.from_page(wish.controls.to_page() | {name: text})
    try:
        wish.choices = _read_run(params.get("run", ""), params.get("forced", ""), wish)
    except ValueError as error:
        wish.problems.append(f"The link's run was left out: {error}")
    return wish


def follow(session: Session, wish: Wish) -> None:
    """Bring a session to where the link was made.

    Raises:
        ValueError: The run could be followed in part only; all else is as the link asks.
    """
    try:
        session.replay(wish.choices)
    finally:
        session.controls = wish.controls
        session.reseed(wish.seed)


def _how(choice: Choice) -> tuple[int, Controls]:
    return choice.seed, choice.controls


def _write_stretch(run: list[Choice]) -> str:
    changes = [f"{name}:{text}" for name, text in run[0].controls.encode().items()]
    return "~".join([f"{len(run)}", f"seed:{run[0].seed}", *changes])


def _read_run(run: str, forced: str, wish: Wish) -> list[Choice]:
    ids = dict(_read_forced(forced))
    choices: list[Choice] = []
    for stretch in filter(None, run.split(";")):
        count, *parts = stretch.split("~")
        values = dict(part.partition(":")[::2] for part in parts)
        seed = _seed(values.pop("seed", str(wish.seed)))
        controls = Controls.from_page(values)
        n_tokens = _whole(count, "A number of tokens")
        if len(choices) + n_tokens > MOST_TOKENS:
            raise ValueError(f"it asks for more than {MOST_TOKENS:,} tokens.")
        for i in range(len(choices), len(choices) + n_tokens):
            choices.append(Choice(seed, controls.settings(), controls, ids.get(i, -1), i in ids))
    return choices


def _read_forced(text: str) -> list[tuple[int, int]]:
    pairs = [part.partition(":") for part in filter(None, text.split(","))]
    return [(_whole(i, "A forced place"), _whole(id_, "A forced token")) for i, _, id_ in pairs]


def _seed(text: str) -> int:
    seed = _whole(text, "The seed")
    if seed > LARGEST_SEED:
        raise ValueError(f"The seed has to be at most {LARGEST_SEED}, not {seed}.")
    return seed


def _whole(text: str, what: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise ValueError(f"{what} has to be a whole number from 0 up, not {text[:40]!r}.")
    return int(text)
