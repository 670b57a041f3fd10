"""A mask with a grammar: what a constraint throws away, the corner it leads into, the ways out."""

from pages.frame.layout import close_lesson, open_lesson, stage

open_lesson("A mask with a grammar")
with stage("Loading the model…") as waiting:
    from pages.lessons.constraints.lesson import show_constraint_lesson  # torch, behind the shell

    show_constraint_lesson(waiting)
close_lesson("pages/constraints.py")
