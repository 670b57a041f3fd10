"""The page's session outside of a page: its scripts run by deno, on the engine of a tab."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from model.generation import Generation
from model.loading import LanguageModel
from pages.home.tab import Tab
from tests.driving.in_page import InPage, floats


class PageSession:
    """What one reader has in the page; its figures are told `header`."""

    def __init__(self, in_page: InPage, lm: LanguageModel, prompt: str = "", **link: str) -> None:
        """Opens a link, on a server that knows nothing of it."""
        self.in_page, self.tab = in_page, Tab(lm)
        self.asked: list[Mapping[str, Any]] = []
        in_page.engine = self.engine
        query = {"model": lm.name, **({"prompt": prompt} if prompt else {}), **link}
        self._take(in_page("open", query=query, isOutside=True))

    def engine(self, request: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
        """Answers one request, as the tab does."""
        self.asked.append(request)
        return self.tab.answer(request)

    def do(self, kind: str, **fields: object) -> PageSession:
        """Tells the session of the next event."""
        self.in_page.engine = self.engine
        self._take(self.in_page("answer", event={"branch": None, "kind": kind, **fields}))
        return self

    def forget(self) -> None:
        """Puts another server in the place of this one."""
        self.tab = Tab(self.tab.lm)

    def _take(self, state: dict[str, Any]) -> None:
        self.header = state["header"]
        self.arrays = {name: floats(text) for name, text in state["arrays"].items()}

    def file(self, kind: str) -> str:
        """Returns the run as a file."""
        self.in_page.engine = self.engine
        text: str = self.in_page("file", kind=kind)["text"]
        return text

    @property
    def ids(self) -> list[int]:
        """The text that is written."""
        ids: list[int] = self.header["ids"]
        return ids

    @property
    def logits(self) -> np.ndarray:
        """For its next position."""
        return self.arrays["logits"]

    @property
    def notice(self) -> str:
        """What the reader is told; empty if nothing."""
        notice = self.header["notice"]
        return notice["text"] if notice else ""

    @property
    def steps(self) -> dict[str, list[Any]]:
        """The columns of the worked table."""
        steps: dict[str, list[Any]] = self.header["steps"]
        return steps

    @property
    def query(self) -> str:
        """What brings the text back."""
        return f"{self.header['address']}&{self.header['query']}"

    @property
    def generation(self) -> Generation:
        """The text as the server has it."""
        return self.tab.generation
