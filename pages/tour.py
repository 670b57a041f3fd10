"""Guided lessons: those of the folder, and how to write one."""

from pages.frame.layout import lesson_page
from pages.lessons.tour.lesson import show_lessons

with lesson_page("pages/tour.py", "", has_previous=False) as waiting:
    waiting.empty()
    show_lessons()
