"""Sampling strategies: what each keeps of the same logits, and what follows."""

from pages.frame.layout import lesson_page

with lesson_page("pages/sampling.py") as waiting:
    from pages.lessons.sampling.lesson import show_lab  # torch comes in after the first paint

    show_lab(waiting)
