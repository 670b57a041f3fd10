"""Two phases, measured: reading in parallel, writing one by one, and what bounds each of them."""

from pages.frame.layout import close_lesson, open_lesson, stage

open_lesson("Two phases, measured")
with stage("Loading the model…") as waiting:
    from pages.lessons.prefill_decode.lesson import (
        show_phase_lesson,  # torch comes in behind the shell
    )

    show_phase_lesson(waiting)
close_lesson("pages/prefill_decode.py")
