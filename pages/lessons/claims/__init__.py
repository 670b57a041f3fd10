"""The lesson of pages/claims.py: all that is said, and what was measured."""
