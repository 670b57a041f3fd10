"""One machine for many readers: whose turn it is, on how many threads, in how much memory.

What cannot be trusted to end runs in a process of its own. Knows neither a model nor a text.
"""
