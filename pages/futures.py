"""All continuations: every text that may follow a prompt, as wide as it is likely."""

from pages.frame.layout import lesson_page

with lesson_page("pages/futures.py") as waiting:
    from pages.lessons.futures.lesson import show_futures  # imports torch

    show_futures(waiting)
