"""A room for the class: phones vote, the projector shows the votes, the teacher has a desk."""

from pages.frame.layout import lesson_page

with lesson_page("pages/classroom.py") as waiting:
    from pages.lessons.classroom.lesson import show_classroom  # torch comes after the first paint

    show_classroom(waiting)
