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


LESSONS = (
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
)


def sections() -> dict[str, list[Lesson]]:
    """Return the lessons by section, in order."""
    found: dict[str, list[Lesson]] = {}
    for lesson in LESSONS:
        found.setdefault(lesson.section, []).append(lesson)
    return found


def neighbours(path: str) -> tuple[Lesson | None, Lesson | None]:
    """Return the lesson before the one at `path` and the one after it."""
    place = next(i for i, lesson in enumerate(LESSONS) if lesson.path == path)
    before = LESSONS[place - 1] if place > 0 else None
    after = LESSONS[place + 1] if place + 1 < len(LESSONS) else None
    return before, after
