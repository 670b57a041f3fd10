"""All positions at once, refined: a page of masks that settles into a text in K passes."""

from pages.frame.layout import close_lesson, open_lesson, stage

open_lesson("All positions at once")
with stage("Loading the models…") as waiting:
    from pages.lessons.diffusion.lesson import show_diffusion_lesson  # torch, behind the shell

    show_diffusion_lesson(waiting)
close_lesson("pages/diffusion.py")
