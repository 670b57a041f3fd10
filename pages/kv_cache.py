"""The KV cache: drawn, counted, raced, planned, reused."""

from pages.frame.layout import lesson_page

with lesson_page("pages/kv_cache.py") as waiting:
    from pages.lessons.kv_cache.lesson import show_cache_lesson  # imports torch

    show_cache_lesson(waiting)
