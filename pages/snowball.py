"""Error propagation: what follows from one wrong token, and what going back costs."""

from pages.frame.layout import lesson_page

with lesson_page("pages/snowball.py") as waiting:
    from pages.lessons.snowball.lesson import show_snowball_lesson  # imports torch

    show_snowball_lesson(waiting)
