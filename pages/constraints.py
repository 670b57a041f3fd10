"""Constrained decoding: what a grammar's mask throws away, dead ends, and ways out of them."""

from pages.frame.layout import lesson_page

with lesson_page("pages/constraints.py") as waiting:
    from pages.lessons.constraints.lesson import show_constraint_lesson  # imports torch

    show_constraint_lesson(waiting)
