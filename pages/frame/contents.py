"""The lessons in their order: the one list from which navigation and footers are made."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Lesson:
    """A page as the table of contents knows it."""

    path: str  # file below the app's folder
    title: str
    section: str
    claims: str  # ids of the claims that it lets people see, spaces between
    default: bool = False  # the home page


LESSONS: tuple[Lesson, ...] = (
    Lesson(
        "pages/generate.py",
        "One token at a time",
        "The loop",
        "C01 C02 C04 C05 C06 C07 C09 C10 C11 C12 C13 C14 C15 C16 C19 C41",
        default=True,
    ),
    Lesson(
        "pages/sampling.py",
        "One distribution, many masks",
        "The loop",
        "C12 C13 C14 C15 C16 C17 C19",
    ),
    Lesson(
        "pages/kv_cache.py",
        "What is kept, and what it saves",
        "Prefill, decode and the cache",
        "C06 C24 C25 C26",
    ),
    Lesson(
        "pages/prefill_decode.py",
        "Two phases, measured",
        "Prefill, decode and the cache",
        "C03 C08 C22 C23 C27 C28 C29 C30",
    ),
    Lesson(
        "pages/beam_search.py",
        "Several texts at once",
        "Past one token per pass",
        "C20 C21",
    ),
    Lesson(
        "pages/constraints.py",
        "A mask with a grammar",
        "Past one token per pass",
        "C18",
    ),
    Lesson(
        "pages/speculative.py",
        "A small model guesses, the large one checks",
        "Past one token per pass",
        "C31 C32",
    ),
    Lesson(
        "pages/diffusion.py",
        "All positions at once",
        "Past one token per pass",
        "C33 C34 C39",
    ),
    Lesson(
        "pages/causal_mask.py",
        "No position sees a later one",
        "Why it behaves so",
        "C10 C37 C38",
    ),
    Lesson(
        "pages/snowball.py",
        "One wrong token, two futures",
        "Why it behaves so",
        "C35 C36 C40 C42 C43 C44",
    ),
    Lesson(
        "pages/guess.py",
        "The class against the model",
        "Why it behaves so",
        "C04 C41",
    ),
    Lesson(
        "pages/claims.py",
        "All that is said, and what was measured",
        "Why it behaves so",
        "C45",
    ),
    Lesson("pages/glossary.py", "Glossary", "Reference", ""),
)


def sections() -> dict[str, list[Lesson]]:
    """Return the lessons by section, in order."""
    found: dict[str, list[Lesson]] = {}
    for lesson in LESSONS:
        found.setdefault(lesson.section, []).append(lesson)
    return found


def lesson_at(path: str) -> Lesson | None:
    """Return the lesson whose page is at `path`, if there is one."""
    return next((lesson for lesson in LESSONS if lesson.path == path), None)


def neighbours(path: str) -> tuple[Lesson | None, Lesson | None]:
    """Return the lesson before the one at `path` and the one after it."""
    place = next(i for i, lesson in enumerate(LESSONS) if lesson.path == path)
    before = LESSONS[place - 1] if place > 0 else None
    after = LESSONS[place + 1] if place + 1 < len(LESSONS) else None
    return before, after
