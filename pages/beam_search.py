"""Several texts at once: beam search, its tree, what it finds beside greedy, what it costs."""

from pages.frame.layout import close_lesson, open_lesson, stage

open_lesson("Several texts at once")
with stage("Loading the model…") as waiting:
    from pages.lessons.beam_search.lesson import show_beam_lesson  # torch comes in behind the shell

    show_beam_lesson(waiting)
close_lesson("pages/beam_search.py")
