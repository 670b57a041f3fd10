"""One browser tab at the home page: its model, its texts on this server, and who may ask for them.

The page holds the session; here it is answered. Streamlit's session holds the tab, so it ends with
that; the loop's route finds it by its ticket. A ticket that another process signed is as good: its
tab is made anew, for as long as it is asked for. Knows nothing of Streamlit.
"""

import threading
from collections import OrderedDict
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakValueDictionary

from model.generation import Generation
from model.loading import LanguageModel
from model.machine.turns import TURNS
from model.sentences import Sentence
from model.tokenizing import known_ids, text_of
from pages.frame.fields import echo
from pages.frame.models import shared_model
from pages.frame.offers import DEFAULT_PROMPT
from pages.home.controls import Controls
from pages.home.facts import facts
from pages.home.files import write_file
from pages.home.payload import describe_piece, describe_reading, name_arrays
from pages.home.text_request import (
    MAX_COUNT,
    MAX_SEED,
    read_text_request,
    text_of_page,
    whole,
)
from pages.home.texts import Guess, Texts
from pages.home.ticket import Ticket, new_ticket

MAX_GUESTS = 64  # tabs of other processes that are kept here
MAX_GUESS = 200  # characters
MAX_TYPED = 8  # prompts that are remembered as they were typed

Answer = tuple[dict[str, Any], dict[str, Any]]  # header and arrays


class Tab:
    """What one tab has on this server.

    Attributes:
        ticket: Who has it may ask.
        lm: The model of its texts.
        seed: Of the pointers, as the page asked last.
        guess: Of the next token, as the page asked last; None once the text goes on.
        controls: As the page asked last.
        has_forced: Whether the page has forced a token.
        has_repeated: Whether the page has asked for the same step again, after it went back.
        commands: What Streamlit asks of the page's session, each with an id, and to be done once.
        shown: What the page told Streamlit of its session.
    """

    def __init__(self, lm: LanguageModel, ticket: Ticket | None = None) -> None:
        """Begins with a model; who has the ticket finds it from now on."""
        self.lock = threading.RLock()
        self.ticket, self.lm, self.texts = ticket or _ticket_of(lm), lm, Texts(lm)
        self.seed, self.controls = 0, Controls()
        self.guess: Guess | None = None
        self.has_forced = self.has_repeated = False
        self._stepped_from: list[int] = []
        self.commands: list[dict[str, Any]] = []
        self._n_commands = 0
        self.shown: dict[str, Any] = {"seed": 0, "chat": False}
        self._typed: OrderedDict[tuple[int, ...], str] = OrderedDict()  # prompts, by their ids
        _TABS[self.ticket] = self

    def use(self, lm: LanguageModel) -> None:
        """Goes on with another model, or the same in another format."""
        with self.lock:
            self.lm, self.texts = lm, Texts(lm)
            self.ticket = _ticket_of(lm)
            _TABS[self.ticket] = self

    def command(self, kind: str, **fields: Any) -> None:
        """Queues a command that the page carries out once."""
        self._n_commands += 1
        told = {"id": f"{self.ticket.tab}-{self._n_commands}", "kind": kind, **fields}
        self.commands = [*self.commands[-9:], told]

    # What lessons read of the home page

    @property
    def generation(self) -> Generation:
        """The text that was asked about last."""
        with self.lock:
            known = self.texts.generations
            return known[-1] if known else Generation(self.lm, DEFAULT_PROMPT)

    @property
    def branches(self) -> list[Generation]:
        """The texts that are here."""
        return self.texts.generations or [self.generation]

    @property
    def prompt(self) -> str:
        """The prompt of the text that was asked about last, as it was typed."""
        ids = self.generation.prompt_ids
        return self._typed.get(tuple(ids)) or text_of(self.lm.tokenizer, ids)

    # What the page asks

    @property
    def is_remote(self) -> bool:
        """Whether the model runs on a server: whoever asks it waits, and computes little."""
        return self.lm.local is None

    def answer(self, request: Mapping[str, Any]) -> Answer:
        """Does what a request asks.

        Raises:
            ValueError: It cannot be done; one sentence.
        """
        kind = request.get("kind")
        action = _ACTIONS.get(kind) if isinstance(kind, str) else None
        if action is None:
            raise ValueError(
                Sentence("The page asked for {given}: reload the page.", given=echo(str(kind)))
            )
        with self.lock, TURNS.step():
            return action(self, request)

    def _open(self, _request: Mapping[str, Any]) -> Answer:
        return facts(self.lm), {}

    def _tokenise(self, request: Mapping[str, Any]) -> Answer:
        text = text_of_page(request, self.texts.max_characters)
        chat = request.get("chat") is True
        earlier, notice = request.get("ids"), None
        if chat and isinstance(earlier, list) and earlier:
            found, notice = self.texts.prompt_of_run(text, known_ids(self.lm, earlier))
        else:
            found = self.texts.tokenise(text, chat=chat)
        ids = [piece.token_id for piece in found]
        self._typed[tuple(ids)] = text
        if len(self._typed) > MAX_TYPED:
            self._typed.popitem(last=False)
        shown = [describe_piece(piece) for piece in found]
        return {"ids": ids, "pieces": shown, "notice": notice}, {}

    def _read(self, request: Mapping[str, Any]) -> Answer:
        asked = read_text_request(self.lm, request)
        self.seed, self.controls = asked.seed, asked.controls
        return describe_reading(self.texts.read(asked))

    def _step(self, request: Mapping[str, Any]) -> Answer:
        asked = read_text_request(self.lm, request)
        token_id = request.get("token_id")
        if token_id is not None:
            token_id = whole(request, "token_id", 0, self.lm.vocab_size - 1)
            self.has_forced = True
        self.seed, self.controls = whole(request, "next_seed", 0, MAX_SEED), asked.controls
        self.guess = None
        self.has_repeated |= asked.ids == self._stepped_from
        self._stepped_from = asked.ids
        reading = self.texts.step(
            asked,
            n_tokens=1 if token_id is not None else whole(request, "count", 1, MAX_COUNT),
            token_id=token_id,
            next_seed=self.seed,
        )
        return describe_reading(reading)

    def _logits_at(self, request: Mapping[str, Any]) -> Answer:
        asked = read_text_request(self.lm, request)
        position = whole(request, "position", -MAX_SEED, MAX_SEED)
        return name_arrays(self.texts.logits_at(asked, position))

    def _weigh(self, request: Mapping[str, Any]) -> Answer:
        asked = read_text_request(self.lm, request)
        self.guess = self.texts.weigh(asked, text_of_page(request, MAX_GUESS))
        return vars(self.guess), {}

    def _score(self, request: Mapping[str, Any]) -> Answer:
        asked = read_text_request(self.lm, request)
        position = whole(request, "position", -MAX_SEED, MAX_SEED)
        return vars(self.texts.score(asked, text_of_page(request, MAX_GUESS), position)), {}

    def _file(self, request: Mapping[str, Any]) -> Answer:
        return write_file(self.lm, read_text_request(self.lm, request), request), {}


_ACTIONS: dict[str, Callable[[Tab, Mapping[str, Any]], Answer]] = {
    "open": Tab._open,
    "tokenise": Tab._tokenise,
    "read": Tab._read,
    "step": Tab._step,
    "logitsAt": Tab._logits_at,
    "weigh": Tab._weigh,
    "score": Tab._score,
    "file": Tab._file,
}
_TABS: WeakValueDictionary[Ticket, Tab] = WeakValueDictionary()  # while a reader is here
_GUESTS: OrderedDict[Ticket, Tab] = OrderedDict()  # the longest idle first
_FINDING = threading.Lock()


def tab_of(ticket: Ticket) -> Tab:
    """Returns the tab of a ticket, made anew if this process has none; its model is loaded.

    Raises:
        ValueError: The model cannot be loaded; one sentence.
    """
    tab = _TABS.get(ticket)
    if tab is None:
        lm = shared_model(ticket.model, dtype=ticket.dtype)
        with _FINDING:
            tab = _TABS.get(ticket) or Tab(lm, ticket)
            _GUESTS[ticket] = tab
            _GUESTS.move_to_end(ticket)
            while len(_GUESTS) > MAX_GUESTS:
                _GUESTS.popitem(last=False)
    return tab


def _ticket_of(lm: LanguageModel) -> Ticket:
    return new_ticket(lm.name, "auto" if lm.local is None else lm.dtype_name)
