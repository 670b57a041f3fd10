"""The lesson of pages/constraints.py: constrained decoding."""
