"""The lesson of pages/speculative.py: a small model guesses, the large one checks."""
