"""What one reader has in the constrained-decoding lesson: a request, the text so far, the jobs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from model.constraints.decoding import ConstrainedGeneration, Constraint
from model.constraints.experiments import MAX_TOKENS, probs_of_choices
from model.constraints.patterns import Form
from model.constraints.records import MaskedDistribution
from model.generation import Generation
from model.loading import LanguageModel
from model.sampling import Settings
from model.tokenizing import encode_bare, text_of
from pages.frame.lesson_state import SteppedLesson
from pages.frame.stepper import Stepper, Steps

KINDS: dict[Form, str] = {
    "choices": "Choices",
    "pattern": "Pattern",
    "schema": "JSON schema",
}
HINTS: dict[Form, str] = {
    "choices": "One choice per line. Spaces count: a choice after a word begins with one.",
    "pattern": "A regular expression that the whole continuation matches.",
    "schema": "A JSON schema that the continuation satisfies, its keys in order and no others.",
}


@dataclass(frozen=True)
class ConstraintRequest:
    """A prompt, and the constraint on what follows it."""

    kind: Form
    prompt: str
    constraint: str


_SCHEMA = """{
  "type": "object",
  "properties": {
    "name": {"type": "string", "maxLength": 8},
    "mood": {"enum": ["happy", "sad"]}
  },
  "required": ["name", "mood"]
}"""
EXAMPLES: dict[str, ConstraintRequest] = {
    "Bed or mud": ConstraintRequest("choices", "The king went to sleep in", " his bed\n the mud"),
    "Bread or shoes": ConstraintRequest(
        "choices", "The boy was hungry, so he ate", " some bread\n all his shoes"
    ),
    "Elephant or pillow": ConstraintRequest(
        "choices", "At the zoo the king saw", " an elephant\n a pillow"
    ),
    "A name and an age": ConstraintRequest(
        "pattern", "The name of the boy was", r" [A-Z][a-z]+\. He was ([1-9]|1[0-9]) years old\."
    ),
    "A bird as JSON": ConstraintRequest("schema", "Max was a happy little bird.\n", _SCHEMA),
}
FIRST = "Bed or mud"


@dataclass
class ConstrainedSteps(Steps):
    """A text under a constraint, token after token."""

    request: ConstraintRequest
    generation: ConstrainedGeneration
    temperature: Callable[[], float]  # as it is at the moment
    seen: list[MaskedDistribution] = field(default_factory=list)  # before each token

    @property
    def can_step(self) -> bool:
        """Whether another token may follow, and has room."""
        return not self.generation.is_done

    @property
    def can_go_back(self) -> bool:
        """Whether a token was generated."""
        return bool(self.generation.steps)

    def step(self) -> None:
        """Generates one token."""
        settings = Settings(temperature=self.temperature())
        seen = self.generation.look(settings)
        self.generation.step(settings)
        self.seen.append(seen)

    def back(self) -> None:
        """Takes one token back."""
        self.generation.back()
        self.seen.pop()


@dataclass
class ConstraintLesson(SteppedLesson[ConstrainedSteps]):
    """All that one reader has on the page."""

    _written: tuple[ConstraintRequest, str] | None = field(default=None, kw_only=True)

    def probs_of(self, choices: Sequence[str]) -> dict[str, float]:
        """Returns how likely the model finds each of some texts after the prompt."""
        text = self.generation.text
        start = Generation(text.lm, text.prompt_ids)
        return probs_of_choices(start, choices)

    def written(self) -> str:
        """Returns what the request of the page comes to, the likeliest allowed token each time."""
        if self._written is None or self._written[0] != self.stepper.steps.request:
            request = self.stepper.steps.request
            steps = begin(self.lm, request).steps
            while steps.can_step:
                steps.step()
            self._written = request, steps.generation.result().text
        return self._written[1]

    def n_places(self, most: int) -> int:
        """Returns how many tokens the longest of the allowed endings has, or `most`."""
        request = self.stepper.steps.request
        if request.kind != "choices":
            return most
        return min(most, max(len(encode_bare(self.lm, one)) for one in choices_of(request)))

    def left_by_the_rule(self, n_tokens: int) -> str | None:
        """Returns the one ending that was still allowed after so many tokens; None for several."""
        request, text = self.stepper.steps.request, self.generation.text
        if request.kind != "choices":
            return None
        ids = text.ids[text.n_prompt : text.n_prompt + n_tokens]
        written = text_of(text.lm.tokenizer, ids)
        rests = {c[len(written) :] for c in choices_of(request) if c.startswith(written)}
        return rests.pop().strip() if len(rests) == 1 else None

    @property
    def generation(self) -> ConstrainedGeneration:
        """The text so far."""
        return self.stepper.steps.generation


def choices_of(request: ConstraintRequest) -> list[str]:
    """Returns the endings that are allowed."""
    return [line for line in request.constraint.splitlines() if line.strip()]


def begin(
    lm: LanguageModel, request: ConstraintRequest, temperature: Callable[[], float] = float
) -> Stepper[ConstrainedSteps]:
    """Reads a prompt and compiles a constraint.

    Raises:
        ValueError: One sentence with the remedy.
    """
    constraint = Constraint(lm, request.kind, request.constraint)
    text = Generation(lm, request.prompt, max_new_tokens=MAX_TOKENS)
    steps = ConstrainedSteps(request, ConstrainedGeneration(text, constraint), temperature)
    return Stepper(steps, "constraint")
