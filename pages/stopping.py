"""Stopping and streaming: what ends a text, and what a client sees of it meanwhile."""

from pages.frame.layout import lesson_page

with lesson_page("pages/stopping.py") as waiting:
    from pages.lessons.stopping.lesson import show_stopping  # imports torch

    show_stopping(waiting)
