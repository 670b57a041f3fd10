"""Forty-five claims about generation, each with the experiment that tests it here."""

from pages.frame.layout import lesson_page

with lesson_page("pages/claims.py") as waiting:
    from pages.lessons.claims.table import show_claims  # torch comes in after the first paint

    show_claims(waiting)
