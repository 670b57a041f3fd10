"""No position sees a later one: the causal mask, drawn, tried and taken off; training with it."""

from pages.frame.layout import close_lesson, open_lesson, stage

open_lesson("No position sees a later one")
with stage("Loading the model…") as waiting:
    from pages.lessons.causal_mask.lesson import show_mask_lesson  # torch comes in behind the shell

    show_mask_lesson(waiting)
close_lesson("pages/causal_mask.py")
