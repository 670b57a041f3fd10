"""The requests that the settings describe."""

from dataclasses import replace

from model.loading import LanguageModel
from model.serving.records import Request
from model.tokenizing import encode_within
from model.typed import number_typed
from pages.frame.fields import echo
from pages.lessons.serving.settings import BY_RATE, MAX_REQUESTS, SETTINGS

MAX_OUT, DEFAULT_OUT = 64, 16  # tokens that a request writes
MAX_TOKENS = 1_000  # of all prompts together
LONG_ARRIVES = 0.03  # seconds, when the others have begun to write


def asked_requests(lm: LanguageModel) -> list[Request]:
    """Returns the requests that were typed, with the times at which they arrive.

    Raises:
        ValueError: One sentence with the remedy.
    """
    lines = _lines()
    if len(lines) > MAX_REQUESTS:
        raise ValueError(f"There is room for {MAX_REQUESTS} requests, not for {len(lines)}.")
    wait = 1 / SETTINGS["rate"] if SETTINGS["arrivals"] == BY_RATE else 0.0
    return _within_bounds([_request(lm, line, n * wait) for n, line in enumerate(lines)])


def n_asked() -> int:
    """Counts the requests that were typed."""
    return len(_lines())


def _lines() -> list[str]:
    return [line for line in SETTINGS["prompts"].splitlines() if line.strip()]


def all_at_once(lm: LanguageModel) -> list[Request]:
    """Returns the requests that were typed, all there from the start."""
    return [replace(request, arrives=0.0) for request in asked_requests(lm)]


def with_long_prompt(lm: LanguageModel) -> list[Request]:
    """Returns the requests that were typed, all there at once, and a long one that comes later."""
    text = SETTINGS["long_prompt"]
    if not text.strip():
        raise ValueError("The long prompt is empty: write some words.")
    late = Request(tuple(encode_within(lm, text, MAX_TOKENS)), DEFAULT_OUT, LONG_ARRIVES)
    return _within_bounds([*all_at_once(lm), late])


def _request(lm: LanguageModel, line: str, arrives: float) -> Request:
    """Reads a line: a prompt, and behind the last bar how many tokens to write."""
    prompt, bar, number = line.rpartition("|")
    if not bar:
        prompt, number = line, str(DEFAULT_OUT)
    n_out = number_typed(number)
    if n_out is None or n_out not in range(1, MAX_OUT + 1):
        said = echo(number.strip())
        raise ValueError(
            f"After the last | of a line stands a number from 1 to {MAX_OUT}, not {said}."
        )
    return Request(tuple(encode_within(lm, prompt.strip(), MAX_TOKENS)), int(n_out), arrives)


def _within_bounds(requests: list[Request]) -> list[Request]:
    n_tokens = sum(len(request.prompt_ids) for request in requests)
    if n_tokens > MAX_TOKENS:
        raise ValueError(
            f"The prompts have {n_tokens:,} tokens, and {MAX_TOKENS:,} are read "
            "together at most: shorten them."
        )
    return requests
