"""Beam search: several texts at once, their tree, what it finds beside greedy, what it costs."""

from pages.frame.layout import lesson_page

with lesson_page("pages/beam_search.py") as waiting:
    from pages.lessons.beam_search.lesson import show_beam_lesson  # imports torch

    show_beam_lesson(waiting)
