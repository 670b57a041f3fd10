"""The files with which a reader's own browser runs the model: `?engine=page`, or a server is away.

The same scripts, weights and facts as the one file's. A browser keeps them under their hash. An
operator forbids it by `ONE_TOKEN_PAGE_MODEL=off`. Knows nothing of Streamlit.
"""

from __future__ import annotations

import json
import os
from functools import cache, partial
from hashlib import sha256
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages.frame.assets import ABSENT, Asset, address
from pages.frame.offers import DEFAULT_MODEL

if TYPE_CHECKING:
    from model.loading import LanguageModel

VARIABLE = "ONE_TOKEN_PAGE_MODEL"
WORKER = "home/in_page/worker.js"
ONE_FILE = "one-token.html"
_FILES: dict[str, Asset] = {}  # by hash and name, once a page was told of them


def page_model(lm: LanguageModel) -> dict[str, str] | None:
    """Returns where a page finds the model that it runs itself; None if it may or can run none."""
    from pages.home.in_page_file import runs_in_page  # torch comes in behind the server

    if os.environ.get(VARIABLE, "").lower() == "off" or not runs_in_page(lm):
        return None
    root = _served(lm)
    files = {name: f"page-model/{root}/{name}" for name in ("facts.json", "weights")}
    return {"worker": address(WORKER), "facts": files["facts.json"], "weights": files["weights"]}


@cache
def _served(lm: LanguageModel) -> str:
    """Returns the hash of a model's files, which are answered from now on."""
    from model.weights.locate import SHIPPED
    from pages.home.in_page_file import facts

    weights = SHIPPED[lm.name] / "model.safetensors"
    text = json.dumps(facts(lm) | {"query": ""}).encode()
    root = sha256(text + sha256(weights.read_bytes()).digest()).hexdigest()[:16]
    _FILES[f"{root}/facts.json"] = Asset("application/json", lambda: text)
    _FILES[f"{root}/weights"] = Asset("application/octet-stream", partial(weights.read_bytes))
    return root


def _find(name: str) -> Asset | None:
    """Returns a file, also if a process before this one told the page of it."""
    from pages.frame.models import shared_model

    if name not in _FILES:
        page_model(shared_model(DEFAULT_MODEL))
    return _FILES.get(name)


async def _answer(request: Request) -> Response:
    name = f"{request.path_params['root']}/{request.path_params['name']}"
    kept = _FILES.get(name) or await run_in_threadpool(_find, name)
    return ABSENT if kept is None else await kept.answer(request.headers)


async def _one_file(_request: Request) -> Response:
    """Answers with the one file, to be saved: a browser never opens it at this server's address."""
    about = {"Content-Disposition": f'attachment; filename="{ONE_FILE}"'}
    text = await run_in_threadpool(_page_of_one_file)
    return Response(text, headers=about, media_type="text/html")


@cache
def _page_of_one_file() -> bytes:
    from pages.frame.models import shared_model
    from pages.home.in_page_file import live_page

    return live_page(shared_model(DEFAULT_MODEL)).encode()


def routes(base: str) -> tuple[Route, ...]:
    """Returns the addresses of these files and of the one file, below the server's base path."""
    files = Route(f"{base}/page-model/{{root}}/{{name}}", _answer)
    return files, Route(f"{base}/{ONE_FILE}", _one_file)
