"""47 claims about generation, each with an experiment that tests it here and now."""

from pages.frame.layout import lesson_page

with lesson_page("pages/claims.py") as waiting:
    from pages.lessons.claims.lesson import show_claims  # torch comes in after the first paint

    show_claims(waiting)
