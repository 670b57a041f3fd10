"""What a session is made of: texts, how their tokens came about, what was asked of them.

Knows nothing of Streamlit.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from model.generation import Generation
from model.records import Distribution
from model.sampling import Settings
from pages.home.controls import Controls


@dataclass(frozen=True)
class Notice:
    """One sentence for the reader."""

    kind: str  # "error" | "info"
    text: str


@dataclass(frozen=True)
class Choice:
    """How one token came about: enough to choose it again."""

    seed: int
    settings: Settings
    controls: Controls
    token_id: int
    forced: bool


@dataclass(frozen=True, eq=False)
class Run:
    """The choices of a text as a link says them: one more is said behind those before it."""

    n: int = 0  # choices
    last: Choice | None = None
    forced: str = ""  # places and tokens, as 3:262,5:300
    done: str = ""  # choices made alike, stretch by stretch, but for the last stretch
    count: int = 0  # choices of the last stretch

    def of(self, choices: list[Choice]) -> Run:
        """Return the run of all choices of a text, most often this one and a choice more."""
        is_start = self.n <= len(choices) and (not self.n or choices[self.n - 1] is self.last)
        run = self if is_start else Run()
        for choice in choices[run.n :]:
            run = run._with(choice)
        return run

    @property
    def stretches(self) -> str:
        """How many choices were made alike, and how, stretch by stretch."""
        if self.last is None:
            return ""
        controls = self.last.controls.encode().items()
        how = [f"seed:{self.last.seed}", *(f"{name}:{text}" for name, text in controls)]
        return f"{self.done}{'~'.join([str(self.count), *how])}"

    def _with(self, choice: Choice) -> Run:
        last = self.last
        is_alike = last and (last.seed, last.controls) == (choice.seed, choice.controls)
        place = f"{',' if self.forced else ''}{self.n}:{choice.token_id}"
        return Run(
            self.n + 1,
            choice,
            self.forced + place if choice.forced else self.forced,
            self.done if is_alike or not last else f"{self.stretches};",
            self.count + 1 if is_alike else 1,
        )


@dataclass(frozen=True, eq=False)
class Inspection:
    """A position of the text that the reader looks back at."""

    position: int
    distribution: Distribution
    token_id: int
    settings: Settings
    coin: float | None
    forced: bool


@dataclass(eq=False)
class Branch:
    """One text being written, with all that it takes to write it again."""

    number: int
    prompt: str  # as typed
    seed: int  # of the coins of new tokens; a branch has its own, else it would write the same
    generation: Generation
    chat: bool = False  # whether the model's chat template stands around the prompt
    choices: list[Choice] = field(default_factory=list)  # one per generated token
    undone: list[Choice] = field(default_factory=list)  # taken back, the next to replay last
    run: Run = field(default_factory=Run)  # as many of the choices as a link has said

    @property
    def ids(self) -> list[int]:
        """The text, prompt and generated."""
        return self.generation.ids

    @property
    def logprob(self) -> float:
        """Of what was generated, in nats, at temperature 1."""
        return self.generation.logprob

    def redo(self, settings: Settings) -> Choice | None:
        """Return what Next replays: the token taken back last, while no setting has changed."""
        if self.undone and self.undone[-1].settings == settings:
            return self.undone[-1]
        return None

    def look_at_end(self, controls: Controls) -> Inspection | None:
        """Return what the end of a finished text was drawn from, as nothing follows it."""
        if self.generation.finished is None or not self.generation.steps:
            return None
        return self.look_back(len(self.ids) - 1, controls)

    def look_back(self, position: int, controls: Controls) -> Inspection:
        """Return what the token at a position was drawn from, or what the prompt's is held against.

        Raises:
            ValueError: No token stands there, or nothing stands before it.
        """
        text = self.generation
        if not 0 <= position < len(text.ids):
            raise ValueError("There is no token at that position: choose one of those shown.")
        if position >= text.n_prompt:
            place = position - text.n_prompt
            step, choice = text.steps[place], self.choices[place]
            return Inspection(
                position, step.distribution, step.token_id, choice.settings, step.coin, step.forced
            )
        if position == 0:
            raise ValueError("Nothing stands before the first token, so nothing predicted it.")
        before = Generation(text.lm, text.ids[:position], seed=self.seed).distribution
        return Inspection(position, before, text.ids[position], controls.settings(), None, False)


@dataclass(eq=False)
class Shelved:
    """A branch as the reader's browser kept it; it is written again when it is opened."""

    number: int
    prompt: str  # as typed
    seed: int
    chat: bool
    choices: list[Choice]
    ids: list[int]  # as they were; those of the prompt too
    logprob: float  # of what was generated, in nats
    run: Run = field(default_factory=Run)


@dataclass(frozen=True)
class Guess:
    """What the reader expects next, and what the model thinks of it."""

    text: str
    label: str  # of its first token
    rank: int  # 0 is the model's best
    prob: float  # raw softmax at temperature 1
    n_tokens: int  # pieces of the guess; only the first is compared
