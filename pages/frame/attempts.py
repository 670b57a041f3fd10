"""One way to begin again after a bad request: a sentence with the remedy, and nothing is lost.

What is pressed or set is tried before the page is drawn, so its sentence is kept until then, by
what draws it: the lesson, that of its settings; a stepper and a job's panel, which are drawn
without the rest of the page, that of their own buttons. What is made of a field while the page is
drawn says why it cannot be in the place where it would stand.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TypeVar

from streamlit.delta_generator import DeltaGenerator

from pages.frame.layout import show_error
from pages.frame.words import told

Made = TypeVar("Made")


class Attempts:
    """What keeps why the last thing that was pressed or set cannot be had."""

    problem: str | None = None  # in one sentence; None where it could be had

    @contextmanager
    def attempt(self, stays: str = "") -> Iterator[None]:
        """Keeps why something cannot be had; what is on the page stays, in words too if given."""
        self.problem = None
        try:
            yield
        except ValueError as error:
            self.pause()
            self.problem = _said(error, stays)

    def pause(self) -> None:
        """Ends what goes on by itself: a job that measures would time it as well."""


def made_or_said(
    make: Callable[[], Made], place: DeltaGenerator | None = None, stays: str = ""
) -> Made | None:
    """Returns what is made; where it cannot be, says why at a place of the page."""
    try:
        return make()
    except ValueError as error:
        show_error(_said(error, stays), place)
        return None


def _said(error: ValueError, stays: str) -> str:
    """Returns what an error says: in the reader's language, if no sentence of a lesson follows."""
    return f"{error} {stays}" if stays else told(error)
