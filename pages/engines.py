"""Samplers and engines compared: the same masks in other orders, and whether draws follow them."""

from pages.frame.layout import lesson_page

with lesson_page("pages/engines.py") as waiting:
    from pages.lessons.sampling.laboratory import show_samplers_compared  # imports torch

    show_samplers_compared(waiting)
