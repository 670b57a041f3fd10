"""The lesson of pages/futures.py: all continuations of a prompt."""
