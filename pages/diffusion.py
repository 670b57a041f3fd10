"""Masked diffusion: a page of masks that settles into a text in K passes."""

from pages.frame.layout import lesson_page

with lesson_page("pages/diffusion.py", "Loading the models…") as waiting:
    from pages.lessons.diffusion.lesson import show_diffusion_lesson  # imports torch

    show_diffusion_lesson(waiting)
