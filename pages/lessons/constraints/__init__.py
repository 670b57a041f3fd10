"""The lesson of pages/constraints.py: a mask with a grammar."""
