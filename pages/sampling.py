"""One distribution, many masks: what each strategy keeps of the same logits, and what follows."""

from pages.frame.layout import close_lesson, open_lesson, stage

open_lesson("One distribution, many masks")
with stage("Loading the model…") as waiting:
    from pages.lessons.sampling.lesson import show_lab  # torch comes in behind the shell

    show_lab(waiting)
close_lesson("pages/sampling.py")
