"""Whatever a reader does, in whatever order: what holds after every event.

Next appends the token that was named; the page knows what the server says, whichever answers were
lost or came late; the link brings the text back.
"""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.home_page import merged
from pages.home.link import write_whole
from pages.home.session import Session
from pages.home.tab import Tab
from tests.home.conftest import do, reopened
from tests.tiny_models import VOCAB_SIZE, tiny

PROMPT = 'A "quoted" & <odd> prompt, with ~ ; : and é'
TEXTS = ("the cat", "Es war 🎈 einmal", "a\ud800", " ")
AGAIN = ("prompt=a&run=4", "prompt=a&run=3~seed:5~eta:0.2&forced=1:9", "run=2", "prompt=a&run=x")
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
    {"order": "llama.cpp", "mirostat": 3.0, "use": ["temperature", "min_p"]},
    {"order": "vllm", "presence_penalty": 0.7, "frequency_penalty": -0.4},
    {"temperature": -1},
]
KINDS = (
    *("next", "next again", "finish", "force", "back", "reset", "rewind", "branch", "switch"),
    *("again", "prompt", "tokenise", "settings", "inspect", "guess", "reseed", "unheard of"),
)
WIRES = st.sampled_from(["", "", "", "lost", "late", "lost twice"])
# what happens, how far along what it names lies, and what becomes of the answer
EVENTS = st.lists(st.tuples(st.sampled_from(KINDS), st.floats(0, 0.99), WIRES), max_size=9)
OF_THE_ANSWER = ("version", "keep", "rows", "arrays")


class Page:
    """A page and its tab on the server, with a wire between them that can lose answers."""

    def __init__(self) -> None:
        self.tab = Tab(Session(tiny("llama"), PROMPT))
        self.held = merged({}, self.tab.answer({"kind": "state"}))
        self.late: list[bytes] = []

    def do(self, kind: str, wire: str, **fields: object) -> None:
        """Sends an event until an answer arrives; late ones arrive behind the next."""
        event = {"n": self.tab.ack + 1, "kind": kind, "holds": self.held["version"], **fields}
        for _ in range({"": 0, "lost": 1, "late": 1, "lost twice": 2}[wire]):
            answer = self.tab.answer(event)
            self.late += [answer] if wire == "late" else []
        self.held = merged(self.held, self.tab.answer(event))
        for answer in self.late:
            assert merged(self.held, answer) is self.held
        self.late.clear()

    def assert_same(self) -> None:
        fresh = merged({}, self.tab.answer({"kind": "state"}))
        for name in fresh.keys() - OF_THE_ANSWER:
            assert self.held[name] == fresh[name], name


def fields_of(session: Session, kind: str, share: float) -> dict[str, Any]:
    """The fields of an event: where they name a place, the place so far along; some are none."""
    match kind:
        case "inspect" | "rewind" | "branch":
            return {"position": int(share * (len(session.generation.ids) + 2))}
        case "again":
            return {"query": AGAIN[int(share * len(AGAIN))]}
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


def drawn(session: Session) -> list[tuple[float, bool, float, float]]:
    return [
        (step.coin, step.forced, step.chosen_prob, step.memory.mu)
        for step in session.generation.steps
    ]


@given(EVENTS)
def test_after_every_event(events: list[tuple[str, float, str]]) -> None:
    page, plain = Page(), Session(tiny("llama"), PROMPT)
    tab = page.tab
    for kind, share, wire in events:
        named, controls = tab.session.next_id(), plain.controls
        if kind == "reseed":
            for session in (tab.session, plain):
                session.reseed(int(9 * share))
        event = "next" if kind == "next again" else kind
        fields = fields_of(plain, kind, share)
        do(plain, event, **fields)
        page.do(event, wire, **fields)
        page.assert_same()
        is_taken = named is not None and plain.notice is None and plain.controls == controls
        if event == "next" and is_taken:
            assert tab.session.generation.ids[-1] == named
        assert page.held["ids"] == tab.session.generation.ids == plain.generation.ids
        assert tab.session.active.choices == plain.active.choices
        assert tab.session.generation.cache_tokens == plain.generation.cache_tokens
    again = reopened(tab.session)
    assert again.generation.ids == plain.generation.ids
    for ours, theirs in zip(drawn(again), drawn(plain), strict=True):
        assert ours == pytest.approx(theirs, abs=1e-4)  # a pass may have read one token or many
    assert (again.controls, again.seed) == (plain.controls, plain.seed)
    assert write_whole(again, again.active) == write_whole(tab.session, tab.session.active)
