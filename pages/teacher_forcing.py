"""Teacher forcing, measured: models on true text and on their own, early and late."""

from pages.frame.layout import lesson_page

with lesson_page("pages/teacher_forcing.py") as waiting:
    from pages.lessons.snowball.laboratory import show_teacher_forcing  # imports torch

    show_teacher_forcing(waiting)
