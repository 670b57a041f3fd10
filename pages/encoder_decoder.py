"""The encoder-decoder: one pass reads the input, both ways; a loop writes the answer."""

from pages.frame.layout import lesson_page

with lesson_page("pages/encoder_decoder.py") as waiting:
    from pages.lessons.encoder_decoder.lesson import show_gap_lesson  # imports torch

    show_gap_lesson(waiting)
