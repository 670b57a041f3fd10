"""Several texts at once: beam search, its tree, what it finds beside greedy, what it costs."""

from pages.parts.shell import close_lesson, open_lesson, stage

open_lesson("Several texts at once")
with stage("Loading the model…") as waiting:
    from pages.parts.beam_search.lesson import show_beam_lesson  # torch comes in behind the shell

    show_beam_lesson(waiting)
close_lesson("pages/beam_search.py")
