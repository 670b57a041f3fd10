"""Roofline and cost: what bounds a pass, and what a token costs on a machine paid by the hour."""

from pages.frame.layout import lesson_page

with lesson_page("pages/roofline.py") as waiting:
    from pages.lessons.prefill_decode.laboratory import show_roofline_and_cost  # imports torch

    show_roofline_and_cost(waiting)
