"""Guess the next token: hidden text, guesses with confidence, everyone scored in points."""

from pages.frame.layout import lesson_page

with lesson_page("pages/guess.py", has_next=False) as waiting:
    from pages.lessons.guess.game import show_game  # torch comes in after the first paint

    show_game(waiting)
