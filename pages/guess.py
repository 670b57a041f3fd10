"""The class against the model: hidden text, guesses with confidence, everyone scored in bits."""

from pages.frame.layout import close_lesson, open_lesson, stage

open_lesson("The class against the model")
with stage("Loading the model…") as waiting:
    from pages.lessons.guess.game import show_game  # torch comes in behind the shell

    show_game(waiting)
close_lesson("pages/guess.py")
