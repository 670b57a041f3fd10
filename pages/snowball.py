"""One wrong token, two futures: what follows from it, what does not, and what going back costs."""

from pages.frame.layout import close_lesson, open_lesson, stage

open_lesson("One wrong token, two futures")
with stage("Loading the model…") as waiting:
    from pages.lessons.snowball.lesson import (
        show_snowball_lesson,  # torch comes in behind the shell
    )

    show_snowball_lesson(waiting)
close_lesson("pages/snowball.py")
