"""The lesson of pages/guess.py: guess the next token."""
