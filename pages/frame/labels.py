"""The labels of a model's tokens as a file of their own, fetched once by a browser and then kept.

Only labels of models that this process holds are answered: the address is the hash of a file that
was made for one of them, and it goes with the model.
"""

import json
from hashlib import sha256
from weakref import WeakKeyDictionary, WeakValueDictionary

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from model.loading import LanguageModel
from model.tokenizing import vocabulary_labels
from pages.frame.assets import ABSENT, Asset


class _Labels(Asset):
    def __init__(self, text: bytes, name: str) -> None:
        super().__init__("application/json", lambda: text)
        self.name = name


_BY_MODEL: WeakKeyDictionary[LanguageModel, _Labels] = WeakKeyDictionary()
_BY_NAME: WeakValueDictionary[str, _Labels] = WeakValueDictionary()


def labels_address(lm: LanguageModel) -> str:
    """Returns where the labels of a model are served, by id, below the server's base path."""
    labels = _BY_MODEL.get(lm)
    if labels is None:
        text = json.dumps(vocabulary_labels(lm), separators=(",", ":")).encode()
        name = sha256(text).hexdigest()[:16]
        labels = _BY_NAME.setdefault(name, _Labels(text, name))
        _BY_MODEL[lm] = labels
    return f"labels/{labels.name}"


async def _answer(request: Request) -> Response:
    labels = _BY_NAME.get(request.path_params["name"])
    return ABSENT if labels is None else await labels.answer(request.headers)


def routes(base: str) -> tuple[Route, ...]:
    """Returns the address of labels, below the server's base path."""
    return (Route(f"{base}/labels/{{name}}", _answer),)
