"""What is kept, and what it saves: the key-value cache, drawn, counted, raced, planned, reused."""

from pages.frame.layout import close_lesson, open_lesson, stage

open_lesson("What is kept, and what it saves")
with stage("Loading the model…") as waiting:
    from pages.lessons.kv_cache.lesson import show_cache_lesson  # torch comes in behind the shell

    show_cache_lesson(waiting)
close_lesson("pages/kv_cache.py")
