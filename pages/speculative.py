"""A small model guesses, the large one checks: speculative decoding, round by round."""

from pages.frame.layout import close_lesson, open_lesson, stage

open_lesson("A small model guesses, the large one checks")
with stage("Loading the models…") as waiting:
    from pages.lessons.speculative.lesson import (
        show_speculative_lesson,  # torch comes in behind the shell
    )

    show_speculative_lesson(waiting)
close_lesson("pages/speculative.py")
