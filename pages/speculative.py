"""Speculative decoding: a small model guesses, the large one checks, round by round."""

from pages.frame.layout import lesson_page

with lesson_page("pages/speculative.py", "Loading the models…") as waiting:
    from pages.lessons.speculative.lesson import show_speculative_lesson  # imports torch

    show_speculative_lesson(waiting)
