"""The lessons in their order: the one list from which navigation, titles and footers are made."""

from dataclasses import dataclass

APP = "One Token at a Time"


@dataclass(frozen=True)
class Lesson:
    """A page as the table of contents knows it."""

    path: str  # file below the app's folder
    title: str
    section: str

    @property
    def is_home(self) -> bool:
        """Whether it is the page that the app opens with."""
        return self is LESSONS[0]


LESSONS: tuple[Lesson, ...] = (
    Lesson("pages/generate.py", "One token at a time", "The loop"),
    Lesson("pages/tour.py", "Guided lessons", "The loop"),
    Lesson("pages/stopping.py", "Stopping and streaming", "The loop"),
    Lesson("pages/sampling.py", "Sampling strategies", "Choosing a token"),
    Lesson("pages/beam_search.py", "Beam search", "Choosing a token"),
    Lesson("pages/futures.py", "All continuations", "Choosing a token"),
    Lesson("pages/constraints.py", "Constrained decoding", "Choosing a token"),
    Lesson("pages/kv_cache.py", "The KV cache", "Inference speed"),
    Lesson("pages/prefill_decode.py", "Prefill and decode", "Inference speed"),
    Lesson("pages/serving.py", "Serving many requests", "Inference speed"),
    Lesson("pages/speculative.py", "Speculative decoding", "Inference speed"),
    Lesson("pages/diffusion.py", "Masked diffusion", "Other ways"),
    Lesson("pages/encoder_decoder.py", "The encoder-decoder", "Other ways"),
    Lesson("pages/causal_mask.py", "The causal mask", "Training and errors"),
    Lesson("pages/snowball.py", "Error propagation", "Training and errors"),
    Lesson("pages/guess.py", "Guess the next token", "Reference and games"),
    Lesson("pages/classroom.py", "A room for the class", "Reference and games"),
    Lesson("pages/claims.py", "47 claims about generation, tested", "Reference and games"),
    Lesson("pages/glossary.py", "Glossary", "Reference and games"),
)


def sections() -> dict[str, list[Lesson]]:
    """Returns the lessons by section, in order."""
    found: dict[str, list[Lesson]] = {}
    for lesson in LESSONS:
        found.setdefault(lesson.section, []).append(lesson)
    return found


def lesson_at(path: str) -> Lesson:
    """Returns the lesson whose page is at `path`."""
    return next(lesson for lesson in LESSONS if lesson.path == path)


def neighbours(path: str) -> tuple[Lesson | None, Lesson | None]:
    """Returns the lesson before the one at `path` and the one after it."""
    place = LESSONS.index(lesson_at(path))
    before = LESSONS[place - 1] if place > 0 else None
    after = LESSONS[place + 1] if place + 1 < len(LESSONS) else None
    return before, after
