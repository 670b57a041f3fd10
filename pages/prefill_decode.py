"""Prefill and decode: reading in parallel, writing one by one, and what bounds each of them."""

from pages.frame.layout import lesson_page

with lesson_page("pages/prefill_decode.py") as waiting:
    from pages.lessons.prefill_decode.lesson import show_phase_lesson  # imports torch

    show_phase_lesson(waiting)
