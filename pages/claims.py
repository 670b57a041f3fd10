"""All that is said of generation, and what was measured here: forty-five experiments."""

from pages.frame.layout import close_lesson, open_lesson, stage

open_lesson("All that is said, and what was measured")
with stage("Loading the model…") as waiting:
    from pages.lessons.claims.table import show_claims  # torch comes in behind the shell

    show_claims(waiting)
close_lesson("pages/claims.py")
