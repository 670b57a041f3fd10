"""The causal mask: drawn, tried and taken off; and training with it."""

from pages.frame.layout import lesson_page

with lesson_page("pages/causal_mask.py") as waiting:
    from pages.lessons.causal_mask.lesson import show_mask_lesson  # imports torch

    show_mask_lesson(waiting)
