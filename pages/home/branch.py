"""What a session is made of: texts, how their tokens came about, what was asked of them.

Knows nothing of Streamlit.
"""

from dataclasses import dataclass, field
from functools import cached_property

from model.generation import Generation
from model.records import NO_MEMORY, Distribution, Memory
from model.sampling import Settings
from pages.home.controls import Controls

MAX_SEED = 2**31 - 1


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

    @cached_property
    def how(self) -> str:
        """The seed and the controls, as a link says them."""
        parts = {"seed": str(self.seed)} | self.controls.encode()
        return "~".join(f"{name}:{text}" for name, text in parts.items())


@dataclass(frozen=True, eq=False)
class Inspection:
    """A position of the text that the reader looks back at."""

    position: int
    distribution: Distribution
    token_id: int
    settings: Settings
    coin: float | None
    forced: bool
    memory: Memory = NO_MEMORY  # of mirostat


@dataclass(eq=False)
class Branch:
    """One text being written, with all that it takes to write it again."""

    number: int
    prompt: str  # as typed
    seed: int  # of the pointers of new tokens; a branch has its own, else it would write the same
    generation: Generation
    chat: bool = False  # whether the model's chat template stands around the prompt
    choices: list[Choice] = field(default_factory=list)  # one per generated token
    undone: list[Choice] = field(default_factory=list)  # taken back, the next to replay last

    @property
    def ids(self) -> list[int]:
        """The text, prompt and generated."""
        return self.generation.ids

    @property
    def logprob(self) -> float:
        """Of what was generated, in nats, at temperature 1."""
        return self.generation.logprob

    def look_back(self, position: int, controls: Controls) -> Inspection:
        """Returns what the token at a position was drawn from, or a prompt’s is held against.

        Raises:
            ValueError: No token stands there, or nothing stands before it.
        """
        text = self.generation
        if not 0 <= position < len(text.ids):
            raise ValueError("There is no token at that position: choose one of those shown.")
        if position >= text.n_prompt:
            place = position - text.n_prompt
            step, choice = text.steps[place], self.choices[place]
            drawn = step.distribution, step.token_id, choice.settings, step.coin, step.forced
            return Inspection(position, *drawn, step.memory)
        if position == 0:
            raise ValueError("Nothing stands before the first token, so nothing predicted it.")
        before = Generation(text.lm, text.ids[:position], seed=self.seed).distribution
        return Inspection(position, before, text.ids[position], controls.settings(), None, False)


@dataclass(eq=False)
class ParkedBranch:
    """A branch as the reader's browser kept it; it is written again when it is opened."""

    number: int
    prompt: str  # as typed
    seed: int
    chat: bool
    choices: list[Choice]
    ids: list[int]  # as they were; those of the prompt too
    logprob: float  # of what was generated, in nats


@dataclass(frozen=True)
class Guess:
    """What the reader expects next, and what the model thinks of it."""

    text: str
    label: str  # of its first token
    rank: int  # 0 is the model's best
    prob: float  # raw softmax at temperature 1
    n_tokens: int  # pieces of the guess; only the first is compared
