"""Home: a real model writes one token at a time, and every stage of the loop can be seen."""

from pages.frame.layout import close_lesson, open_page, stage
from pages.frame.words import _
from pages.home.lead import show_lead

toolbar = open_page(_("A language model writes one token at a time"))
show_lead()
with stage(_("Loading the model…")) as waiting:
    from pages.home.page import show_home  # torch and transformers come in behind the shell

    show_home(toolbar, waiting)
close_lesson("pages/generate.py")
