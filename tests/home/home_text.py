"""A text of the home page without its page: what a tab's server has once it has been asked."""

from typing import Any

from model.records import Memory
from pages.home.controls import Controls
from pages.home.tab import Tab


def request(ids: list[int], n_prompt: int, controls: Controls | None = None) -> dict[str, Any]:
    """Returns what the page says of a text in every request, with nothing written by mirostat."""
    how = {"controls": (controls or Controls()).to_page(), "seed": 0, "memory": vars(Memory())}
    return {"number": 0, "ids": ids, "n_prompt": n_prompt} | how


def write(tab: Tab, prompt: str, n_tokens: int = 0, seed: int = 0, number: int = 0) -> list[int]:
    """Has a tab read a prompt and append drawn tokens, a press each; returns the ids."""
    ids: list[int] = tab.act({"kind": "tokenise", "text": prompt})[0]["ids"]
    asked = request(ids, len(ids)) | {"number": number, "seed": seed}
    reading, _ = tab.act(asked | {"kind": "read"})
    while len(ids) - asked["n_prompt"] < n_tokens and reading["finished"] is None:
        step = {"kind": "step", "ids": ids, "count": 1, "next_seed": seed}
        reading, _ = tab.act(asked | step)
        ids = ids + reading["rows"]["id"]
    return ids
