"""Whatever a reader does, in whatever order: what holds after every event.

Next appends the token that was named; what was run ahead shows nowhere; the page holds what Python
says, whichever messages were lost; the link brings the text back.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks import home_page
from model.loading import LanguageModel
from pages.home.link import write_link
from pages.home.payload import describe
from pages.home.replica import Replica, written
from pages.home.session import Session
from tests.home.conftest import do, reopened
from tests.tiny_models import VOCAB_SIZE, tiny

PROMPT = 'A "quoted" & <odd> prompt, with ~ ; : and é'
TEXTS = ("the cat", "Es war 🎈 einmal", "a\ud800", " ")
CONTROLS: list[dict[str, Any]] = [
    {},
    {"greedy": True, "eta": 0.1 + 0.2},
    {"use": ["temperature", "top_k", "top_p", "min_p"], "min_p": 0.02, "typical_p": 0.9},
    {
        "order": "llama.cpp",
        "temperature": 1.76543219,
        "top_n_sigma": 2.5,
        "repetition_penalty": 1.3,
    },
    {"order": "vllm", "presence_penalty": 0.7, "frequency_penalty": -0.4},
    {"temperature": -1},
]
KINDS = (
    *("next", "next again", "finish", "force", "back", "reset", "rewind", "branch", "switch"),
    *("prompt", "tokenise", "settings", "inspect", "guess", "reseed", "unheard of"),
)
LOST = st.sampled_from([(), (), (), ("live",), ("prefetch",), ("live", "prefetch")])
# what happens, how far along what it names lies, and which of the answer's messages are lost
EVENTS = st.lists(st.tuples(st.sampled_from(KINDS), st.floats(0, 0.99), LOST), max_size=9)

state_of = partial(describe, presenter=False, hide_bars=False)


class Tab:
    """A session and the page that shows it, with a wire between them that can lose messages."""

    def __init__(self, lm: LanguageModel, prompt: str = "Once upon a time") -> None:
        self.session = Session(lm, prompt)
        self.replica, self.page = Replica(), home_page.Replica()
        self.n_bytes: dict[str, int] = {}  # of the headers of the last two messages
        self.run()

    def run(self, *lost: str) -> None:
        """Runs the page's fragment; messages of these components do not arrive."""
        session = self.session
        told = self.replica.foreseen(session.ack) if session.is_foreseen else None
        self._tell("live", self.replica.answer(*told or state_of(session)), lost)
        following = session.prefetch_next()
        if following is not None:
            self._tell("prefetch", self.replica.ahead(*state_of(following)), lost)

    def _tell(self, name: str, message: bytes, lost: tuple[str, ...]) -> None:
        self.n_bytes[name] = int.from_bytes(message[:4], "little")
        if name not in lost:
            self.page.take(name, message)

    def do(self, kind: str, *lost: str, **fields: object) -> None:
        """Sends an event and runs what answers it; where that is lost, the page repeats it."""
        event = {"n": self.session.ack + 1, "kind": kind, **fields}
        for messages in (lost, ()) if "live" in lost else (lost,):
            self.replica.hear(self.page.versions)
            self.session.handle(event)
            self.run(*messages)

    def assert_same(self) -> None:
        header, _ = state_of(self.session)
        assert self.page.headers["live"][1] == json.loads(json.dumps(written(header)))


def fields_of(session: Session, kind: str, share: float) -> dict[str, Any]:
    """The fields of an event: where they name a place, the place so far along; some are none."""
    match kind:
        case "inspect" | "rewind" | "branch":
            return {"position": int(share * (len(session.generation.ids) + 2))}
        case "force":
            return {"token_id": int(share * (VOCAB_SIZE + 9))}
        case "finish":
            return {"count": int(share * 20)}
        case "switch":
            return {"id": int(share * (session.n_begun + 1))}
        case "prompt" | "tokenise" | "guess":
            return {"text": TEXTS[int(share * len(TEXTS))]}
        case "next" | "settings":
            return {"controls": CONTROLS[int(share * len(CONTROLS))]}
    return {}


def drawn(session: Session) -> list[tuple[float, bool, float]]:
    return [(step.coin, step.forced, step.chosen_prob) for step in session.generation.steps]


@given(EVENTS)
def test_after_every_event(events: list[tuple[str, float, tuple[str, ...]]]) -> None:
    tab, plain = Tab(tiny("llama"), PROMPT), Session(tiny("llama"), PROMPT)
    for kind, share, lost in events:
        named, controls = tab.session.next_id(), plain.controls
        if kind == "reseed":
            for session in (tab.session, plain):
                session.reseed(int(9 * share))
        event = "next" if kind == "next again" else kind
        fields = fields_of(plain, kind, share)
        do(plain, event, **fields)
        tab.do(event, *lost, **fields)
        tab.assert_same()
        is_taken = named is not None and plain.notice is None and plain.controls == controls
        if event == "next" and is_taken:
            assert tab.session.generation.ids[-1] == named
        assert tab.session.generation.ids == plain.generation.ids
        assert tab.session.active.choices == plain.active.choices
        assert tab.session.generation.cache_tokens == plain.generation.cache_tokens
    again = reopened(tab.session)
    assert again.generation.ids == plain.generation.ids
    for ours, theirs in zip(drawn(again), drawn(plain), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-4)  # a pass may have read one token or many
    assert (again.controls, again.seed) == (plain.controls, plain.seed)
    assert write_link(again) == write_link(tab.session)
