"""Guess the next token: hidden text, guesses with confidence, everyone scored in bits."""

from pages.frame.layout import lesson_page

with lesson_page("pages/guess.py") as waiting:
    from pages.lessons.guess.game import show_game  # torch comes in after the first paint

    show_game(waiting)
