"""A request of the loop's page, read: the text that it is about, and how its next token is drawn.

What comes from a browser may be anything. Each value is checked here, before any pass, and what is
read is all that is used. Knows nothing of Streamlit or of the wire.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from model.loading import LanguageModel
from model.passes import check_context
from model.records import Memory
from model.sentences import Sentence
from model.stopping import NO_STOP, StopStrings
from model.tokenizing import known_ids
from pages.frame.fields import echo
from pages.home.controls import Controls

MAX_SEED = 2**31 - 1
MAX_COUNT = 200  # tokens of one request
MAX_TEXTS = 10**6  # numbers of a page's texts
MAX_BITS = 1e6  # of surprise, in the memory of mirostat


@dataclass(frozen=True)
class TextRequest:
    """One text, and the settings under which it goes on."""

    number: int  # of the text, among those of the page
    ids: list[int]  # prompt and generated
    n_prompt: int  # how many of them are the prompt's
    memory: Memory  # of mirostat, as of the end of these ids
    controls: Controls
    seed: int  # of the pointers
    stop: StopStrings = NO_STOP  # that end the text


def read_text_request(lm: LanguageModel, fields: Mapping[str, Any]) -> TextRequest:
    """Reads what a request says of a text.

    Raises:
        ValueError: It cannot be used; one sentence.
    """
    ids, memory, controls = (fields.get(name) for name in ("ids", "memory", "controls"))
    stop = fields.get("stop", [])
    if not isinstance(ids, list) or not ids:
        raise ValueError(Sentence("The page sent no text: reload the page."))
    check_context(lm, len(ids))
    if not isinstance(memory, Mapping) or not isinstance(controls, Mapping):
        raise ValueError(Sentence("The page sent no settings: reload the page."))
    bits = [memory.get(name) for name in ("target", "mu")]
    numbers = [float(one) for one in bits if isinstance(one, int | float) and abs(one) <= MAX_BITS]
    if len(numbers) < len(bits):
        raise ValueError(Sentence("The page sent a memory that no mask has: reload the page."))
    if not isinstance(stop, list) or not all(isinstance(string, str) for string in stop):
        raise ValueError(Sentence("The page sent no stop strings: reload the page."))
    return TextRequest(
        number=whole(fields, "number", 0, MAX_TEXTS),
        ids=known_ids(lm, ids),
        n_prompt=whole(fields, "n_prompt", 1, len(ids)),
        memory=Memory(*numbers),
        controls=Controls.from_page(controls),
        seed=whole(fields, "seed", 0, MAX_SEED),
        stop=StopStrings.of(stop),
    )


def whole(fields: Mapping[str, Any], name: str, low: int, high: int) -> int:
    """Reads a whole number between bounds, both included.

    Raises:
        ValueError: It is none; one sentence.
    """
    value = fields.get(name)
    if type(value) is not int or not low <= value <= high:
        raise ValueError(
            Sentence(
                "The page sent {given} for {name}: reload the page.",
                given=echo(repr(value)[:99]),
                name=name,
            )
        )
    return value


def text_of_page(fields: Mapping[str, Any], max_characters: int) -> str:
    """Reads what the reader typed.

    Raises:
        ValueError: It is no text, or too long; one sentence with the remedy.
    """
    text = fields.get("text")
    if not isinstance(text, str):
        raise ValueError(Sentence("The page sent no text: reload the page."))
    if len(text) > max_characters:
        raise ValueError(
            Sentence(
                "The text has {number} characters; at most {most} are read: shorten it.",
                number=format(len(text), ","),
                most=format(max_characters, ","),
            )
        )
    return text
