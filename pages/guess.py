"""The class against the model: hidden text, guesses with confidence, everyone scored in bits."""

from pages.parts.shell import close_lesson, open_lesson, stage

open_lesson("The class against the model")
with stage("Loading the model…") as waiting:
    from pages.parts.guess.game import show_game  # torch comes in behind the shell

    show_game(waiting)
close_lesson("pages/guess.py")
