"""A text of the home page without its page: what a tab's server has once it has been asked."""

import asyncio
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from starlette.applications import Starlette

from model.records import Memory
from pages.home.controls import Controls
from pages.home.route import routes
from pages.home.tab import Tab


def request(ids: list[int], n_prompt: int, controls: Controls | None = None) -> dict[str, Any]:
    """Returns what the page says of a text in every request, with nothing written by mirostat."""
    how = {"controls": (controls or Controls()).to_page(), "seed": 0, "memory": vars(Memory())}
    return {"number": 0, "ids": ids, "n_prompt": n_prompt} | how


def write(tab: Tab, prompt: str, n_tokens: int = 0, seed: int = 0, number: int = 0) -> list[int]:
    """Has a tab read a prompt and append drawn tokens, a press each; returns the ids."""
    ids: list[int] = tab.answer({"kind": "tokenise", "text": prompt})[0]["ids"]
    asked = request(ids, len(ids)) | {"number": number, "seed": seed}
    reading, _ = tab.answer(asked | {"kind": "read"})
    while len(ids) - asked["n_prompt"] < n_tokens and reading["finished"] is None:
        step = {"kind": "step", "ids": ids, "count": 1, "next_seed": seed}
        reading, _ = tab.answer(asked | step)
        ids = ids + reading["rows"]["id"]
    return ids


def post_to(
    ticket: str, parts: Sequence[bytes | None], base: str = "", **headers: str
) -> tuple[int, bytes]:
    """Posts a body to the loop in parts: None waits, and b"" hangs up."""
    app = Starlette(routes=routes(base))
    scope = {
        "type": "http",
        "method": "POST",
        "path": f"{base}/loop/{ticket}",
        "query_string": b"",
        "headers": [
            (b"host", b"here:1"),
            *((k.replace("_", "-").encode(), v.encode()) for k, v in headers.items()),
        ],
    }
    sent: list[dict[str, Any]] = []
    left = list(parts)

    async def receive() -> dict[str, Any]:
        part = left.pop(0) if left else None
        if part is None:
            await asyncio.sleep(60)
        if part == b"":
            return {"type": "http.disconnect"}
        return {"type": "http.request", "body": part, "more_body": bool(left)}

    async def send(message: dict[str, Any]) -> None:
        sent.append(message)

    with ThreadPoolExecutor(1) as thread:  # in this one Playwright's loop may be running
        thread.submit(lambda: asyncio.run(app(scope, receive, send))).result()
    return sent[0]["status"], b"".join(message.get("body", b"") for message in sent)
