"""One browser tab at the home page: its session, and what its page was told.

Streamlit's session holds it, so it ends with that; the loop's route finds it by its secret. An
event is handled in a thread of the route, while Streamlit's own may run the page: one lock keeps
them apart. Knows nothing of Streamlit.
"""

import asyncio
import secrets
import threading
from collections.abc import Mapping
from typing import Any

from model.machine.turns import TURNS
from pages.home.branch import Notice
from pages.home.link import LinkState, follow_or_say
from pages.home.payload import columns_of, describe
from pages.home.route import TABS
from pages.home.session import Session
from pages.home.tab_record import TabRecord, bring_back, read_record
from pages.home.told import Told


class Tab:
    """What one tab has on the server.

    Attributes:
        secret: Who knows it may press.
        ack: Number of the last event that was handled.
        lock: Held while the session is changed.
        record: What the browser kept of texts of another model; Streamlit takes them back.
        shown: What the page around the component shows of the session.
        presenter: Whether the page is read from the back row.
        hide_bars: Whether the reader wants to predict first.
        n_runs: Of the page around the component so far.
    """

    def __init__(self, session: Session) -> None:
        """Begins with a session; who has the secret finds it from now on."""
        self.secret = secrets.token_urlsafe()
        self.turn, self.lock = asyncio.Lock(), threading.RLock()
        self.record: TabRecord | None = None
        self.shown: object = shown_of(session)
        self.presenter = self.hide_bars = False
        self.n_runs = 0
        self._session, self._told = session, Told()
        self.ack = -1
        TABS[self.secret] = self

    @property
    def session(self) -> Session:
        """The session; what its page was told of another one counts for nothing."""
        return self._session

    @session.setter
    def session(self, session: Session) -> None:
        with self.lock:
            if session is not self._session:
                self._session, self._told = session, Told(self._told.version)

    def answer(self, event: Mapping[str, Any]) -> bytes:
        """Does what an event asks, once, and returns what the page lacks."""
        with self.lock, TURNS.step():
            number = event.get("n")
            if isinstance(number, int) and number > self.ack:
                self.ack = number  # the page sends an event again that it believes lost
                if event.get("kind") == "restore":
                    self._restore(event.get("record"))
                else:
                    self._session.handle(event)
            return self._state(event.get("holds"))

    def _state(self, held: object) -> bytes:
        session = self._session
        fields = describe(session) | {
            "ack": self.ack,
            "presenter": self.presenter,
            "hide_bars": self.hide_bars,
            "outside": self.record is not None or self.shown != shown_of(session),
        }
        steps = session.generation.steps
        return self._told.answer(held, fields, steps, lambda start: columns_of(session, start))

    def _restore(self, kept: object) -> None:
        """Takes back what the tab kept; what is here stays where that cannot be read."""
        try:
            record = read_record(kept)
            if record.link.model == self._session.lm.name:
                self.session = bring_back(self._session, record, self._open)
            else:
                self.record = record
        except ValueError as error:
            self._session.notice = Notice("error", str(error))

    def _open(self, link: LinkState) -> Session:
        """Opens another session of the same model."""
        session = Session(self._session.lm, link.prompt, link.seed, chat=bool(link.chat))
        follow_or_say(session, link)
        return session


def shown_of(session: Session) -> tuple[object, ...]:
    """Returns what the page around the component shows of a session."""
    return session.seed, session.chat
