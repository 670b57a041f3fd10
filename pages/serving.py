"""Serving many requests: how readers share one model, pass by pass."""

from pages.frame.layout import lesson_page

with lesson_page("pages/serving.py") as waiting:
    from pages.lessons.serving.lesson import show_serving_lesson  # imports torch

    show_serving_lesson(waiting)
