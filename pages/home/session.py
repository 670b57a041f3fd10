"""One reader's texts: the branches, what was taken back, and the controls.

Knows nothing of Streamlit or of the wire: a `Tab` hands it the events of its page. Every event
either does what it says or leaves everything as it was and sets `notice` to one sentence.
"""

import logging
import time
from collections.abc import Mapping
from typing import Any

from model.draw import uniform_at
from model.generation import Generation, choose
from model.loading import LanguageModel
from model.records import Piece, Step
from model.sampling import process
from model.server.logits import EngineError
from model.tokenizing import encode, encode_chat, pieces
from pages.frame.fields import echo, whole_number
from pages.home.branch import MAX_SEED, Branch, Choice, Guess, Inspection, Notice, ParkedBranch
from pages.home.controls import Controls
from pages.home.link import read_whole
from pages.home.parked_branch import restore
from pages.home.prediction import weigh_guess

LOGGER = logging.getLogger(__name__)

MAX_BRANCHES = 8
MAX_FINISH_SECONDS = 3.0  # that "+20 tokens" may keep the page waiting
MAX_DRAFT = 20_000  # characters that are taken apart while they are typed
BRANCHLESS_EVENTS = ("switch", "settings", "tokenise")
QUIET_EVENTS = ("inspect", "tokenise", "settings", "guess")  # what was looked at stays


class Session:
    """What one reader has on the page."""

    def __init__(
        self, lm: LanguageModel, prompt: str, seed: int = 0, *, chat: bool = False
    ) -> None:
        """Runs the prompt through the model once.

        Args:
            lm: The model that writes.
            prompt: As typed.
            seed: Of the pointers.
            chat: Put the model's chat template around the prompt, if it has one.

        Raises:
            ValueError: The prompt or the model cannot be used; one sentence with the remedy.
        """
        self.lm = lm
        self.controls = Controls()
        self.notice: Notice | None = None
        self.guess: Guess | None = None
        self.inspection: Inspection | None = None
        self.draft_pieces: tuple[Piece, ...] = ()
        self.n_begun = 0  # branches, those that are gone included
        self._next: tuple[tuple[object, ...], int] | None = None  # the next id, and of which place
        self.branches: list[Branch | ParkedBranch] = []
        wrapped = lm.has_chat_template and chat
        try:
            generation = self.read_prompt(prompt, seed, wrapped)
        except ValueError as error:
            if not wrapped or isinstance(error, EngineError):
                raise
            # the template itself may refuse, and the prompt alone still be read
            generation, wrapped = self.read_prompt(prompt, seed, chat=False), False
            self.notice = Notice("error", str(error))
        self.active = self._add_branch(prompt, seed, generation, wrapped)
        self._show_draft(prompt)

    @property
    def generation(self) -> Generation:
        """The text that is being written."""
        return self.active.generation

    @property
    def prompt(self) -> str:
        """The prompt of the text that is being written, as it was typed."""
        return self.active.prompt

    @property
    def seed(self) -> int:
        """The seed of its pointers."""
        return self.active.seed

    @property
    def chat(self) -> bool:
        """Whether the model's chat template stands around its prompt."""
        return self.active.chat

    @property
    def again(self) -> Choice | None:
        """What Next replays: the token taken back last, while no setting has changed."""
        undone = self.active.undone
        return undone[-1] if undone and undone[-1].settings == self.controls.settings() else None

    def start(
        self, prompt: str, seed: int, *, keep: bool = False, chat: bool | None = None
    ) -> None:
        """Begins another text; the one on the page stays as a branch if anything was written.

        Args:
            prompt: As typed.
            seed: Of the pointers.
            keep: Keep the text on the page even if it is but a prompt.
            chat: Put the chat template around the prompt; by default as on the page.

        Raises:
            ValueError: The prompt cannot be used; one sentence with the remedy.
        """
        chat = self.chat if chat is None else chat
        generation = self.read_prompt(prompt, seed, chat)
        if self.active.choices or keep:
            self._evict_oldest()
        else:
            self.branches.remove(self.active)
        self.active = self._add_branch(prompt, seed, generation, chat)
        self._show_draft(prompt)

    def reseed(self, seed: int) -> None:
        """Draws with other pointers from here on; what is written stays."""
        self.active.seed = seed
        self.active.undone.clear()

    def wrap_in_chat(self, chat: bool) -> None:
        """Starts the prompt again, with or without the model's chat template."""
        try:
            self.start(self.prompt, self.seed, chat=chat and self.lm.has_chat_template)
        except ValueError as error:  # the template itself may refuse
            self.notice = Notice("error", str(error))

    def next_id(self) -> int | None:
        """Returns the id that Next will append as things stand; None where the text is finished."""
        if self.generation.finished:
            return None
        active, text = self.active, self.generation
        written = text.ids[:], text.memory, active.undone[:]
        place = active.number, active.seed, *written, self.controls  # all that the step depends on
        if self._next is None or self._next[0] != place:
            self._next = place, self._draw_next()
        return self._next[1]

    # What the page may ask for

    def handle(self, event: Mapping[str, Any]) -> None:
        """Does what the page asks; on bad input says so in `notice` and loses nothing."""
        kind = str(event.get("kind"))
        action = getattr(self, f"_on_{kind}", None)
        self.notice = None
        if kind not in BRANCHLESS_EVENTS and event.get("branch") not in (None, self.active.number):
            self.notice = Notice("info", "That was meant for another text: press again.")
            return
        if kind not in QUIET_EVENTS:
            self.guess = self.inspection = None
        try:
            if action is None:
                raise ValueError(f"The page asked for {echo(kind)}: reload the page.")
            action(event)
        except ValueError as error:
            self.notice = Notice("error", str(error))
        except Exception:  # whatever it was, a reader gets a sentence and the log the rest
            LOGGER.exception("The event %r failed", kind)
            self.notice = Notice(
                "error", f"That did not work ({kind}), and the text stays: try again, or Reset."
            )

    def _on_next(self, event: Mapping[str, Any]) -> None:
        self._take_controls(event)
        if not self._is_finished():
            self._step()

    def _on_force(self, event: Mapping[str, Any]) -> None:
        self._take_controls(event)
        if not self._is_finished():
            self._step(token_id=whole_number("token_id", event.get("token_id")))

    def _on_finish(self, event: Mapping[str, Any]) -> None:
        self._take_controls(event)
        wanted = max(1, min(whole_number("count", event.get("count", 20)), 200))
        started = time.perf_counter()
        for written in range(wanted):
            if self._is_finished(quiet=written > 0):
                return
            self._step()
            if time.perf_counter() - started > MAX_FINISH_SECONDS and written + 1 < wanted:
                self.notice = Notice(
                    "info",
                    f"Wrote {written + 1} of {wanted} tokens in {MAX_FINISH_SECONDS:g} s: "
                    "press again to go on.",
                )
                return

    def _on_back(self, _event: Mapping[str, Any]) -> None:
        if self.active.choices:
            self._rewind(1)

    def _on_reset(self, _event: Mapping[str, Any]) -> None:
        if self.active.choices:
            self._rewind(len(self.active.choices))
        self.active.undone.clear()

    def _on_again(self, event: Mapping[str, Any]) -> None:
        """Writes what was taken back again: the rest of a text, each token as it came about."""
        link = read_whole(event.get("query"))
        if link.problems:
            raise ValueError(link.problems[0])
        active, seed, controls = self.active, self.seed, self.controls
        try:
            self.replay(link.choices[len(active.choices) :])
        finally:
            active.seed, self.controls = seed, controls

    def _on_rewind(self, event: Mapping[str, Any]) -> None:
        self._rewind(self._tokens_from(event))

    def _on_branch(self, event: Mapping[str, Any]) -> None:
        n_tokens = self._tokens_from(event)
        self._evict_oldest()
        old = self.active
        fork = old.generation.fork()
        fork.rewind(n_tokens=n_tokens)
        seed = (old.seed + self.n_begun) % (MAX_SEED + 1)
        self.active = self._add_branch(old.prompt, seed, fork, old.chat)
        self.active.choices = old.choices[: len(old.choices) - n_tokens]
        self._say(fork.notice)

    def _on_switch(self, event: Mapping[str, Any]) -> None:
        number = event.get("id")
        branch = next((branch for branch in self.branches if branch.number == number), None)
        if branch is None:
            raise ValueError("That branch is gone: choose one of those shown.")
        self.active = branch if isinstance(branch, Branch) else restore(self, branch)
        self._show_draft(self.prompt)

    def _on_prompt(self, event: Mapping[str, Any]) -> None:
        self.start(str(event.get("text", "")), self.seed)

    def _on_tokenise(self, event: Mapping[str, Any]) -> None:
        text = str(event.get("text", ""))
        if len(text) > MAX_DRAFT:
            raise ValueError(
                f"The text has {len(text):,} characters: its tokens are shown up to "
                f"{MAX_DRAFT:,}; press Enter to try it whole."
            )
        self._show_draft(text)

    def _on_settings(self, event: Mapping[str, Any]) -> None:
        self._take_controls(event)

    def _on_inspect(self, event: Mapping[str, Any]) -> None:
        position = event.get("position")
        self.inspection = None
        if position is not None:
            self.inspection = self.active.look_back(
                whole_number("position", position), self.controls
            )

    def _on_guess(self, event: Mapping[str, Any]) -> None:
        self.guess = weigh_guess(self.generation, str(event.get("text", "")))

    # How it is done

    def _draw_next(self) -> int:
        """Chooses as the next step will, and appends nothing."""
        generation, settings = self.generation, self.controls.settings()
        again = self.again
        if again and again.forced:
            return again.token_id
        seed = again.seed if again else self.seed
        coin = uniform_at(seed, len(generation.ids))
        try:
            stages = generation.stages_for(settings, coin=coin)
        except EngineError:  # the press asks once more, and says why
            known = generation.logits, generation.ids, settings, generation.n_prompt
            stages = process(*known, coin, generation.memory)
        return choose(stages, coin)

    def _step(self, token_id: int | None = None) -> Step:
        branch = self.active
        settings = self.controls.settings()
        again = self.again if token_id is None else None
        if again is not None:
            branch.undone.pop()
            token_id = again.token_id if again.forced else None
        else:
            branch.undone.clear()
        branch.generation.seed = again.seed if again else branch.seed
        step = branch.generation.step(settings, token_id=token_id)
        branch.choices.append(
            Choice(branch.generation.seed, settings, self.controls, step.token_id, step.forced)
        )
        return step

    def replay(self, choices: list[Choice]) -> None:
        """Writes the tokens of a link again: drawn by their pointers, or forced as they were."""
        for choice in choices:
            if self.generation.finished:
                break
            self.controls = choice.controls
            self.active.seed = choice.seed
            self._step(token_id=choice.token_id if choice.forced else None)

    def _is_finished(self, *, quiet: bool = False) -> bool:
        reason = self.generation.finished
        if reason and not quiet:
            why = "the model wrote its end token" if reason == "eos" else "its context is full"
            self._say(f"The text is finished, {why}: press Back or Reset.")
        return reason is not None

    def _rewind(self, n_tokens: int) -> None:
        branch = self.active
        branch.generation.rewind(n_tokens=n_tokens)
        branch.undone.extend(branch.choices[: -n_tokens - 1 : -1])
        del branch.choices[-n_tokens:]
        self._say(branch.generation.notice)

    def _say(self, text: str | None) -> None:
        """Tells the reader a sentence, if there is one."""
        if text:
            self.notice = Notice("info", text)

    def _tokens_from(self, event: Mapping[str, Any]) -> int:
        position = whole_number("position", event.get("position"))
        n_tokens = len(self.generation.ids) - position
        if not 0 < n_tokens <= len(self.active.choices):
            raise ValueError(
                "Only generated tokens can be taken back: choose one after the prompt."
            )
        return n_tokens

    def _take_controls(self, event: Mapping[str, Any]) -> None:
        values = event.get("controls")
        if values is None or values == self.controls.to_page():
            return
        if not isinstance(values, Mapping):
            raise ValueError(f"The page sent {echo(values)} for its sliders: reload the page.")
        self.controls = Controls.from_page(values)

    def read_prompt(self, text: str, seed: int, chat: bool) -> Generation:
        """Reads a prompt as a text of its own."""
        ids = encode_chat(self.lm, text) if chat else encode(self.lm, text)
        return Generation(self.lm, ids, seed=seed)

    def _show_draft(self, text: str) -> None:
        """Takes the text in the prompt's field apart; it is not yet the prompt."""
        ids = encode_chat(self.lm, text) if self.chat else encode(self.lm, text)
        self.draft, self.draft_pieces = text, pieces(self.lm.tokenizer, ids)

    def _add_branch(self, prompt: str, seed: int, generation: Generation, chat: bool) -> Branch:
        branch = Branch(self.n_begun, prompt, seed, generation, chat)
        self.n_begun += 1
        self.branches.append(branch)
        return branch

    def _evict_oldest(self) -> None:
        """Lets the oldest other branch go, as every branch keeps a cache of its own."""
        if len(self.branches) >= MAX_BRANCHES:
            self.branches.remove(next(b for b in self.branches if b is not self.active))
            self._say(f"{MAX_BRANCHES} texts are kept: the oldest branch was let go.")
