"""The lesson of pages/stopping.py: how a text streams, and what ends it."""
